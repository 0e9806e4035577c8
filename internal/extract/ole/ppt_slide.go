package ole

import (
	"strings"

	"parley/internal/extract/prose"
)

// writeSlide writes the texts of a slide, then its notes.
func (p *pptReader) writeSlide(out *prose.Output, slide pptPart) {
	part := p.part(slide.place)
	if part.kind != pptSlide {
		for _, text := range p.outline[slide.place] {
			text.write(out)
		}
		return
	}
	for _, text := range p.textsOf(part, p.outline[slide.place]) {
		text.write(out)
	}
	notes, ok := p.notes[slide.id]
	if !ok {
		return
	}
	written := false
	for _, text := range p.textsOf(p.part(notes.place), nil) {
		if isPlaceholder(text.text) {
			continue
		}
		if !written {
			out.Paragraph()
			out.Write("Notes:")
			out.Line()
			written = true
		}
		out.Verbatim(pptLines.Replace(text.text))
		out.Line()
	}
}

// textsOf returns the texts of a slide in order. A slide refers to texts in the outline by their number.
func (p *pptReader) textsOf(part pptRecord, outline []pptText) []pptText {
	var all []pptText
	texts := newPPTTexts()
	p.each(part, 0, func(r pptRecord) bool {
		if r.kind == pptOutlineRef {
			if i := r.content.U32(0); i < len(outline) {
				all = append(all, outline[i])
			}
		}
		if text, ok := texts.read(r); ok {
			all = append(all, text)
		}
		return true
	})
	return all
}

// pptLines turns the ends of paragraphs and lines into ours.
var pptLines = strings.NewReplacer("\r", "\n", "\v", "\n")

func (t pptText) write(out *prose.Output) {
	if t.title {
		out.Heading(1)
		out.Write(strings.TrimSpace(pptLines.Replace(t.text)))
		out.Paragraph()
		return
	}
	out.Paragraph()
	out.Verbatim(strings.TrimRight(pptLines.Replace(t.text), "\n"))
	out.Paragraph()
}

// isPlaceholder reports whether a text stands for the number of the page.
func isPlaceholder(text string) bool {
	trimmed := strings.TrimSpace(text)
	return trimmed == "*" || trimmed == "<number>" || trimmed == "‹#›"
}
