package rank

import (
	"math"
	"slices"
)

// The usual constants of BM25, k1 and b.
const (
	saturation   = 1.2
	lengthWeight = 0.75
)

// Searcher finds the parts of many indexes that match a question best. It needs one index
// at a time, and memory for the table of its parts: Count each of them, then Rank each. A term's weight is computed
// from all indexes together, which makes their scores comparable.
type Searcher struct {
	query   Query
	n       int
	parts   int
	length  float64
	matches []int // parts that contain a term, by its position in the query
	hits    []Hit

	// Memory for Rank.
	table, list []byte
	scores      []float64
	places      []uint64 // of the question that a part contains
}

// NewSearcher returns a Searcher of the n best parts.
func NewSearcher(q Query, n int) *Searcher {
	return &Searcher{query: q, n: n, matches: make([]int, len(q.terms))}
}

// Matches are the places of a question's terms in one index.
type Matches []match

type match struct {
	term int // its position in the query
	place
}

// Count looks up the terms of the question in an index. If it fails the index does not count.
func (s *Searcher) Count(x *Index) (Matches, error) {
	var all Matches
	for i, t := range s.query.terms {
		found, err := x.find(t.term)
		if err != nil {
			return nil, err
		}
		if found.parts > 0 {
			all = append(all, match{i, found})
		}
	}
	for _, m := range all {
		s.matches[m.term] += m.parts
	}
	s.parts += int(x.parts)
	s.length += float64(x.length)
	return all, nil
}

// Rank scores the parts of an index with what Count has found in it, after all indexes were
// counted. The number i becomes Hit.Index. If Rank fails the index has no hits.
func (s *Searcher) Rank(i int, x *Index, matches Matches) error {
	if len(matches) == 0 {
		return nil
	}
	parts, err := x.readTable(s.table)
	if err != nil {
		return err
	}
	s.table = parts
	s.scores = slices.Grow(s.scores[:0], x.Len())[:x.Len()]
	s.places = slices.Grow(s.places[:0], x.Len())[:x.Len()]
	clear(s.scores)
	clear(s.places)
	for _, m := range matches {
		found, err := x.readList(m.place, s.list)
		if err != nil {
			return err
		}
		s.list = found.data
		s.score(parts, found, m.term)
	}
	for part, score := range s.scores {
		if score > 0 {
			share := s.query.share(s.places[part])
			s.hits = Insert(s.hits, s.n, Hit{Index: i, Part: part, Span: parts.span(part), Score: score, Share: share})
		}
	}
	return nil
}

// score adds to the scores of the parts that contain a term.
func (s *Searcher) score(parts table, found list, term int) {
	average := max(1, s.length/float64(max(1, s.parts)))
	weight := s.weight(term) * s.query.terms[term].weight
	for part, count := range found.all() {
		if part >= len(s.scores) {
			return
		}
		n := float64(count)
		length := 1 - lengthWeight + lengthWeight*float64(parts.length(part))/average
		s.scores[part] += weight * n * (saturation + 1) / (n + saturation*length)
		s.places[part] |= s.query.terms[term].places
	}
}

// weight returns the weight of a term, which is higher the fewer parts contain it.
func (s *Searcher) weight(term int) float64 {
	matches := float64(s.matches[term])
	return math.Log(1 + (float64(s.parts)-matches+0.5)/(matches+0.5))
}

// Hits returns the best parts, best first. Equal ones keep the order in which they were ranked.
func (s *Searcher) Hits() []Hit { return s.hits }
