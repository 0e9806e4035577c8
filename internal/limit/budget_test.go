package limit

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"parley"
)

func TestABudgetIsForAllTogether(t *testing.T) {
	b := NewBudget(100, 10)
	hold := func(bytesRead int) (*Counted, error) {
		c := b.Count(io.NopCloser(bytes.NewReader(make([]byte, bytesRead))))
		_, err := io.Copy(io.Discard, c)
		return c, err
	}
	first, err := hold(60) // of which 50 count
	if err != nil {
		t.Fatal(err)
	}
	second, err := hold(61)
	if !errors.Is(err, parley.ErrOverloaded) {
		t.Errorf("over the budget: %v", err)
	}
	second.Release()
	for range 20 {
		if _, err := hold(10); err != nil {
			t.Errorf("a few bytes: %v", err)
		}
	}
	if _, err := hold(60); err != nil {
		t.Errorf("what was given back: %v", err)
	}
	first.Release()
	first.Release()
	if left := b.left.Load(); left != 50 {
		t.Errorf("%d bytes are left", left)
	}
}

func TestNoBudgetIsNoBound(t *testing.T) {
	var b *Budget
	c := b.Count(io.NopCloser(bytes.NewReader(make([]byte, 1000))))
	defer c.Release()
	if n, err := io.Copy(io.Discard, c); n != 1000 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
