package client

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// errEventTooLarge ends a stream with an event over the limit.
var errEventTooLarge = errors.New("an event of the stream is too large")

// frame is an undecoded server-sent event.
type frame struct {
	name string
	data []byte
	id   string // of this event, or of the last one that had an id
}

// frameReader splits a stream into events.
type frameReader struct {
	lines *bufio.Scanner
	limit int
	id    string
}

// newFrameReader returns a reader of events of at most limit bytes each.
func newFrameReader(r io.Reader, limit int) *frameReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, min(4096, limit)), limit)
	return &frameReader{lines: lines, limit: limit}
}

// next returns the next event that has data, or io.EOF at the end of the stream. An incomplete
// event at the end is dropped.
func (r *frameReader) next() (frame, error) {
	f := frame{name: "message"}
	id, filled := r.id, false
	for r.lines.Scan() {
		line := r.lines.Bytes()
		if len(line) == 0 {
			r.id = id
			if filled {
				f.id = id
				return f, nil
			}
			f.name = "message"
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			f.name = string(value)
		case "data":
			if len(f.data)+len(value) >= r.limit {
				return frame{}, errEventTooLarge
			}
			if filled {
				f.data = append(f.data, '\n')
			}
			f.data = append(f.data, value...)
			filled = true
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				id = string(value)
			}
		}
	}
	if err := r.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return frame{}, errEventTooLarge
	} else if err != nil {
		return frame{}, fmt.Errorf("read the stream: %w", err)
	}
	return frame{}, io.EOF
}
