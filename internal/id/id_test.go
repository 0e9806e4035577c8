package id_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/id"
)

func TestLaterIdentifiersSortLater(t *testing.T) {
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = id.New()
	}
	if !slices.IsSorted(ids) || len(slices.Compact(ids)) != 1000 {
		t.Error("identifiers are not unique and in order")
	}
}

func TestIdentifiersOfATimeSortByIt(t *testing.T) {
	begun := time.UnixMicro(1_767_225_600_000_000)
	var ids []string
	for micros := range 3000 {
		at := begun.Add(time.Duration(micros) * time.Microsecond)
		ids = append(ids, id.Lowest(at), id.At(at))
	}
	if !slices.IsSorted(ids) || len(slices.Compact(ids)) != 6000 {
		t.Error("identifiers are not in the order of their times")
	}
	made := id.At(begun)
	if !id.Valid(made) || made == id.At(begun) || made[14] != '7' || !strings.Contains("89ab", made[19:20]) {
		t.Errorf("%s is not a new version 7 UUID", made)
	}
	for _, order := range [][2]time.Time{
		{time.Unix(-1, 0), begun}, {time.Time{}, begun}, {begun, time.Unix(1<<40, 0)}, {begun, time.Unix(1<<60, 0)},
	} {
		if earlier, later := id.Lowest(order[0]), id.Lowest(order[1]); earlier >= later {
			t.Errorf("%s of %v is not before %s of %v", earlier, order[0], later, order[1])
		}
	}
	now := time.Now()
	if made := id.New(); made < id.Lowest(now.Add(-time.Second)) || made > id.Lowest(now.Add(time.Minute)) {
		t.Errorf("New made %s at %v", made, now)
	}
}

func TestOnlyWhatNewMakesIsValid(t *testing.T) {
	good := id.New()
	if !id.Valid(good) {
		t.Errorf("%s is not valid", good)
	}
	for _, bad := range []string{
		"", "1", good + "0", good[:35], strings.ToUpper("019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"),
		strings.ReplaceAll(good, "-", "0"), "{" + good[1:], " " + good[1:], good[:35] + "\x00",
		"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8fé", "../../../../../../../../../etc/passwd", strings.Repeat("-", 36),
	} {
		if id.Valid(bad) {
			t.Errorf("%q is valid", bad)
		}
	}
}

func FuzzValid(f *testing.F) {
	f.Add("019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10")
	f.Add("019A5E0E-7A30-7C4E-9D55-3F6F2F8C8F10")
	f.Fuzz(func(t *testing.T, s string) {
		if !id.Valid(s) {
			return
		}
		if len(s) != 36 || strings.Trim(s, "0123456789abcdef-") != "" || strings.Count(s, "-") != 4 {
			t.Errorf("%q is valid", s)
		}
	})
}
