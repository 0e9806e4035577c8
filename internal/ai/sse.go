package ai

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errTooMuch is a line, an event or a stream over its limit.
var errTooMuch = errors.New("more than the limit")

// eventReader reads server-sent events, in memory bounded by the largest event.
// Lines end in LF or CRLF.
type eventReader struct {
	in   *bufio.Reader
	body io.Closer // what in reads from
	// event bounds the bytes of a line and of an event's data, stream all that is read.
	event, stream int
	// line is called after every line, comments included.
	line func()

	data []byte
	long []byte // a line that did not fit the buffer of in
}

// close ends the stream, wherever it is.
func (r *eventReader) close() {
	_ = r.body.Close() // it was only read
}

// first returns the first byte that is not white space, without taking it. Empty
// lines count as lines: some servers send them while a reply is being made.
func (r *eventReader) first() (byte, error) {
	for range r.event {
		head, err := r.in.Peek(1)
		if err != nil {
			return 0, err
		}
		switch head[0] {
		case '\n':
			r.line()
			fallthrough
		case ' ', '\t', '\r':
			_, _ = r.in.Discard(1)
		default:
			return head[0], nil
		}
	}
	return 0, errTooMuch
}

// next returns the data of the next event that has any, and whether it is named
// "error". The data is valid until the following call. At the end of the stream the
// error is io.EOF, after an event that lacks its empty line.
func (r *eventReader) next() (data []byte, isError bool, err error) {
	r.data = r.data[:0]
	some := false
	for {
		line, err := r.readLine()
		if err != nil {
			if some && errors.Is(err, io.EOF) {
				return r.data, isError, nil
			}
			return nil, false, err
		}
		r.line()
		if len(line) == 0 {
			if some {
				return r.data, isError, nil
			}
			isError = false
			continue
		}
		switch field, value := splitField(line); string(field) {
		case "data":
			if some {
				r.data = append(r.data, '\n')
			}
			some = true
			if r.data = append(r.data, value...); len(r.data) > r.event {
				return nil, false, errTooMuch
			}
		case "event":
			isError = string(value) == "error"
		}
	}
}

// readLine returns the next line without its end. A last line may lack one.
func (r *eventReader) readLine() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.readLong(line)
	}
	if r.stream -= len(line); r.stream < 0 || len(line) > r.event {
		return nil, errTooMuch
	}
	if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
		return nil, err
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
}

func (r *eventReader) readLong(begin []byte) ([]byte, error) {
	r.long = append(r.long[:0], begin...)
	for {
		part, err := r.in.ReadSlice('\n')
		if len(r.long)+len(part) > r.event {
			return nil, errTooMuch
		}
		r.long = append(r.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.long, err
		}
	}
}

// splitField parts a line at its first colon; one space after it is not of the value.
func splitField(line []byte) (field, value []byte) {
	field, value, _ = bytes.Cut(line, []byte(":"))
	return field, bytes.TrimPrefix(value, []byte(" "))
}
