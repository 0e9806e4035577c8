package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Passages splits a text into passages of at most size columns, in order: a character of a
// dense script has two. They end with a paragraph, else with a sentence; only sentences
// longer than size are split. A heading stays with the text after it. Only white space
// between passages is left out.
func Passages(text string, size int) []Span {
	p := packer{text: text, size: max(1, size)}
	for _, paragraph := range paragraphs(text) {
		p.paragraph(paragraph)
	}
	p.flush()
	return p.done
}

// paragraphs returns the paragraphs of a text. A heading is a separate paragraph.
func paragraphs(text string) []Span {
	var all []Span
	open := false
	for start := 0; start < len(text); {
		end := start + len(firstLine(text[start:]))
		line := strings.TrimSpace(text[start:end])
		if open && line != "" && !IsHeading(line) {
			all[len(all)-1].End = end
		} else if line != "" {
			all = append(all, Span{start, end})
		}
		open = line != "" && !IsHeading(line)
		start = end
	}
	for i, s := range all {
		all[i] = appendTrimmed(nil, text, s)[0]
	}
	return all
}

// packer joins pieces of a text to passages.
type packer struct {
	text    string
	size    int
	pieces  []Span // of the current passage
	counted int    // columns from the first piece to the last
	done    []Span // finished passages
}

func (p *packer) paragraph(s Span) {
	if p.fits(s) {
		p.piece(s)
		return
	}
	for _, sentence := range Sentences(s.Of(p.text)) {
		p.sentence(Span{s.Start + sentence.Start, s.Start + sentence.End})
	}
}

func (p *packer) sentence(s Span) {
	for !p.fits(s) {
		cut := cutAt(s.Of(p.text), p.size)
		for _, head := range appendTrimmed(nil, p.text, Span{s.Start, s.Start + cut}) {
			p.piece(head)
		}
		s.Start += cut
	}
	for _, rest := range appendTrimmed(nil, p.text, s) {
		p.piece(rest)
	}
}

// piece adds a piece of at most size columns to the current passage or to a new one.
// A heading starts a new one if the current passage is half full.
func (p *packer) piece(s Span) {
	if len(p.pieces) > 0 {
		added := p.count(Span{p.pieces[len(p.pieces)-1].End, s.End})
		full := p.counted+added > p.size
		if full || p.counted > p.size/2 && IsHeading(s.Of(p.text)) {
			p.flush()
			p.keepHeadings(s)
		}
	}
	if len(p.pieces) == 0 {
		p.pieces, p.counted = []Span{s}, p.count(s)
		return
	}
	p.counted += p.count(Span{p.pieces[len(p.pieces)-1].End, s.End})
	p.pieces = append(p.pieces, s)
}

// flush ends the current passage.
func (p *packer) flush() {
	if len(p.pieces) > 0 {
		p.done = append(p.done, Span{p.pieces[0].Start, p.pieces[len(p.pieces)-1].End})
	}
}

// keepHeadings moves the headings at the end of the last passage to the next one, if they
// fit together with the piece next.
func (p *packer) keepHeadings(next Span) {
	first := len(p.pieces)
	for first > 1 && IsHeading(p.pieces[first-1].Of(p.text)) {
		first--
	}
	kept := p.pieces[first:]
	if len(kept) == 0 || !p.fits(Span{kept[0].Start, next.End}) {
		p.pieces, p.counted = nil, 0
		return
	}
	p.done[len(p.done)-1].End = p.pieces[first-1].End
	p.pieces = kept
	p.counted = p.count(Span{kept[0].Start, kept[len(kept)-1].End})
}

func (p *packer) count(s Span) int {
	n := 0
	for _, r := range s.Of(p.text) {
		n += columns(r)
	}
	return n
}

// fits reports whether a piece has at most size columns. It does not scan longer ones. No
// character has more columns than bytes.
func (p *packer) fits(s Span) bool {
	return s.End-s.Start <= p.size || s.Start+prefix(s.Of(p.text), p.size) == s.End
}

// cutAt returns where to cut a text after at most size columns, but at least one character: at the last space if that
// keeps half of them, else between two characters.
func cutAt(text string, size int) int {
	end := prefix(text, size)
	if end == 0 {
		_, end = utf8.DecodeRuneInString(text)
	}
	if next, _ := utf8.DecodeRuneInString(text[end:]); unicode.IsSpace(next) {
		return end
	}
	if space := strings.LastIndexFunc(text[:end], unicode.IsSpace); space > end/2 {
		return space
	}
	return end
}

// prefix returns the length of the first n columns of a text, in bytes.
func prefix(text string, n int) int {
	for i, r := range text {
		if n -= columns(r); n < 0 {
			return i
		}
	}
	return len(text)
}
