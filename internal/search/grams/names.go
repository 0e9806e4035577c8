package grams

import "encoding/binary"

// Name says which text of which session stands at a place of a block. The zero Name
// is that of a text which is gone.
type Name struct {
	Session string
	Number  int64
}

// EncodeNames writes names down: for each run of one session its id, how many there
// are, and their numbers as distances.
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

// DecodeNames reads what EncodeNames has written: n names.
func DecodeNames(data []byte, n int) ([]Name, error) {
	if n < 0 || n > len(data) { // each takes a byte at least
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
			distance, read := binary.Varint(data)
			if read <= 0 {
				return nil, ErrDamaged
			}
			data = data[read:]
			number += distance
			names = append(names, Name{session, number})
		}
	}
	if len(names) != n {
		return nil, ErrDamaged
	}
	return names, nil
}
