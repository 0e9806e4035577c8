package ole

import "strings"

// sharedStrings reads the texts that the cells of a workbook share. A text may continue in the next
// record, which then starts with a new flag for the width of its characters.
func sharedStrings(record Data, rest []Data) []string {
	in := &xlsPieces{piece: record, rest: rest}
	count := in.take(8).U32(4)
	var all []string
	for i := 0; i < count && !in.ended(); i++ {
		all = append(all, in.text())
	}
	return all
}

// xlsPieces reads a record and its continuations.
type xlsPieces struct {
	piece Data
	rest  []Data
}

func (p *xlsPieces) ended() bool { return len(p.piece) == 0 && len(p.rest) == 0 }

// next starts the next continuation if the current piece is used up.
func (p *xlsPieces) next() {
	for len(p.piece) == 0 && len(p.rest) > 0 {
		p.piece, p.rest = p.rest[0], p.rest[1:]
	}
}

// take returns the next bytes, which may come from several pieces.
func (p *xlsPieces) take(size int) Data {
	var taken Data
	for len(taken) < size {
		p.next()
		if len(p.piece) == 0 {
			break
		}
		n := min(size-len(taken), len(p.piece))
		taken = append(taken, p.piece[:n]...)
		p.piece = p.piece[n:]
	}
	return taken
}

// text reads a text: its length, flags, the sizes of what follows, the characters and what follows them.
func (p *xlsPieces) text() string {
	const wide, phonetic, rich = 0x01, 0x04, 0x08
	header := p.take(3)
	count, flags := header.u16(0), header.u8(2)
	skip := 0
	if flags&rich != 0 {
		skip += 4 * p.take(2).u16(0)
	}
	if flags&phonetic != 0 {
		skip += p.take(4).U32(0)
	}
	var text strings.Builder
	isWide := flags & wide
	for count > 0 && !p.ended() {
		if len(p.piece) == 0 {
			p.next()
			isWide = p.take(1).u8(0) & wide
		}
		size := 1 + isWide
		n := min(count, len(p.piece)/size)
		if n == 0 {
			p.piece = nil // half a character
			continue
		}
		text.WriteString(xlsCharacters(p.piece, n, isWide))
		p.piece = p.piece[n*size:]
		count -= n
	}
	p.skip(skip)
	return text.String()
}

func (p *xlsPieces) skip(size int) {
	for size > 0 && !p.ended() {
		p.next()
		n := min(size, len(p.piece))
		p.piece = p.piece[n:]
		size -= n
	}
}
