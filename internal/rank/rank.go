// Package rank finds the parts of a text that fit a question best. It keeps no state.
package rank

import (
	"math"
	"slices"
)

// Hit is a part that has something of the question.
type Hit struct {
	// Index and Part say which it is: the part's number, from 0, in the index of that
	// number. Best has no indexes: there, Part is the number of the text.
	Index int
	Part  int
	// Span is where the part stands in its document.
	Span Span
	// Score orders the hits of one search; its size means nothing by itself.
	Score float64
	// Share is how much of the question the part has, from 0 to 1; see Query.Share.
	Share float64
}

// Span is a piece of a text, from one byte offset up to another.
type Span struct {
	Start, End int
}

// Of is the piece itself; empty where text is too short to be the one it was made for.
func (s Span) Of(text string) string {
	if s.Start < 0 || s.Start > s.End || s.End > len(text) {
		return ""
	}
	return text[s.Start:s.End]
}

// Best orders texts by how well they fit the question: at most n that have something
// of it, best first. It is for a few hundred short texts; an Index is for more.
func Best(q Query, n int, texts []string) []Hit {
	b := newBuilder(len(texts))
	for _, text := range texts {
		b.add(text, Span{0, len(text)})
	}
	return Search(q, n, b.index())
}

// The usual constants of BM25: how soon a repeated term stops counting, and how much
// a long part has to make up for its length.
const (
	saturation = 1.2
	lengthPull = 0.75
)

// Search gives at most n parts of the indexes that have something of the question,
// best first; a term's weight comes from all of them together, so that hits of
// several documents compare.
func Search(q Query, n int, indexes ...*Index) []Hit {
	tallies := make([]tally, len(indexes))
	parts, length := 0, 0.0
	for i, x := range indexes {
		tallies[i] = tally{scores: make([]float64, x.parts), found: make([]uint64, x.parts)}
		parts += x.parts
		length += float64(x.length)
	}
	average := max(1, length/float64(max(1, parts)))
	for _, t := range q.terms {
		weight := t.weight(indexes, parts)
		for i, x := range indexes {
			tallies[i].add(x, t, weight, average)
		}
	}
	var hits []Hit
	for i, x := range indexes {
		for part, score := range tallies[i].scores {
			if score > 0 {
				hit := Hit{Index: i, Part: part, Span: x.span(part), Score: score, Share: q.share(tallies[i].found[part])}
				hits = insert(hits, n, hit)
			}
		}
	}
	return hits
}

// insert keeps the n best hits in order; of equal ones the earlier comes first.
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

// weight is higher the fewer of all parts have the term.
func (t queryTerm) weight(indexes []*Index, parts int) float64 {
	having := 0
	for _, x := range indexes {
		having += x.find(t.term).count
	}
	return math.Log(1 + (float64(parts-having)+0.5)/(float64(having)+0.5))
}

// tally collects what the parts of one index score.
type tally struct {
	scores []float64
	found  []uint64 // the places of the question that each part has
}

func (y *tally) add(x *Index, t queryTerm, weight, average float64) {
	for part, times := range x.find(t.term).all() {
		if part >= x.parts {
			return
		}
		n := float64(times)
		pull := 1 - lengthPull + lengthPull*float64(x.partLength(part))/average
		y.scores[part] += weight * n * (saturation + 1) / (n + saturation*pull)
		y.found[part] |= t.places
	}
}
