package parley_test

import (
	"math"
	"testing"

	"parley"
)

func TestAPageSkipsThePagesBeforeIt(t *testing.T) {
	for _, c := range []struct {
		page parley.Page
		skip int64
		ok   bool
	}{
		{parley.Page{Number: 1, Size: 1}, 0, true},
		{parley.Page{Number: 1, Size: 50}, 0, true},
		{parley.Page{Number: 3, Size: 50}, 100, true},
		{parley.Page{Number: 1, Size: math.MaxInt64}, 0, true},
		{parley.Page{Number: 1 << 62, Size: 1}, 1<<62 - 1, true},
		{parley.Page{Number: 1_000_000_000_000_000_000, Size: 200}, 0, false},
		{parley.Page{Number: math.MaxInt64, Size: 1}, 0, false},
		{parley.Page{Number: math.MaxInt64, Size: math.MaxInt64}, 0, false},
	} {
		skip, ok := c.page.Skip()
		if skip != c.skip || ok != c.ok {
			t.Errorf("%+v skips %d, %v; want %d, %v", c.page, skip, ok, c.skip, c.ok)
		}
	}
}

func TestThereIsMoreExactlyWhileEntriesFollow(t *testing.T) {
	for _, c := range []struct {
		page  parley.Page
		total int64
		more  bool
	}{
		{parley.Page{Number: 1, Size: 10}, 0, false},
		{parley.Page{Number: 1, Size: 10}, 10, false},
		{parley.Page{Number: 1, Size: 10}, 11, true},
		{parley.Page{Number: 2, Size: 10}, 11, false},
		{parley.Page{Number: 2, Size: 10}, 21, true},
		{parley.Page{Number: 9, Size: 10}, 11, false},
		{parley.Page{Number: math.MaxInt64, Size: 10}, 11, false},
	} {
		if c.page.More(c.total) != c.more {
			t.Errorf("%+v of %d: more is %v", c.page, c.total, !c.more)
		}
	}
}

func TestALargePageIsCutToTheLargest(t *testing.T) {
	if page := (parley.Page{Number: 2, Size: 1000}).Clamp(); page.Size != parley.MaxPageSize || page.Number != 2 {
		t.Errorf("clamped to %+v", page)
	}
	if page := (parley.Page{Number: 2, Size: 7}).Clamp(); page.Size != 7 {
		t.Errorf("clamped to %+v", page)
	}
}
