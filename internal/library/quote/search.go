package quote

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
)

const (
	// window is how much of a text is looked at together, in bytes, and overlap how much of it
	// again with what follows: more than a quote and its gaps have.
	window  = 256 << 10
	overlap = 32 << 10
	// maxPieces is how many pieces of all quotes are looked for. The others count as found.
	maxPieces = 64
	// maxWords is how many different short words of the texts are kept.
	maxWords = 4096
)

// Search looks for several quotes in several texts.
type Search struct {
	quotes  []wanted
	letters letters
	// What the languages of the texts are told by.
	words map[string]bool // of up to shortWord letters
	han   int
}

// wanted is a quote to look for.
type wanted struct {
	Quote
	pieces []string // that have not been found
}

// NewSearch returns a Search for quotes.
func NewSearch(quotes []Quote) *Search {
	s := &Search{words: make(map[string]bool), letters: letters{effort: maxEffort}}
	room := maxPieces
	for _, q := range quotes {
		q.Text = strings.ToValidUTF8(q.Text[:min(len(q.Text), maxQuote)], "")
		parts := pieces(q.Text)
		parts = parts[:min(len(parts), room)]
		room -= len(parts)
		s.quotes = append(s.quotes, wanted{q, parts})
	}
	return s
}

// Texts returns the texts of all quotes.
func (s *Search) Texts() []string {
	texts := make([]string, len(s.quotes))
	for i, q := range s.quotes {
		texts[i] = q.Text
	}
	return texts
}

// Done reports whether all quotes have been found.
func (s *Search) Done() bool {
	return !slices.ContainsFunc(s.quotes, func(q wanted) bool { return len(q.pieces) > 0 })
}

// Add looks for the quotes in a text, until ctx ends. If a text is longer than a window, use Read.
func (s *Search) Add(ctx context.Context, text string) error {
	if ctx.Err() == nil && !s.Done() {
		s.learn(text)
	}
	return s.AddMessage(ctx, text)
}

// AddMessage is Add for a message of the conversation. A reply may quote it, but its language is not that of the texts.
func (s *Search) AddMessage(ctx context.Context, text string) error {
	if err := ctx.Err(); err != nil || s.Done() {
		return err
	}
	s.letters.read(text)
	for i := range s.quotes {
		s.quotes[i].pieces = slices.DeleteFunc(s.quotes[i].pieces, func(piece string) bool {
			if ctx.Err() != nil {
				return false
			}
			_, _, found := s.letters.find([]byte(piece))
			return found
		})
	}
	return ctx.Err()
}

// Read looks for the quotes in a text of any length, until ctx ends. It returns how much it has read.
func (s *Search) Read(ctx context.Context, r io.Reader) (read int64, err error) {
	buffer := make([]byte, window)
	kept := 0
	for !s.Done() {
		n, err := io.ReadFull(r, buffer[kept:])
		read += int64(n)
		if err := s.Add(ctx, strings.ToValidUTF8(string(buffer[:kept+n]), "")); err != nil {
			return read, err
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return read, nil
		}
		if err != nil {
			return read, err
		}
		kept = copy(buffer, buffer[window-overlap:])
	}
	return read, nil
}

// Missing returns the quotes that were not found although the texts have their language. A translated quote is not
// missing.
func (s *Search) Missing() []parley.Quote {
	var all []parley.Quote
	for _, q := range s.quotes {
		if len(q.pieces) > 0 && s.knows(q.Text) {
			all = append(all, q.public())
		}
	}
	return all
}

// shortWord is the length of a short word. They tell a language: "the", "und", "les".
const shortWord = 4

// learn adds to what is known of the languages of the texts.
func (s *Search) learn(text string) {
	for word := range strings.FieldsFuncSeq(text, isNoLetter) {
		for _, r := range word {
			if isHan(r) {
				s.han++
			}
		}
		if len(s.words) < maxWords && isShort(word) {
			s.words[strings.ToLower(word)] = true
		}
	}
}

// minHanText is how many Han characters a text in Chinese has at least.
const minHanText = 20

// knows reports whether the texts have the language of a quote.
func (s *Search) knows(quote string) bool {
	han, all, short, known := 0, 0, 0, 0
	for word := range strings.FieldsFuncSeq(quote, isNoLetter) {
		for _, r := range word {
			all++
			if isHan(r) {
				han++
			}
		}
		if isShort(word) {
			short++
			if s.words[strings.ToLower(word)] {
				known++
			}
		}
	}
	if 3*han > all {
		return s.han >= minHanText
	}
	return 2*known > short
}

func isShort(word string) bool {
	return len(word) <= shortWord*utf8.UTFMax && utf8.RuneCountInString(word) <= shortWord &&
		!strings.ContainsFunc(word, isHan)
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

func isHan(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unicode.Han, r) }
