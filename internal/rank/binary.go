package rank

import (
	"encoding/binary"
	"errors"
)

// magic starts an encoded index; its last byte is the version of the encoding.
const magic = "PRX\x01"

// headerSize is the size of the magic, the numbers of parts and terms, and the total
// length.
const headerSize = len(magic) + 4 + 4 + 8

var errBroken = errors.New("rank: invalid index")

// MarshalBinary implements encoding.BinaryMarshaler.
func (x *Index) MarshalBinary() ([]byte, error) {
	data := make([]byte, 0, headerSize+len(x.table)+len(x.lookup)+len(x.lists))
	data = append(data, magic...)
	data = binary.LittleEndian.AppendUint32(data, uint32(x.parts))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(x.lookup)/lookupEntry))
	data = binary.LittleEndian.AppendUint64(data, x.length)
	data = append(data, x.table...)
	data = append(data, x.lookup...)
	return append(data, x.lists...), nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Unlike the interface requires,
// it keeps data, which must not be changed afterwards. Damaged data causes an error here,
// or wrong hits later, with spans that may lie outside the text; it never panics.
func (x *Index) UnmarshalBinary(data []byte) error {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return errBroken
	}
	parts := uint64(binary.LittleEndian.Uint32(data[4:]))
	terms := uint64(binary.LittleEndian.Uint32(data[8:]))
	length := binary.LittleEndian.Uint64(data[12:])
	data = data[headerSize:]
	if parts*tableEntry+terms*lookupEntry > uint64(len(data)) {
		return errBroken
	}
	table, data := data[:parts*tableEntry], data[parts*tableEntry:]
	lookup, lists := data[:terms*lookupEntry], data[terms*lookupEntry:]
	*x = Index{parts: int(parts), length: length, table: table, lookup: lookup, lists: lists}
	return nil
}
