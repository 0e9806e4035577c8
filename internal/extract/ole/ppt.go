package ole

import (
	"fmt"
	"strings"

	"parley/internal/extract/prose"
)

// Records of a presentation of PowerPoint 97 to 2003 that are read.
const (
	pptDocument   = 0x03E8
	pptSlide      = 0x03EE
	pptNotes      = 0x03F0
	pptNotesAtom  = 0x03F1
	pptPersist    = 0x03F3
	pptOutlineRef = 0x0F9E
	pptTextHeader = 0x0F9F
	pptTextWide   = 0x0FA0
	pptTextNarrow = 0x0FA8
	pptList       = 0x0FF0
	pptEdit       = 0x0FF5
	pptDirectory  = 0x1772

	pptContainer   = 0xF
	pptEncrypted   = 0xF3D1C4DF
	pptListSlides  = 0
	pptListNotes   = 2
	pptTitle       = 0
	pptCenterTitle = 6
	maxSlides      = 10_000
	maxEdits       = 1000
	maxPPTDepth    = 64
)

// pptRecord is a record and what it holds.
type pptRecord struct {
	kind, instance int
	container      bool
	content        Data
}

type pptReader struct {
	stream  Data
	places  map[int]int // offsets of the parts, by id
	outline map[int][]pptText
	slides  []pptPart
	notes   map[int]pptPart // by the id of their slide
	work    int             // bytes that may still be visited, since parts may overlap in a bent file
}

// pptPart is a slide or the notes of one.
type pptPart struct {
	place int // its id in the directory
	id    int
}

type pptText struct {
	text  string
	title bool
}

// ReadPPT reads a presentation of PowerPoint 97 to 2003: the text of each slide and its notes.
func ReadPPT(out *prose.Output, c *Compound) error {
	out.Symbols = true
	stream, err := c.Read("PowerPoint Document")
	if err != nil {
		return err
	}
	user, err := c.Read("Current User")
	if err != nil {
		return err
	}
	if Data(user).U32(12) == pptEncrypted {
		return prose.ErrEncrypted
	}
	p := &pptReader{
		stream: stream, places: make(map[int]int), outline: make(map[int][]pptText), notes: make(map[int]pptPart),
		work: 8 * len(stream),
	}
	document, ok := p.readDirectory(Data(user).U32(16))
	if !ok {
		return prose.ErrBroken.WithCause(errPart)
	}
	p.readDocument(document)
	for i, slide := range p.slides {
		out.Page(fmt.Sprintf("slide %d", i+1))
		p.writeSlide(out, slide)
		if out.Full {
			break
		}
	}
	return nil
}

// readDirectory finds the current version of each part. The newest edit comes first.
func (p *pptReader) readDirectory(edit int) (document pptRecord, ok bool) {
	id := 0
	for range maxEdits {
		record := p.record(p.stream.From(edit, len(p.stream)))
		if record.kind != pptEdit {
			break
		}
		if id == 0 {
			id = record.content.U32(16)
		}
		p.addPlaces(p.record(p.stream.From(record.content.U32(12), len(p.stream))))
		if edit = record.content.U32(8); edit == 0 {
			break
		}
	}
	document = p.part(id)
	return document, document.kind == pptDocument
}

func (p *pptReader) addPlaces(directory pptRecord) {
	if directory.kind != pptDirectory {
		return
	}
	for at := 0; at+4 <= len(directory.content); {
		first, count := directory.content.U32(at)&0xFFFFF, directory.content.U32(at)>>20
		at += 4
		for i := 0; i < count && at+4 <= len(directory.content); i++ {
			if _, ok := p.places[first+i]; !ok {
				p.places[first+i] = directory.content.U32(at)
			}
			at += 4
		}
	}
}

// part returns a part by its id.
func (p *pptReader) part(id int) pptRecord {
	place, ok := p.places[id]
	if !ok {
		return pptRecord{}
	}
	return p.record(p.stream.From(place, len(p.stream)))
}

// record returns the record at the start of a part.
func (p *pptReader) record(d Data) pptRecord {
	head := d.u16(0)
	return pptRecord{d.u16(2), head >> 4, head&0xF == pptContainer, d.From(8, d.U32(4))}
}

// each calls do for a record and all within it. It does not go into a record if do returns false.
func (p *pptReader) each(r pptRecord, depth int, do func(pptRecord) bool) {
	if !do(r) || !r.container || depth > maxPPTDepth {
		return
	}
	for rest := r.content; len(rest) >= 8; {
		child := p.record(rest)
		if p.work -= 8 + len(child.content); p.work < 0 {
			return
		}
		p.each(child, depth+1, do)
		rest = rest.From(8+len(child.content), len(rest))
	}
}

// readDocument finds the slides, their texts in the outline, and the notes.
func (p *pptReader) readDocument(document pptRecord) {
	p.each(document, 0, func(r pptRecord) bool {
		switch {
		case r.kind == pptList && r.instance == pptListSlides:
			p.readList(r)
		case r.kind == pptList && r.instance == pptListNotes:
			p.readNotes(r)
		}
		return r.kind == pptDocument
	})
}

func (p *pptReader) readList(list pptRecord) {
	texts := newPPTTexts()
	p.each(list, 0, func(r pptRecord) bool {
		if r.kind == pptPersist && len(p.slides) < maxSlides {
			p.slides = append(p.slides, pptPart{r.content.U32(0), r.content.U32(12)})
			texts = newPPTTexts()
		}
		if len(p.slides) > 0 {
			place := p.slides[len(p.slides)-1].place
			p.outline[place] = texts.note(r, p.outline[place])
		}
		return true
	})
}

func (p *pptReader) readNotes(list pptRecord) {
	p.each(list, 0, func(r pptRecord) bool {
		if r.kind == pptPersist && len(p.notes) < maxSlides {
			place := r.content.U32(0)
			p.each(p.part(place), 0, func(r pptRecord) bool {
				if r.kind == pptNotesAtom {
					p.notes[r.content.U32(0)] = pptPart{place: place}
				}
				return r.kind == pptNotes
			})
		}
		return true
	})
}

// pptTexts reads texts, each after a record that says what it is.
type pptTexts struct{ kind int }

func newPPTTexts() *pptTexts { return &pptTexts{-1} }

// note adds what a record says to the texts of a slide in the outline. A text may be missing, but it has its number.
func (t *pptTexts) note(r pptRecord, outline []pptText) []pptText {
	text, ok := t.read(r)
	switch last := len(outline) - 1; {
	case r.kind == pptTextHeader:
		return append(outline, pptText{})
	case ok && last >= 0 && outline[last].text == "":
		outline[last] = text
	case ok:
		return append(outline, text)
	}
	return outline
}

func (t *pptTexts) read(r pptRecord) (text pptText, ok bool) {
	switch r.kind {
	case pptTextHeader:
		t.kind = r.content.U32(0)
		return pptText{}, false
	case pptTextWide:
		text.text = r.content.Wide()
	case pptTextNarrow:
		text.text = latin1(r.content)
	default:
		return pptText{}, false
	}
	text.title = t.kind == pptTitle || t.kind == pptCenterTitle
	return text, strings.TrimSpace(text.text) != ""
}
