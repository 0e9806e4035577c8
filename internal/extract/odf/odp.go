package odf

import (
	"cmp"
	"fmt"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// ReadODP reads an OpenDocument presentation: its slides in order, each with its notes and comments.
func ReadODP(out *prose.Output, a *zipxml.Archive) error {
	out.Symbols = true
	content, err := readContent(a)
	if err != nil {
		return err
	}
	p := &odpReader{bodyReader: bodyReader{out: out, later: true, objects: newObjectReader(a)}}
	body := p.visitor()
	return cmp.Or(zipxml.Visit(content, zipxml.Visitor{Start: p.start, End: p.end, Text: body.Text}), p.failed)
}

type odpReader struct {
	bodyReader
	slides int
	slide  *prose.Output // the slide's output while out is that of its notes; nil otherwise
}

// start handles the start of an element. It skips page numbers, dates and the like.
func (p *odpReader) start(e zipxml.Element) bool {
	switch e.Name {
	case "page":
		p.slides++
		p.out.Page(fmt.Sprintf("slide %d", p.slides))
	case "notes":
		if p.slide == nil {
			p.slide, p.out = p.out, &prose.Output{Limit: p.out.Limit}
		}
	case "frame", "custom-shape":
		switch e.Attr("class") {
		case "title":
			p.title = true
		case "header", "footer", "date-time", "page-number":
			return false
		}
	}
	return p.bodyReader.start(e)
}

func (p *odpReader) end(name string) {
	p.bodyReader.end(name)
	switch name {
	case "frame", "custom-shape":
		p.title = false
		p.out.Paragraph()
	case "notes":
		if p.slide == nil {
			return
		}
		notes := p.out.String()
		p.out, p.slide = p.slide, nil
		prose.WriteSlideNotes(p.out, notes)
	case "page":
		p.comments.flush(p.out)
	}
}
