package main

import (
	"math/rand/v2"
	"strings"
)

// messageSize is the size of a stored message, in bytes.
const messageSize = 1000

// vocabulary makes texts in which, as in people's, few words are frequent and most are
// rare: every fourth text is Chinese. It makes the same texts in every run.
type vocabulary struct {
	random  *rand.Rand
	words   []string
	symbols []rune
	made    int
}

func newVocabulary() *vocabulary {
	const words, symbols = 8_000, 3_000
	v := &vocabulary{random: rand.New(rand.NewPCG(1, 2))} //nolint:gosec // texts, not secrets
	syllables := strings.Fields("an ber co dal er fi gra ho in ka lo mer ni or pel qua ro sta ti ul ver wa xi yo zen the ing ry")
	for range words {
		word := ""
		for range 1 + v.random.IntN(4) {
			word += syllables[v.random.IntN(len(syllables))]
		}
		v.words = append(v.words, word)
	}
	for range symbols {
		v.symbols = append(v.symbols, rune(0x4E00+v.random.IntN(0x5000)))
	}
	return v
}

// text is the next text.
func (v *vocabulary) text() string {
	v.made++
	var b strings.Builder
	for b.Len() < messageSize-len("syllables") {
		if v.made%4 == 0 {
			b.WriteRune(v.symbols[v.rank(len(v.symbols))])
			continue
		}
		b.WriteString(v.words[v.rank(len(v.words))])
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// rank picks one of n, the first ones far more often.
func (v *vocabulary) rank(n int) int {
	f := v.random.Float64()
	return int(f * f * f * float64(n))
}

// keywords are words of the texts, neither frequent nor rare.
func (v *vocabulary) keywords(chinese bool) []string {
	var some []string
	for i := range 50 {
		if chinese {
			some = append(some, string(v.symbols[100+i:102+i]))
		} else {
			some = append(some, v.words[len(v.words)/4+i])
		}
	}
	return some
}
