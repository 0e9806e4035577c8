package html

import (
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// ReadFB2 reads a book of FictionBook 2: its title, its chapters and its notes.
func ReadFB2(out *prose.Output, file []byte) error {
	b := &bookReader{out: out}
	return zipxml.Visit(file, zipxml.Visitor{Start: b.start, End: b.end, Text: b.text})
}

type bookReader struct {
	out     *prose.Output
	level   int  // depth of sections
	inText  int  // depth of elements with text
	isTitle bool // the text is a heading, also if it has several lines
	first   bool // the next cell is the first of its row
}

// start handles the start of an element. Of the description only the title and the summary are read.
func (b *bookReader) start(e zipxml.Element) bool {
	switch e.Name {
	case "binary", "stylesheet", "author", "genre", "keywords", "date", "coverpage", "lang", "document-info",
		"publish-info", "src-title-info", "custom-info":
		return false
	case "section":
		b.level++
	case "book-title":
		b.out.Heading(1)
		b.inText++
	case "title":
		b.out.Heading(b.level + 1)
		b.isTitle = true
	case "p", "v", "subtitle", "text-author":
		b.inText++
		if b.isTitle {
			b.out.Write(" ")
		} else {
			b.out.Line()
		}
		if e.Name == "subtitle" || e.Name == "p" && !b.isTitle {
			b.out.Paragraph()
		}
	case "empty-line", "stanza", "poem", "cite":
		b.out.Paragraph()
	case "tr":
		b.out.Line()
		b.first = true
	case "td", "th":
		b.out.EnterCell(b.first)
		b.first = false
		b.inText++
	}
	return !b.out.Full
}

func (b *bookReader) end(name string) {
	switch name {
	case "section":
		b.level--
		b.out.Paragraph()
	case "title":
		b.isTitle = false
		b.out.Paragraph()
	case "book-title":
		b.inText--
		b.out.Paragraph()
	case "p", "v", "subtitle", "text-author":
		b.inText--
		if !b.isTitle {
			b.out.Line()
		}
	case "td", "th":
		b.out.LeaveCell()
		b.inText--
	case "table", "stanza", "poem", "cite":
		b.out.Paragraph()
	}
}

func (b *bookReader) text(s string) {
	if b.inText > 0 {
		b.out.Write(s)
	}
}
