package grams

import "encoding/binary"

// Name identifies the text at a place of a block. The zero Name means that the text was
// deleted.
type Name struct {
	Session string
	Number  int64
}

// EncodeNames encodes names: for each run of names of one session the session's id, their
// count, and their numbers as differences.
func EncodeNames(names []Name) []byte {
	data := []byte{}
	for len(names) > 0 {
		run := 1
		for run < len(names) && names[run].Session == names[0].Session {
			run++
		}
		data = binary.AppendUvarint(data, uint64(len(names[0].Session)))
		data = append(data, names[0].Session...)
		data = binary.AppendUvarint(data, uint64(run))
		last := int64(0)
		for _, name := range names[:run] {
			data = binary.AppendVarint(data, name.Number-last)
			last = name.Number
		}
		names = names[run:]
	}
	return data
}

// DecodeNames decodes n names.
func DecodeNames(data []byte, n int) ([]Name, error) {
	if n < 0 || n > len(data) { // each has at least one byte
		return nil, ErrDamaged
	}
	names := make([]Name, 0, n)
	for len(data) > 0 {
		size, read := binary.Uvarint(data)
		if read <= 0 || size > uint64(len(data)-read) {
			return nil, ErrDamaged
		}
		session := string(data[read : read+int(size)])
		data = data[read+int(size):]
		run, read := binary.Uvarint(data)
		if read <= 0 || run == 0 || run > uint64(n-len(names)) {
			return nil, ErrDamaged
		}
		data = data[read:]
		number := int64(0)
		for range run {
			difference, read := binary.Varint(data)
			if read <= 0 {
				return nil, ErrDamaged
			}
			data = data[read:]
			number += difference
			names = append(names, Name{session, number})
		}
	}
	if len(names) != n {
		return nil, ErrDamaged
	}
	return names, nil
}
