package rtf

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/extract/prose"
)

// begin starts the text of a paragraph: a heading, an item of a list, or neither.
func (r *reader) begin() {
	if r.begun {
		return
	}
	r.begun = true
	paragraph := r.group().paragraph
	label := r.nextLabel()
	if paragraph.outline > 0 {
		r.out.Heading(paragraph.outline)
	}
	switch {
	case label == "":
	case paragraph.outline > 0:
		r.out.HeadingLabel(label)
	default:
		r.out.Numbered(paragraph.level, label)
	}
}

// nextLabel returns the label of the paragraph as an item of a list, or "". It is the stored
// one, or else what the tables of lists say.
func (r *reader) nextLabel() string {
	label := itemLabel(r.label.String())
	r.label.Reset()
	return cmp.Or(label, r.lists.next(r.group().paragraph))
}

// endItem counts an item without text, which has a number too.
func (r *reader) endItem() {
	if !r.begun {
		r.nextLabel()
	}
}

func (r *reader) endParagraph() {
	r.begun = false
	r.label.Reset()
}

// itemLabel returns the label of a list item as we write it. A bullet is a sign, or a letter
// of a font that shows it as a sign.
func itemLabel(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	switch {
	case text == "":
		return ""
	case !isNumbered(text), utf8.RuneCountInString(text) == 1 && !strings.ContainsFunc(text, unicode.IsNumber):
		return prose.Bullet
	}
	return text
}

// isNumbered reports whether a label is more than a sign.
func isNumbered(label string) bool {
	return strings.ContainsFunc(label, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// writeLabel adds to a label, up to prose.MaxLabel.
func writeLabel(b *strings.Builder, text string) {
	b.WriteString(text[:min(len(text), prose.MaxLabel-min(b.Len(), prose.MaxLabel))])
}
