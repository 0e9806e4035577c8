package rank

import (
	"encoding/binary"
	"errors"
)

// magic begins a kept index; its last byte is the version of the form.
const magic = "PRX\x01"

// header is the magic, the number of parts and of terms, and the length of all parts.
const header = len(magic) + 4 + 4 + 8

var errBroken = errors.New("rank: these bytes are no index")

// MarshalBinary gives the index in a form to keep.
func (x *Index) MarshalBinary() ([]byte, error) {
	data := make([]byte, 0, header+len(x.table)+len(x.lookup)+len(x.lists))
	data = append(data, magic...)
	data = binary.LittleEndian.AppendUint32(data, uint32(x.parts))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(x.lookup)/lookupEntry))
	data = binary.LittleEndian.AppendUint64(data, x.length)
	data = append(data, x.table...)
	data = append(data, x.lookup...)
	return append(data, x.lists...), nil
}

// UnmarshalBinary takes back what MarshalBinary gave. It keeps data, which must not be
// changed any more, and copies nothing of it. Broken bytes give an error here, or
// wrong hits later, with spans that may lie outside the text; no more.
func (x *Index) UnmarshalBinary(data []byte) error {
	if len(data) < header || string(data[:len(magic)]) != magic {
		return errBroken
	}
	parts := uint64(binary.LittleEndian.Uint32(data[4:]))
	terms := uint64(binary.LittleEndian.Uint32(data[8:]))
	length := binary.LittleEndian.Uint64(data[12:])
	data = data[header:]
	if parts*tableEntry+terms*lookupEntry > uint64(len(data)) {
		return errBroken
	}
	table, data := data[:parts*tableEntry], data[parts*tableEntry:]
	lookup, lists := data[:terms*lookupEntry], data[terms*lookupEntry:]
	*x = Index{parts: int(parts), length: length, table: table, lookup: lookup, lists: lists}
	return nil
}
