package rank

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// An encoded index is a header, a table with an entry per part, a lookup table with an
// entry per term in ascending order, and a list per term.

// magic starts an encoded index; its last byte is the version of the encoding.
const magic = "PRX\x01"

// headerSize is the size of the magic, the numbers of parts and terms, and the total
// length.
const headerSize = len(magic) + 4 + 4 + 8

// Sizes of the entries of the table (start, end, length) and of the lookup table (term,
// offset in the lists).
const (
	tableEntry  = 3 * 4
	lookupEntry = 8 + 4
)

// ErrBroken means that the data is not an index, or is damaged.
var ErrBroken = errors.New("rank: invalid index")

func appendHeader(data []byte, parts, terms int, length uint64) []byte {
	data = append(data, magic...)
	data = binary.LittleEndian.AppendUint32(data, uint32(parts))
	data = binary.LittleEndian.AppendUint32(data, uint32(terms))
	return binary.LittleEndian.AppendUint64(data, length)
}

// Open opens an encoded index of the given size. Damaged data causes ErrBroken here or
// later, or wrong hits, with spans that may lie outside the text; it never panics.
func Open(data io.ReaderAt, size int64) (*Index, error) {
	header := make([]byte, headerSize)
	if size < int64(headerSize) {
		return nil, ErrBroken
	}
	if err := readAt(data, header, 0); err != nil {
		return nil, err
	}
	if string(header[:len(magic)]) != magic {
		return nil, ErrBroken
	}
	x := &Index{
		data:   data,
		size:   size,
		parts:  int64(binary.LittleEndian.Uint32(header[4:])),
		terms:  int64(binary.LittleEndian.Uint32(header[8:])),
		length: binary.LittleEndian.Uint64(header[12:]),
	}
	if x.lists() > size {
		return nil, ErrBroken
	}
	return x, nil
}

// readAt fills p. It returns ErrBroken if the data ends before.
func readAt(data io.ReaderAt, p []byte, offset int64) error {
	n, err := data.ReadAt(p, offset)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrBroken
	}
	return fmt.Errorf("read an index: %w", err)
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (x *Index) MarshalBinary() ([]byte, error) {
	data := make([]byte, x.size)
	return data, readAt(x.data, data, 0)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler; see Open. Unlike the interface
// requires, it keeps data, which must not be changed afterwards.
func (x *Index) UnmarshalBinary(data []byte) error {
	opened, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	*x = *opened
	return nil
}
