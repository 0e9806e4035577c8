package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// begin starts the text of a paragraph: a heading, an item of a list, or neither.
func (r *rtfReader) begin() {
	if r.begun {
		return
	}
	r.begun = true
	label := itemLabel(r.label.String())
	r.label.Reset()
	if r.outline > 0 {
		r.out.heading(r.outline)
	}
	switch {
	case label == "":
	case r.outline > 0:
		r.out.headingLabel(label)
	default:
		r.out.numbered(r.level, label)
	}
}

func (r *rtfReader) endParagraph() {
	r.begun = false
	r.label.Reset()
}

// itemLabel returns the label of a list item as we write it. A bullet is a sign, or a letter
// of a font that shows it as a sign.
func itemLabel(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	numbered := strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
	switch {
	case text == "":
		return ""
	case !numbered, utf8.RuneCountInString(text) == 1 && !strings.ContainsFunc(text, unicode.IsNumber):
		return bulletLabel
	}
	return text
}
