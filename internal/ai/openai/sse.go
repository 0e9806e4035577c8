package openai

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errTooLarge means that a line, an event or a stream is over its limit.
var errTooLarge = errors.New("more than the limit")

// eventReader reads server-sent events. Lines end in LF or CRLF.
type eventReader struct {
	in   *bufio.Reader
	body io.Closer // the source of in
	// maxEvent limits a line and the data of an event. maxStream limits the whole stream.
	maxEvent, maxStream int
	// onLine is called after every line, comments included.
	onLine func()

	data []byte
	long []byte // a line that did not fit into the buffer of in
}

func (r *eventReader) close() { _ = r.body.Close() }

// first skips white space and returns the next byte without consuming it. Empty lines count as lines, because
// some servers send them as keep-alives.
func (r *eventReader) first() (byte, error) {
	for range r.maxEvent {
		next, err := r.in.Peek(1)
		if err != nil {
			return 0, err
		}
		switch next[0] {
		case '\n':
			r.onLine()
			fallthrough
		case ' ', '\t', '\r':
			_, _ = r.in.Discard(1)
		default:
			return next[0], nil
		}
	}
	return 0, errTooLarge
}

// next returns the data of the next event that has any, and whether the event is named "error". The data is
// valid until the following call. The error is io.EOF at the end of the stream. The last event may lack its
// empty line.
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
		r.onLine()
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
			if r.data = append(r.data, value...); len(r.data) > r.maxEvent {
				return nil, false, errTooLarge
			}
		case "event":
			isError = string(value) == "error"
		}
	}
}

// readLine returns the next line without its line break. The last line may lack one.
func (r *eventReader) readLine() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.readLong(line)
	}
	if r.maxStream -= len(line); r.maxStream < 0 || len(line) > r.maxEvent {
		return nil, errTooLarge
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
		if len(r.long)+len(part) > r.maxEvent {
			return nil, errTooLarge
		}
		r.long = append(r.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.long, err
		}
	}
}

// splitField splits a line at its first colon. One space after the colon is not part of the value.
func splitField(line []byte) (field, value []byte) {
	field, value, _ = bytes.Cut(line, []byte(":"))
	return field, bytes.TrimPrefix(value, []byte(" "))
}
