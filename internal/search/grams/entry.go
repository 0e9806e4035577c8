package grams

import "encoding/binary"

// Name identifies a text. The zero Name means that the text was deleted.
type Name struct {
	Session string
	Number  int64
}

// Entry is the text at a place of a block: its name, and when it was written, in
// microseconds.
type Entry struct {
	Name
	Time int64
}

// EncodeEntries encodes entries: for each run of entries of one session the session's id,
// their count, and their numbers and times as differences.
func EncodeEntries(entries []Entry) []byte {
	data := []byte{}
	for len(entries) > 0 {
		run := 1
		for run < len(entries) && entries[run].Session == entries[0].Session {
			run++
		}
		data = binary.AppendUvarint(data, uint64(len(entries[0].Session)))
		data = append(data, entries[0].Session...)
		data = binary.AppendUvarint(data, uint64(run))
		var last Entry
		for _, entry := range entries[:run] {
			data = binary.AppendVarint(data, entry.Number-last.Number)
			data = binary.AppendVarint(data, entry.Time-last.Time)
			last = entry
		}
		entries = entries[run:]
	}
	return data
}

// DecodeEntries decodes n entries.
func DecodeEntries(data []byte, n int) ([]Entry, error) {
	if n < 0 || n > len(data) { // each has at least two bytes
		return nil, ErrDamaged
	}
	entries := make([]Entry, 0, n)
	err := EachEntry(data, n, func(_ int, entry Entry) { entries = append(entries, entry) })
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// EachEntry calls do with the places of n entries, from 0, and the entries. If it returns ErrDamaged, do may have been
// called with some of them.
func EachEntry(data []byte, n int, do func(place int, entry Entry)) error {
	place := 0
	for len(data) > 0 {
		size, read := binary.Uvarint(data)
		if read <= 0 || size > uint64(len(data)-read) {
			return ErrDamaged
		}
		session := string(data[read : read+int(size)])
		data = data[read+int(size):]
		run, read := binary.Uvarint(data)
		if read <= 0 || run == 0 || n < place || run > uint64(n-place) {
			return ErrDamaged
		}
		data = data[read:]
		last := Entry{Name: Name{Session: session}}
		for range run {
			number, read := binary.Varint(data)
			if read <= 0 {
				return ErrDamaged
			}
			time, more := binary.Varint(data[read:])
			if more <= 0 {
				return ErrDamaged
			}
			data = data[read+more:]
			last.Number += number
			last.Time += time
			do(place, last)
			place++
		}
	}
	if place != n {
		return ErrDamaged
	}
	return nil
}
