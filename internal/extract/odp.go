package extract

import (
	"cmp"
	"fmt"

	"parley/internal/extract/prose"
)

// readODP reads an OpenDocument presentation: its slides in order, each with its notes and comments.
func readODP(out *prose.Output, a *archive) error {
	content, err := readODF(a)
	if err != nil {
		return err
	}
	p := &odpReader{odfReader: odfReader{out: out, later: true, objects: newODFObjects(a)}}
	body := p.visitor()
	return cmp.Or(visit(content, visitor{start: p.start, end: p.end, text: body.text}), p.failed)
}

type odpReader struct {
	odfReader
	slides int
	slide  *prose.Output // the slide's output while out is that of its notes; nil otherwise
}

// start handles the start of an element. It skips page numbers, dates and the like.
func (p *odpReader) start(e element) bool {
	switch e.name {
	case "page":
		p.slides++
		p.out.Page(fmt.Sprintf("slide %d", p.slides))
	case "notes":
		if p.slide == nil {
			p.slide, p.out = p.out, &prose.Output{Limit: p.out.Limit}
		}
	case "frame", "custom-shape":
		switch e.attr("class") {
		case "title":
			p.title = true
		case "header", "footer", "date-time", "page-number":
			return false
		}
	}
	return p.odfReader.start(e)
}

func (p *odpReader) end(name string) {
	p.odfReader.end(name)
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
