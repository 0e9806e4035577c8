package limit

import "testing"

func TestByteSharesLeaveSomethingForEverybody(t *testing.T) {
	s := NewByteShares[string](900, 0)
	greedy := 0
	for s.Hold("greedy").Resize(10) {
		if greedy++; greedy > 90 {
			t.Fatal("one key took everything")
		}
	}
	if greedy != 10 || s.Used() != 100 { // an eighth of the 800 that are left
		t.Errorf("one key got %d holds, %d bytes", greedy, s.Used())
	}
	for _, key := range []string{"a", "b", "c", "d"} {
		for range 5 {
			if !s.Hold(key).Resize(10) {
				t.Errorf("%s is refused with %d of 900 bytes in use", key, s.Used())
			}
		}
	}
	if s.Used() > 900 {
		t.Errorf("%d bytes are in use", s.Used())
	}
}

func TestAHoldGrowsShrinksAndIsReleased(t *testing.T) {
	s := NewByteShares[int](1000, 10)
	h := s.Hold(1)
	for _, step := range []struct {
		bytes, used int64
		ok          bool
	}{
		{10, 0, true}, {110, 100, true}, {500, 100, false}, {60, 50, true}, {120, 110, true}, {5, 0, true},
	} {
		if ok := h.Resize(step.bytes); ok != step.ok || s.Used() != step.used {
			t.Errorf("%d bytes: %v with %d in use, want %v with %d", step.bytes, ok, s.Used(), step.ok, step.used)
		}
	}
	h.Force(5010)
	if s.Used() != 5000 {
		t.Errorf("%d bytes are in use", s.Used())
	}
	if other := s.Hold(2); other.Resize(11) || !other.Resize(10) {
		t.Error("with nothing left, only what is not counted may be held")
	}
	h.Release()
	h.Release()
	if s.Used() != 0 || len(s.held) != 0 {
		t.Errorf("%d bytes are in use, %d keys are kept", s.Used(), len(s.held))
	}
}

func TestOneLargeHoldIsAllowedIfThereIsNoOther(t *testing.T) {
	s := NewByteShares[int](100, 0)
	h := s.Hold(1)
	if !h.Resize(500) {
		t.Error("what is larger than everything can never be held")
	}
	if s.Hold(2).Resize(1) {
		t.Error("more is held than there is")
	}
	var none *ByteShares[int]
	if !none.Hold(1).Resize(1 << 40) {
		t.Error("nil limits")
	}
	var noHold *Hold[int]
	noHold.Release()
}
