// Package rank finds the parts of a text that match a question best, by BM25.
package rank

import (
	"math"
	"slices"
)

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

// The usual constants of BM25, k1 and b.
const (
	saturation   = 1.2
	lengthWeight = 0.75
)

// Search returns the n parts of the indexes that match the question best, best first. A
// term's weight is computed from all indexes together, so that their scores compare.
func Search(q Query, n int, indexes ...*Index) []Hit {
	scores := make([]partScores, len(indexes))
	parts, length := 0, 0.0
	for i, x := range indexes {
		scores[i] = partScores{scores: make([]float64, x.parts), places: make([]uint64, x.parts)}
		parts += x.parts
		length += float64(x.length)
	}
	average := max(1, length/float64(max(1, parts)))
	for _, t := range q.terms {
		weight := t.weight(indexes, parts)
		for i, x := range indexes {
			scores[i].add(x, t, weight, average)
		}
	}
	var hits []Hit
	for i, x := range indexes {
		for part, score := range scores[i].scores {
			if score > 0 {
				share := q.share(scores[i].places[part])
				hits = insert(hits, n, Hit{Index: i, Part: part, Span: x.span(part), Score: score, Share: share})
			}
		}
	}
	return hits
}

// insert adds a hit to the n best ones, in order. Of equal hits the earlier comes first.
func insert(hits []Hit, n int, hit Hit) []Hit {
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

// weight returns the weight of a term, which is higher the fewer parts contain it.
func (t queryTerm) weight(indexes []*Index, parts int) float64 {
	matches := 0
	for _, x := range indexes {
		matches += x.find(t.term).parts
	}
	return math.Log(1 + (float64(parts-matches)+0.5)/(float64(matches)+0.5))
}

// partScores are the scores of an index's parts and the places of the question that each
// part contains.
type partScores struct {
	scores []float64
	places []uint64
}

func (s *partScores) add(x *Index, t queryTerm, weight, average float64) {
	for part, count := range x.find(t.term).all() {
		if part >= x.parts {
			return
		}
		n := float64(count)
		length := 1 - lengthWeight + lengthWeight*float64(x.partLength(part))/average
		s.scores[part] += weight * n * (saturation + 1) / (n + saturation*length)
		s.places[part] |= t.places
	}
}
