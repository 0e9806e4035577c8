package rank

import (
	"math/bits"
	"strings"
	"unicode"
)

const (
	// maxTerms limits the cost of a question.
	maxTerms = 256
	// maxPlaces is the number of places of a question that Share counts.
	maxPlaces = 64
	// wordPlaces is the number of places of a word; a Chinese character has one.
	wordPlaces = 2
)

// Query is the terms of a question without stop words such as "the" or "的".
type Query struct {
	terms  []queryTerm
	places int
}

type queryTerm struct {
	term   term
	places uint64 // one bit per place of the question that the term covers
	weight float64
}

// NewQuery returns the query of a question.
func NewQuery(question string) Query {
	b := queryBuilder{known: make(map[term]int), skipKana: hasIdeograms(question)}
	for run := range runs(question) {
		if run.dense {
			b.dense(run.text)
		} else {
			b.word(run.text)
		}
	}
	return b.query
}

// Empty reports whether the question has only stop words.
func (q Query) Empty() bool { return len(q.terms) == 0 }

// Words returns the number of words without stop words, at most 32. Two Chinese
// characters count as a word.
func (q Query) Words() float64 { return float64(q.places) / wordPlaces }

// Share returns the share of the question that occurs in a text, from 0 to 1. A word
// counts as much as two Chinese characters.
func (q Query) Share(text string) float64 {
	places := make(map[term]uint64, len(q.terms))
	for _, t := range q.terms {
		places[t.term] = t.places
	}
	var found uint64
	for t := range allTerms(text) {
		found |= places[t]
	}
	return q.share(found)
}

func (q Query) share(found uint64) float64 {
	if q.places == 0 {
		return 0
	}
	return float64(bits.OnesCount64(found)) / float64(q.places)
}

// Within reports whether other has all terms of q.
func (q Query) Within(other Query) bool {
	known := make(map[term]bool, len(other.terms))
	for _, t := range other.terms {
		known[t.term] = true
	}
	for _, t := range q.terms {
		if !known[t.term] {
			return false
		}
	}
	return true
}

type queryBuilder struct {
	query    Query
	known    map[term]int // indexes into query.terms
	skipKana bool         // hiragana only joins words
}

func (b *queryBuilder) word(word string) {
	normal := normalize(word)
	if stopWords[normal] {
		return
	}
	t := wordTerm(normal)
	if _, ok := b.known[t]; ok {
		return
	}
	places := b.take(wordPlaces)
	b.add(t, places)
	if stem, ok := stemTerm(normal); ok {
		b.add(stem, places)
	}
}

func (b *queryBuilder) dense(run string) {
	for _, phrase := range stopPhrases {
		run = strings.ReplaceAll(run, phrase, " ")
	}
	for piece := range strings.FieldsFuncSeq(run, b.isStop) {
		b.piece([]rune(piece))
	}
}

func (b *queryBuilder) isStop(r rune) bool {
	return r == ' ' || strings.ContainsRune(stopCharacters, r) || b.skipKana && unicode.Is(unicode.Hiragana, r)
}

func (b *queryBuilder) piece(piece []rune) {
	place := b.take(1)
	if len(piece) == 1 {
		b.add(denseTerm(piece[0], 0), place)
		return
	}
	for i := 1; i < len(piece); i++ {
		next := b.take(1)
		b.add(denseTerm(piece[i-1], piece[i]), place|next)
		place = next
	}
}

// take returns the next n places of the question, or 0 if there are none left.
func (b *queryBuilder) take(n int) uint64 {
	if b.query.places+n > maxPlaces {
		return 0
	}
	places := (uint64(1)<<n - 1) << b.query.places
	b.query.places += n
	return places
}

func (b *queryBuilder) add(t term, places uint64) {
	if i, ok := b.known[t]; ok {
		b.query.terms[i].places |= places
		return
	}
	if len(b.query.terms) == maxTerms {
		return
	}
	b.known[t] = len(b.query.terms)
	b.query.terms = append(b.query.terms, queryTerm{t, places, 1})
}

func hasIdeograms(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Katakana) })
}
