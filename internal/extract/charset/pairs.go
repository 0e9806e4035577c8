package charset

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// pairs counts the pairs of neighbors in a text, each a byte or a character, that are not both in ASCII.
type pairs map[[2]rune]int

func pairsOf(text []rune) pairs {
	p := make(pairs)
	before := ' '
	for _, r := range text {
		if isBeyondASCII(r) || isBeyondASCII(before) {
			p[[2]rune{before, r}]++
		}
		before = r
	}
	return p
}

func bytesOf(sample []byte) []rune {
	all := make([]rune, len(sample))
	for i, b := range sample {
		all[i] = rune(b)
	}
	return all
}

// tableOf returns the characters of all bytes in an encoding with one byte per character.
func tableOf(charset encoding.Encoding) []rune {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	decoded, err := charset.NewDecoder().Bytes(all)
	if err != nil {
		return nil
	}
	return []rune(string(decoded))
}

// score returns how likely a text is in a language. The table maps its bytes to characters; if it is
// nil, they are characters.
func (p pairs) score(letters map[rune]float64, latin bool, table []rune) float64 {
	total := 0.0
	for pair, n := range p {
		before, r := pair[0], pair[1]
		if table != nil {
			before, r = table[before], table[r]
		}
		one := transition(latin, before, r)
		if isBeyondASCII(r) {
			one += ownProbability(letters, r)
		}
		total += one * float64(n)
	}
	return total
}

func ownProbability(p map[rune]float64, r rune) float64 {
	if known, ok := p[unicode.ToLower(r)]; ok {
		return known
	}
	if known, ok := p[r]; ok {
		return known
	}
	switch {
	case isMark(r):
		return mark
	case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Co, r):
		return impossible
	case unicode.IsLetter(r):
		return strange
	}
	return symbol
}

// transition returns how likely a character is after another, in an alphabet.
func transition(latin bool, before, r rune) float64 {
	total := 0.0
	beyond, beforeBeyond := isBeyondASCII(r), isBeyondASCII(before)
	if !beyond && !beforeBeyond {
		return 0
	}
	letter, beforeLetter := unicode.IsLetter(r), unicode.IsLetter(before)
	switch {
	case letter && beforeLetter && latin && beyond && beforeBeyond:
		total += afterBeyond
	case letter && beforeLetter && !latin && beyond != beforeBeyond:
		total += mixed
	case letter && !beforeLetter && beforeBeyond && !isMark(before) && !unicode.Is(unicode.M, before):
		total += inWord
	case !letter && beyond && beforeLetter && !isMark(r) && !unicode.Is(unicode.M, r):
		total += inWord
	}
	if unicode.IsUpper(r) {
		switch {
		case unicode.IsLower(before):
			total += camel
		case !unicode.IsUpper(before):
			total += capital
		}
	}
	return total
}
