package limit

import "testing"

func TestEachKeyHasItsOwnLimit(t *testing.T) {
	p := NewPerKey[string](2)
	for _, step := range []struct {
		key  string
		want bool
	}{{"ada", true}, {"ada", true}, {"ada", false}, {"bob", true}, {"ada", false}} {
		if got := p.TryAcquire(step.key); got != step.want {
			t.Errorf("%s: %v", step.key, got)
		}
	}
	p.Release("ada")
	if !p.TryAcquire("ada") || p.TryAcquire("ada") {
		t.Error("after one release there is not room for exactly one")
	}
	p.Release("ada")
	p.Release("ada")
	p.Release("bob")
	if len(p.taken) != 0 {
		t.Errorf("idle keys are kept: %v", p.taken)
	}
}
