package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/casefold"
)

// Snippet returns the text around the first occurrence of a casefold.Key, on one line.
func Snippet(text, key string) string {
	snippet, _ := markedSnippet(text, key)
	return snippet
}

// markedSnippet is Snippet with the place of the occurrence. Both are empty if there is none.
func markedSnippet(text, key string) (string, parley.Match) {
	start, end, found := casefold.Find(text, key)
	if !found {
		return "", parley.Match{}
	}
	return snippetAt(text, start, end)
}

// snippetAt returns the text around a part of it, on one line, and the place of the part.
func snippetAt(text string, start, end int) (string, parley.Match) {
	const around = 60
	from, to := start, end
	for n := 0; n < around && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	for n := 0; n < around && to < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	var l oneLine
	if from > 0 {
		l.put('…')
	}
	l.write(text[from:start])
	match := l.write(text[start:end])
	l.write(text[end:to])
	if to < len(text) {
		l.text.WriteString("…")
	}
	return l.text.String(), match
}

// oneLine writes texts on one line, with one space for white space and none at the ends.
type oneLine struct {
	text    strings.Builder
	length  int  // of text, in characters
	started bool // has a character of the texts
	space   bool // one is due before the next character
}

// write returns where the text is, in characters.
func (l *oneLine) write(text string) (at parley.Match) {
	begun := false
	begin := func() {
		if !begun {
			begun, at.Start = true, int64(l.length)
		}
	}
	for _, r := range text {
		if unicode.IsSpace(r) {
			if l.started {
				begin()
				l.space = true
			}
			continue
		}
		if l.space {
			l.put(' ')
			l.space = false
		}
		begin()
		l.put(r)
		l.started = true
	}
	if begun {
		at.Length = int64(l.length) - at.Start
	}
	return at
}

func (l *oneLine) put(r rune) {
	l.text.WriteRune(r)
	l.length++
}
