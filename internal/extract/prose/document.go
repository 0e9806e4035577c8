// Package prose writes what a document says as plain text: paragraphs, headings, lists, tables and charts. It notes
// what is missing, and has the reasons why a document is refused. All families of formats write with it.
package prose

import (
	"cmp"
	"slices"
	"strings"

	"parley/internal/extract/picture"
)

// Document is the text of a file.
type Document struct {
	// Type is a media type without parameters, detected from the bytes.
	Type string
	// Text is valid UTF-8. Lines end in "\n"; tabs are the only other control characters.
	Text string
	// Anchors locate pages, sheets or slides in the text, if the format has them.
	Anchors Anchors
	// Notes say what of the file is not in the text, such as "slide 2 could not be read".
	Notes []string
	// Picture is set if the file is a picture. The text of one may be empty.
	Picture *picture.Cleaned
}

// Anchor is the start of a page, sheet or slide.
type Anchor struct {
	// Offset is in bytes from the start of the text.
	Offset int `json:"offset"`
	// Name is for people, such as "page 3".
	Name string `json:"name"`
}

// Anchors are the pages of a document, in order.
type Anchors []Anchor

// At returns the name of the page that an offset in the text belongs to, or "".
func (a Anchors) At(offset int) string {
	i, found := slices.BinarySearchFunc(a, offset, func(anchor Anchor, offset int) int {
		return cmp.Compare(anchor.Offset, offset)
	})
	switch {
	case found:
		return a[i].Name
	case i == 0:
		return ""
	}
	return a[i-1].Name
}

// Document returns what was written, or the error blank if nothing is visible.
func (o *Output) Document(blank error) (Document, error) {
	switch {
	case o.Full:
		return Document{}, ErrTooLong
	case !strings.ContainsFunc(o.text.String(), IsVisible):
		return Document{}, blank
	}
	return Document{Text: o.text.String(), Anchors: o.anchors, Notes: o.Notes}, nil
}

// Include adds the text of another document under an anchor.
func (o *Output) Include(name string, d Document) {
	o.Page(name)
	o.Write(name)
	o.Paragraph()
	text := strings.TrimRight(d.Text, "\n")
	o.separate()
	if int64(o.text.Len()+len(text)) > o.Limit {
		o.Full = true
		return
	}
	start := o.text.Len()
	o.text.WriteString(text)
	for _, anchor := range d.Anchors {
		o.anchors = append(o.anchors, Anchor{Offset: start + anchor.Offset, Name: name + ", " + anchor.Name})
	}
	for _, note := range d.Notes {
		o.Note(strings.TrimPrefix(name, "attachment ") + ": " + note)
	}
	o.Paragraph()
}
