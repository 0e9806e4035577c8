package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Passages cuts a text into passages of about size characters, never more, in order.
// They end where paragraphs do, else where sentences do, and only within a sentence
// that is longer than size. A heading stays with what follows it. Together they hold
// all of the text but the space between them.
func Passages(text string, size int) []Span {
	p := packer{text: text, size: max(1, size)}
	for _, paragraph := range paragraphs(text) {
		p.paragraph(paragraph)
	}
	p.flush()
	return p.done
}

// paragraphs gives what stands between blank lines; a heading is one by itself.
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

// packer puts pieces together while they fit.
type packer struct {
	text    string
	size    int
	pieces  []Span
	counted int // characters from the first piece to the last
	done    []Span
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

// piece adds what is no longer than size to the passage under way, or to the next. A
// heading begins a new one where the passage is half full.
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

// flush ends the passage under way.
func (p *packer) flush() {
	if len(p.pieces) > 0 {
		p.done = append(p.done, Span{p.pieces[0].Start, p.pieces[len(p.pieces)-1].End})
	}
}

// keepHeadings begins the next passage with the headings that the last one ended in,
// where there is room for them beside next.
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

func (p *packer) count(s Span) int { return utf8.RuneCountInString(s.Of(p.text)) }

// fits reports whether a piece is no longer than size; a long one costs no more.
func (p *packer) fits(s Span) bool {
	return s.End-s.Start <= p.size || s.Start+characters(s.Of(p.text), p.size) == s.End
}

// cutAt is where to cut a text after at most size characters: at the last space, if
// that leaves at least half, else between two characters.
func cutAt(text string, size int) int {
	end := characters(text, size)
	if next, _ := utf8.DecodeRuneInString(text[end:]); unicode.IsSpace(next) {
		return end
	}
	if space := strings.LastIndexFunc(text[:end], unicode.IsSpace); space > end/2 {
		return space
	}
	return end
}

// characters is the length of the first n characters of a text, in bytes.
func characters(text string, n int) int {
	end := 0
	for range n {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return end
}
