package limit

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"parley"
)

// readAll reads a number of bytes for a key.
func readAll(s *ByteShares[string], key string, size int) (*Reader[string], error) {
	r := s.Reader(bytes.NewReader(make([]byte, size)), func() (string, int64) { return key, 0 })
	_, err := io.Copy(io.Discard, r)
	return r, err
}

func TestBytesAreHeldUntilTheyAreReleased(t *testing.T) {
	s := NewByteShares[string](100, 10)
	first, err := readAll(s, "ada", 60) // 50 of them count
	if err != nil {
		t.Fatal(err)
	}
	second, err := readAll(s, "bob", 61)
	if !errors.Is(err, parley.ErrOverloaded) {
		t.Errorf("more than is left: %v", err)
	}
	if used := s.Used(); used != 50 {
		t.Errorf("%d bytes are held after a refusal", used)
	}
	if _, err := second.Read(make([]byte, 1)); !errors.Is(err, parley.ErrOverloaded) {
		t.Errorf("after the refusal: %v", err)
	}
	second.Release()
	first.Release()
	first.Release()
	if used := s.Used(); used != 0 {
		t.Errorf("%d bytes are held after all", used)
	}
}

func TestAReaderOfAGreedyKeyLeavesRoomForOthers(t *testing.T) {
	s := NewByteShares[string](900, 0)
	var refused error
	for n := 0; refused == nil; n++ {
		if _, refused = readAll(s, "greedy", 10); n > 90 {
			t.Fatal("one key took everything")
		}
	}
	if _, err := readAll(s, "ada", 400); err != nil {
		t.Errorf("another key: %v", err)
	}
}

// TestWhatIsExpectedIsHeldBeforeItComes has a body before its first byte arrives.
func TestWhatIsExpectedIsHeldBeforeItComes(t *testing.T) {
	s := NewByteShares[string](1000, 10)
	other := s.Hold("bob")
	other.Force(20)
	r := s.Reader(strings.NewReader("begun"), func() (string, int64) { return "ada", 310 })
	if _, err := r.Read(make([]byte, 5)); err != nil || s.Used() != 310 {
		t.Errorf("%d bytes are held, %v", s.Used(), err)
	}
	second := s.Reader(strings.NewReader("more"), func() (string, int64) { return "ada", 110 })
	if _, err := second.Read(make([]byte, 4)); !errors.Is(err, parley.ErrOverloaded) || s.Used() != 310 {
		t.Errorf("more than fits: %v, %d bytes are held", err, s.Used())
	}
	r.Release()
	other.Release()
	if s.Used() != 0 {
		t.Errorf("%d bytes are held after all", s.Used())
	}
}

// TestFewBytesAreNeverRefused has others hold everything.
func TestFewBytesAreNeverRefused(t *testing.T) {
	s := NewByteShares[string](100, 10)
	s.Hold("greedy").Force(1000)
	for _, size := range []int{1, 9, 10} {
		if _, err := readAll(s, "ada", size); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestWithoutSharesNothingIsLimited(t *testing.T) {
	r, err := readAll(nil, "ada", 1000)
	if err != nil {
		t.Error(err)
	}
	r.Release()
}
