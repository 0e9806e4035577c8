// Package rank finds the parts of a text that match a question best, by BM25.
package rank

import "slices"

// Hit is a part that matches a question.
type Hit struct {
	// Index is the position of the index in the arguments of Search, and Part that of the
	// part in the index. For Best, Part is the position of the text.
	Index int
	Part  int
	// Span is the part's place in its document.
	Span Span
	// Score orders the hits of one search.
	Score float64
	// Share is the share of the question in the part; see Query.Share.
	Share float64
}

// Span is a piece of a text, by its byte offsets.
type Span struct {
	Start, End int
}

// Of returns the piece of text, or "" if the span is not valid for it.
func (s Span) Of(text string) string {
	if s.Start < 0 || s.Start > s.End || s.End > len(text) {
		return ""
	}
	return text[s.Start:s.End]
}

// Best returns the n texts that match the question best, best first. It is for a few
// hundred short texts; use an Index for more.
func Best(q Query, n int, texts []string) []Hit {
	b := newBuilder(len(texts))
	for _, text := range texts {
		b.add(text, Span{0, len(text)})
	}
	return Search(q, n, b.index())
}

// Search returns the n parts of the indexes that match the question best, best first. It
// leaves out an index that it can't read.
func Search(q Query, n int, indexes ...*Index) []Hit {
	s := NewSearcher(q, n)
	matches := make([]Matches, len(indexes))
	for i, x := range indexes {
		matches[i], _ = s.Count(x) // without matches Rank does nothing
	}
	for i, x := range indexes {
		_ = s.Rank(i, x, matches[i]) // its hits are left out
	}
	return s.Hits()
}

// Insert adds a hit to the n best ones, in order. Of equal hits the earlier comes first.
func Insert(hits []Hit, n int, hit Hit) []Hit {
	at, _ := slices.BinarySearchFunc(hits, hit, func(a, b Hit) int {
		if a.Score >= b.Score {
			return -1
		}
		return 1
	})
	if at >= n {
		return hits
	}
	hits = slices.Insert(hits, at, hit)
	return hits[:min(n, len(hits))]
}
