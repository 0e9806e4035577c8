package ai

import (
	"unicode"
	"unicode/utf8"
)

// messageTokens is the cost of a message besides its text: its role and its delimiters.
const messageTokens = 4

// Tokens estimates how many tokens text has.
//
// The weights were fitted to o200k_base. On English prose, Markdown, Go, Python and JavaScript sources of
// 500 to 20,000 characters the estimate is within 10 % of o200k_base's counts, and of cl100k_base's, which
// are nearly the same there. On modern Chinese it is within 15 % (0.65 to 0.77 tokens a character; the older
// cl100k_base needs 1.0 to 1.4). It is a quarter too high on minified code and legal text in capitals, and a
// quarter too low on classical Chinese.
func Tokens(text string) int {
	var (
		hundredths int
		run        int
		last       class
	)
	for at := 0; at < len(text); {
		n, c := 1, asciiClass[text[at]]
		if c != none {
			n = sameClass(text[at:], c)
			at += n
		} else {
			r, size := utf8.DecodeRuneInString(text[at:])
			c = classOf(r)
			at += size
		}
		if c != last && (c != lower || last != upper) {
			run = 0
		}
		hundredths += c.cost(run, run+n, last)
		run, last = run+n, c
	}
	return (hundredths + 99) / 100
}

// sameClass returns how many ASCII characters of class c text begins with. The first has to be of that class.
func sameClass(text string, c class) int {
	n := 1
	for n < len(text) && asciiClass[text[n]] == c {
		n++
	}
	return n
}

// Tokens estimates how many tokens of a model's context the message takes.
func (m Message) Tokens() int { return Tokens(m.Content) + messageTokens + len(m.Images)*ImageTokens }

// Tokens estimates how many tokens of a model's context the rendered prompt takes.
func (p *Prompt) Tokens() int {
	total := 0
	for _, m := range p.Messages() {
		total += m.Tokens()
	}
	return total
}

// class is a kind of character that tokenizers treat alike.
type class uint8

const (
	none class = iota
	lower
	upper
	digit
	space
	newline
	mark   // ASCII punctuation
	han    // and full-width punctuation
	kana   // and Hangul
	letter // of any other alphabet
	symbol // anything else
)

// asciiClass holds the class of each ASCII character. Bytes of other characters have class none.
var asciiClass = func() (classes [256]class) {
	for r := range rune(utf8.RuneSelf) {
		classes[r] = classOf(r)
	}
	return classes
}()

func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r == ' ' || r == '\t':
		return space
	case r == '\n' || r == '\r':
		return newline
	case r < 0x80:
		return mark
	case 0x4E00 <= r && r < 0xA000, unicode.Is(unicode.Han, r),
		0x3000 <= r && r < 0x3040, 0xFF00 <= r && r < 0xFF66:
		return han
	case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return kana
	case unicode.Is(unicode.Latin, r):
		return lower
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letter
	}
	return symbol
}

// cost returns the cost of a run of characters that grows from length from to length to, in hundredths of a
// token. last is the class of the character before. A word costs a fixed amount and more if it is long,
// indentation costs by the run, Chinese by the character.
func (c class) cost(from, to int, last class) int {
	switch c {
	case lower:
		return wordCost(from, to)
	case upper:
		return wordCost(from, to) + 15*(to-max(from, 1)) // all but the first
	case digit, mark:
		return 100 * (threes(to) - threes(from))
	case space:
		if from < 2 && to >= 2 {
			return 90
		}
		return 0
	case newline:
		if from == 0 && last != mark {
			return 80
		}
		return 0
	case han:
		return 74 * (to - from)
	case kana:
		return 72 * (to - from)
	case letter:
		if from == 0 {
			return 68 + 18*(to-1)
		}
		return 18 * (to - from)
	}
	return 120 * (to - from)
}

func wordCost(from, to int) int {
	const short = 6
	cost := 12 * (max(to, short) - max(from, short))
	if from == 0 {
		cost += 95
	}
	return cost
}

// threes returns the number of groups of at most three in n characters.
func threes(n int) int { return (n + 2) / 3 }
