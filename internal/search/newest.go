package search

import (
	"cmp"
	"slices"

	"parley/internal/search/grams"
)

// newest keeps the newest of the texts that are added, up to a limit.
type newest struct {
	limit  int
	texts  []grams.Entry
	full   bool
	oldest int64 // if it is full, the time of the oldest text that may still count
}

func (n *newest) add(text grams.Entry) {
	if n.limit == 0 || n.full && text.Time < n.oldest {
		return
	}
	n.texts = append(n.texts, text)
	const spare = 64
	if len(n.texts) >= 2*n.limit+spare {
		n.cut()
	}
}

// cut sorts the texts, newest first, and drops those beyond the limit.
func (n *newest) cut() {
	slices.SortFunc(n.texts, newestFirst)
	if len(n.texts) >= n.limit && n.limit > 0 {
		n.texts = n.texts[:n.limit]
		n.full, n.oldest = true, n.texts[n.limit-1].Time
	}
}

// newestFirst orders texts of one time by their names. Without a fixed order, pages could repeat or miss some.
func newestFirst(a, b grams.Entry) int {
	if a.Time != b.Time {
		return cmp.Compare(b.Time, a.Time)
	}
	return cmp.Or(cmp.Compare(b.Session, a.Session), cmp.Compare(b.Number, a.Number))
}
