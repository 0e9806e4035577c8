package limit

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"parley"
)

func TestABudgetIsForAllTogether(t *testing.T) {
	b := NewByteBudget(100, 10)
	hold := func(size int) (*Reader, error) {
		r := b.Reader(bytes.NewReader(make([]byte, size)))
		_, err := io.Copy(io.Discard, r)
		return r, err
	}
	first, err := hold(60) // of which 50 count
	if err != nil {
		t.Fatal(err)
	}
	second, err := hold(61)
	if !errors.Is(err, parley.ErrOverloaded) {
		t.Errorf("over the budget: %v", err)
	}
	if left := b.Left(); left != 50 {
		t.Errorf("%d bytes are left after a refusal", left)
	}
	if _, err := second.Read(make([]byte, 1)); !errors.Is(err, parley.ErrOverloaded) {
		t.Errorf("after the refusal: %v", err)
	}
	second.Release()
	for range 20 {
		if _, err := hold(10); err != nil {
			t.Errorf("a few bytes: %v", err)
		}
	}
	if _, err := hold(60); err != nil {
		t.Errorf("what was released: %v", err)
	}
	first.Release()
	first.Release()
	if left := b.Left(); left != 50 {
		t.Errorf("%d bytes are left", left)
	}
}

// TestFewBytesAreNeverRefused has a budget that others have exhausted.
func TestFewBytesAreNeverRefused(t *testing.T) {
	b := NewByteBudget(100, 10)
	b.left.Store(-1)
	for _, size := range []int{1, 9, 10} {
		r := b.Reader(bytes.NewReader(make([]byte, size)))
		if n, err := io.Copy(io.Discard, r); n != int64(size) || err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestWithoutABudgetNothingIsLimited(t *testing.T) {
	var b *ByteBudget
	r := b.Reader(bytes.NewReader(make([]byte, 1000)))
	defer r.Release()
	if n, err := io.Copy(io.Discard, r); n != 1000 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
