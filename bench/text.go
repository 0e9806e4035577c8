package main

import (
	"math/rand/v2"
	"strings"
)

// messageSize is the size of a seeded message in bytes.
const messageSize = 1000

// vocabulary generates texts with a few frequent words and many rare ones. The texts are the same in every run.
type vocabulary struct {
	random  *rand.Rand
	words   []string
	symbols []string // Chinese characters
	made    int
}

func newVocabulary() *vocabulary {
	const words, symbols = 8_000, 3_000
	v := &vocabulary{random: rand.New(rand.NewPCG(1, 2))} //nolint:gosec // texts, not secrets
	syllables := strings.Fields("an ber co dal er fi gra ho in ka lo mer ni or pel qua ro sta ti ul ver wa xi yo zen the")
	for range words {
		word := ""
		for range 1 + v.random.IntN(4) {
			word += syllables[v.random.IntN(len(syllables))]
		}
		v.words = append(v.words, word)
	}
	for range symbols {
		v.symbols = append(v.symbols, string(rune(0x4E00+v.random.IntN(0x5000))))
	}
	return v
}

// text returns the next text of a message. Every fourth is Chinese.
func (v *vocabulary) text() string {
	v.made++
	return v.paragraph(v.made%4 == 0)
}

func (v *vocabulary) paragraph(chinese bool) string {
	words, space := v.words, " "
	if chinese {
		words, space = v.symbols, ""
	}
	var b strings.Builder
	for b.Len() < messageSize-len("syllables") {
		f := v.random.Float64()
		b.WriteString(words[int(f*f*f*float64(len(words)))] + space)
	}
	return strings.TrimSpace(b.String())
}

// keywords returns words of the texts, neither frequent nor rare.
func (v *vocabulary) keywords(chinese bool) []string {
	if !chinese {
		return v.words[len(v.words)/4:][:50]
	}
	var pairs []string
	for i := range 50 {
		pairs = append(pairs, v.symbols[100+i]+v.symbols[101+i])
	}
	return pairs
}

// document returns a text in paragraphs of about size bytes.
func (v *vocabulary) document(size int, chinese bool) []byte {
	var text []byte
	for len(text) < size-messageSize {
		text = append(text, v.paragraph(chinese)+".\n\n"...)
	}
	return text
}
