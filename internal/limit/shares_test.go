package limit

import "testing"

func TestEachHasItsShare(t *testing.T) {
	s := NewShares[string](2)
	for _, step := range []struct {
		who  string
		want bool
	}{{"ada", true}, {"ada", true}, {"ada", false}, {"bob", true}, {"ada", false}} {
		if got := s.Take(step.who); got != step.want {
			t.Errorf("%s: %v", step.who, got)
		}
	}
	s.Give("ada")
	if !s.Take("ada") || s.Take("ada") {
		t.Error("what was given back is not to be had, or more than that")
	}
	s.Give("ada")
	s.Give("ada")
	s.Give("bob")
	if len(s.taken) != 0 {
		t.Errorf("it remembers %v", s.taken)
	}
}
