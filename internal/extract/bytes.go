package extract

import (
	"encoding/binary"
	"math"
	"unicode/utf16"

	"parley/internal/extract/charset"
)

// data is a part of an old document. Reading beyond its end gives zeros, so that a reader needs no checks;
// what it finds there is limited by the size of the file.
type data []byte

// from returns at most size bytes from an offset on.
func (d data) from(offset, size int) data {
	if offset < 0 || offset >= len(d) || size <= 0 {
		return nil
	}
	return d[offset:min(len(d), offset+min(size, len(d)))]
}

func (d data) u8(offset int) int {
	if b := d.from(offset, 1); len(b) == 1 {
		return int(b[0])
	}
	return 0
}

func (d data) u16(offset int) int {
	if b := d.from(offset, 2); len(b) == 2 {
		return int(binary.LittleEndian.Uint16(b))
	}
	return 0
}

func (d data) u32(offset int) int {
	if b := d.from(offset, 4); len(b) == 4 {
		return int(binary.LittleEndian.Uint32(b))
	}
	return 0
}

func (d data) u64(offset int) uint64 {
	if b := d.from(offset, 8); len(b) == 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d data) float(offset int) float64 { return math.Float64frombits(d.u64(offset)) }

// wide returns the bytes as a text in UTF-16.
func (d data) wide() string {
	units := make([]uint16, len(d)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(d[2*i:])
	}
	return string(utf16.Decode(units))
}

// narrow returns the bytes as a text in a code page.
func (d data) narrow(page int) string {
	text, err := charset.CodePage(page).NewDecoder().Bytes(d)
	if err != nil {
		return ""
	}
	return string(text)
}
