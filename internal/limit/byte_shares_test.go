package limit

import (
	"sync"
	"testing"
)

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
	other := s.Hold(2)
	other.Force(20)
	h := s.Hold(1)
	for _, step := range []struct {
		bytes, used int64
		ok          bool
	}{
		{10, 10, true}, {110, 110, true}, {600, 110, false}, {60, 60, true}, {120, 120, true}, {5, 10, true},
	} {
		if ok := h.Resize(step.bytes); ok != step.ok || s.Used() != step.used {
			t.Errorf("%d bytes: %v with %d in use, want %v with %d", step.bytes, ok, s.Used(), step.ok, step.used)
		}
	}
	h.Force(5010)
	if s.Used() != 5010 {
		t.Errorf("%d bytes are in use", s.Used())
	}
	other.Release()
	if other := s.Hold(2); other.Resize(11) || !other.Resize(10) {
		t.Error("with nothing left, only what is not counted may be held")
	}
	h.Release()
	h.Release()
	if s.Used() != 0 || len(s.held) != 0 {
		t.Errorf("%d bytes are in use, %d keys are kept", s.Used(), len(s.held))
	}
}

// TestAHoldMayGrowAsFarAsItMayBegin takes bytes at once and in steps.
func TestAHoldMayGrowAsFarAsItMayBegin(t *testing.T) {
	for name, held := range map[string]map[int]int64{
		"nobody holds anything": {}, "another key": {2: 400}, "the key": {1: 40}, "both": {1: 40, 2: 400},
	} {
		begin := func() *Hold[int] {
			s := NewByteShares[int](1000, 0)
			for key, bytes := range held {
				s.Hold(key).Force(bytes)
			}
			return s.Hold(1)
		}
		growing := begin()
		grown := int64(0)
		for grown < 2000 && growing.Resize(grown+1) {
			grown++
		}
		if !begin().Resize(grown) {
			t.Errorf("%s: %d bytes in steps are refused at once", name, grown)
		}
		if grown < 2000 && begin().Resize(grown+1) {
			t.Errorf("%s: %d bytes are all in steps, but not at once", name, grown)
		}
	}
}

// TestManyKeysLeaveSomething has more keys than could take half of everything.
func TestManyKeysLeaveSomething(t *testing.T) {
	s := NewByteShares[int](64<<20, 0)
	for key := range 4 {
		for h := s.Hold(key); h.Resize(h.bytes+64<<10) && h.bytes < 16<<20; {
		}
	}
	if !s.Hold(-1).Resize(2<<20) || s.Used() > 64<<20 {
		t.Errorf("%d bytes are in use", s.Used())
	}
}

// TestAReleasedHoldStaysEmpty has many users of a hold go on after one of them has released it.
func TestAReleasedHoldStaysEmpty(t *testing.T) {
	s := NewByteShares[int](1<<20, 0)
	h := s.Hold(1)
	var running sync.WaitGroup
	for n := range 8 {
		running.Go(func() {
			for size := range int64(100) {
				h.Resize(size)
			}
			if n == 0 {
				h.Release()
			}
		})
	}
	running.Wait()
	h.Force(100)
	if h.Resize(100) || h.Resize(0) {
		t.Error("a hold was resized after its release")
	}
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
