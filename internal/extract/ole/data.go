package ole

import (
	"encoding/binary"
	"math"
	"unicode/utf16"

	"parley/internal/extract/charset"
)

// Data is a part of an old document. Reading beyond its end gives zeros, so a reader needs no checks. What it finds
// there is limited by the size of the file.
type Data []byte

// From returns at most size bytes from an offset on.
func (d Data) From(offset, size int) Data {
	if offset < 0 || offset >= len(d) || size <= 0 {
		return nil
	}
	return d[offset:min(len(d), offset+min(size, len(d)))]
}

func (d Data) u8(offset int) int {
	if b := d.From(offset, 1); len(b) == 1 {
		return int(b[0])
	}
	return 0
}

func (d Data) u16(offset int) int {
	if b := d.From(offset, 2); len(b) == 2 {
		return int(binary.LittleEndian.Uint16(b))
	}
	return 0
}

// U32 returns the number in the four bytes at an offset.
func (d Data) U32(offset int) int {
	if b := d.From(offset, 4); len(b) == 4 {
		return int(binary.LittleEndian.Uint32(b))
	}
	return 0
}

// U64 returns the number in the eight bytes at an offset.
func (d Data) U64(offset int) uint64 {
	if b := d.From(offset, 8); len(b) == 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d Data) float(offset int) float64 { return math.Float64frombits(d.U64(offset)) }

// Wide returns the bytes as a text in UTF-16.
func (d Data) Wide() string {
	units := make([]uint16, len(d)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(d[2*i:])
	}
	return string(utf16.Decode(units))
}

// Narrow returns the bytes as a text in a code page.
func (d Data) Narrow(page int) string {
	text, err := charset.CodePage(page).NewDecoder().Bytes(d)
	if err != nil {
		return ""
	}
	return string(text)
}
