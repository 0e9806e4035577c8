package chat

import (
	"fmt"
	"strings"
	"unicode"

	"parley"
	"parley/internal/markdown"
)

// maxTextTitle is the length limit of a title made from a message, in characters.
const maxTextTitle = 60

// trimTitle removes the white space around a title and checks the length of the rest.
func trimTitle(title string) (string, error) {
	title = strings.TrimSpace(title)
	if len([]rune(title)) > parley.MaxTitle {
		return "", parley.Invalid(fmt.Sprintf("title must be at most %d characters long", parley.MaxTitle))
	}
	return title, nil
}

// ShownTitle returns the title that users see.
func ShownTitle(title string) string {
	if title == "" {
		return parley.DefaultTitle
	}
	return title
}

// TitleFrom makes a session's title from its first message: the first line that says something, cut between words if
// it is long.
func TitleFrom(content string) string {
	line := []rune(titleLine(content))
	if len(line) <= maxTextTitle {
		return string(line)
	}
	cut := string(line[:characterEnd(line, maxTextTitle)])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return cut + "…"
}

// titleLine returns the first line outside of code blocks with more than markup. If there is none, it returns the first
// line of code, or else the whole text.
func titleLine(content string) string {
	code, block := "", markdown.CodeBlock{}
	for line := range strings.Lines(content) {
		if block.IsFence(line) {
			continue
		}
		if block.Open() {
			if code == "" {
				code = oneLine(line)
			}
			continue
		}
		if text := oneLine(strings.TrimLeft(line, "#>*- \t")); strings.Trim(text, "`~") != "" {
			return text
		}
	}
	if code != "" {
		return code
	}
	return oneLine(content)
}

// oneLine returns a text with single spaces in place of white space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// characterEnd returns where to cut a line, at most limit. What readers see as one character stays whole. A character
// of more than half the limit is cut anyway.
func characterEnd(line []rune, limit int) int {
	for end := limit; end > limit/2; end-- {
		if !joined(line[:end], line[end]) {
			return end
		}
	}
	return limit
}

// joined reports whether next belongs to the last character of a text: a mark, a part of an emoji or of a flag, or a
// letter of the same syllable.
func joined(text []rune, next rune) bool {
	const (
		zeroWidthJoiner = 0x200D
		thaiAm, laoAm   = 0x0E33, 0x0EB3
	)
	last := text[len(text)-1]
	switch {
	case unicode.Is(unicode.M, next), next == zeroWidthJoiner, last == zeroWidthJoiner:
		return true
	case next >= 0x1F3FB && next <= 0x1F3FF, next >= 0xE0020 && next <= 0xE007F: // skin tones, and tags of flags
		return true
	case next >= 0x1160 && next <= 0x11FF, next == thaiAm, next == laoAm: // vowels and finals of Hangul
		return true
	case last >= 0x0900 && last < 0x0D80 && last&0x7F == 0x4D: // a virama of an Indic script
		return true
	}
	flags := 0
	for i := len(text) - 1; i >= 0 && unicode.Is(unicode.Regional_Indicator, text[i]); i-- {
		flags++
	}
	return unicode.Is(unicode.Regional_Indicator, next) && flags%2 == 1
}
