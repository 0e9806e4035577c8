package ole

import "slices"

// docParagraph is how a paragraph is shown, by the place of its end in the stream.
type docParagraph struct {
	end      int
	heading  int // 0 for none
	item     bool
	rowEnded bool // the paragraph is the end of a table row
	inTable  bool
}

// docParagraphs are sorted by their ends.
type docParagraphs []docParagraph

// at returns the paragraph that a place in the stream belongs to.
func (p docParagraphs) at(offset int) docParagraph {
	i, _ := slices.BinarySearchFunc(p, offset, func(paragraph docParagraph, offset int) int {
		return paragraph.end - 1 - offset
	})
	if i == len(p) {
		return docParagraph{}
	}
	return p[i]
}

// readParagraphs reads the properties of all paragraphs. They are in pages of the stream.
func (d *docReader) readParagraphs() docParagraphs {
	const pageSize = 512
	var all docParagraphs
	index := d.block(docProperties)
	count := max(0, (len(index)-4)/8)
	for i := range count {
		page := d.main.From(pageSize*(index.U32(4*(count+1)+4*i)&0x3FFFFF), pageSize)
		if len(page) < pageSize || len(all) > len(d.main) {
			continue
		}
		runs := page.u8(pageSize - 1)
		for run := range runs {
			paragraph := docProperty(page, 2*page.u8(4*(runs+1)+13*run))
			paragraph.end = page.U32(4*run + 4)
			all = append(all, paragraph)
		}
	}
	slices.SortFunc(all, func(a, b docParagraph) int { return a.end - b.end })
	return all
}

// docProperty reads the properties of a paragraph at an offset in a page.
func docProperty(page Data, offset int) docParagraph {
	const (
		inTable   = 0x2416
		rowEnded  = 0x2417
		list      = 0x460B
		variable  = 6 // the operand's size is in its first byte
		lastStyle = 9 // styles 1 to 9 are headings
	)
	var p docParagraph
	if offset == 0 {
		return p
	}
	size := 2*page.u8(offset) - 1
	offset++
	if size < 0 {
		size = 2 * page.u8(offset)
		offset++
	}
	properties := page.From(offset, size)
	if style := properties.u16(0); 1 <= style && style <= lastStyle {
		p.heading = style
	}
	for at := 2; at+2 < len(properties); {
		code := properties.u16(at)
		at += 2
		switch code {
		case inTable:
			p.inTable = properties.u8(at) != 0
		case rowEnded:
			p.rowEnded = properties.u8(at) != 0
		case list:
			p.item = properties.u16(at) != 0
		}
		width := []int{1, 1, 2, 4, 2, 2, 0, 3}[code>>13]
		if code>>13 == variable {
			width = 1 + properties.u8(at)
		}
		at += width
	}
	return p
}
