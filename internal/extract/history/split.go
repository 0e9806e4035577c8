package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

const (
	// maxString is the largest text in JSON. It can hold the longest reply with all characters escaped. A longer one
	// is replaced by omitted.
	maxString = 6 * MaxReply
	// dataPrefix begins a data URL, such as a picture. maxData is how much of one is kept.
	dataPrefix = "data:"
	maxData    = 1 << 10
	// headSize is how much is kept of an oversized element, for its title.
	headSize = 64 << 10
	// omitted stands for an oversized text. No text of a conversation has this character.
	omitted = "\x00"
)

// splitter returns the elements of a JSON array, or one JSON object. It does not check what is inside of an element.
type splitter struct {
	r       io.ByteScanner
	started bool
	array   bool
	ended   bool
	buf     []byte
}

func newSplitter(r io.ByteScanner) *splitter { return &splitter{r: r} }

var errNotJSON = errors.New("not a JSON array or object")

// next returns the next element, which is valid until the following call, or io.EOF. If the element is too large, it
// returns its beginning and errTooLarge. It is an error if the JSON ends early. With errEnough it returns what it has.
func (s *splitter) next() ([]byte, error) {
	c, err := s.first()
	if err != nil {
		return nil, err
	}
	s.buf = append(s.buf[:0], c)
	e := element{splitter: s}
	switch c {
	case '{', '[':
		err = e.readNested()
	case '"':
		err = e.readString()
	default:
		err = e.readLiteral()
	}
	if err != nil {
		return s.buf, early(err)
	}
	if e.large {
		return s.buf, errTooLarge
	}
	return s.buf, nil
}

// first returns the first byte of the next element.
func (s *splitter) first() (byte, error) {
	if s.ended {
		return 0, io.EOF
	}
	c, err := s.token()
	if err != nil {
		return 0, early(err)
	}
	if !s.started {
		s.started = true
		switch c {
		case '{':
			s.ended = true
			return c, nil
		case '[':
			s.array = true
			if c, err = s.token(); err != nil {
				return 0, early(err)
			}
		default:
			return 0, errNotJSON
		}
	} else if c == ',' {
		if c, err = s.token(); err != nil {
			return 0, early(err)
		}
	} else if c != ']' {
		return 0, errNotJSON
	}
	if c == ']' {
		s.ended = true
		return 0, io.EOF
	}
	return c, nil
}

// token skips white space and byte order marks and returns the next byte.
func (s *splitter) token() (byte, error) {
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
		default:
			return c, nil
		}
	}
}

// early returns the error of JSON that ends in the middle.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// element is the current element.
type element struct {
	*splitter
	large bool
}

func (e *element) add(c byte) {
	if e.large {
		return
	}
	if len(e.buf) >= MaxConversation {
		e.large = true
		e.buf = e.buf[:headSize]
		return
	}
	e.buf = append(e.buf, c)
}

// readNested reads an object or an array to its end. Its first byte is read.
func (e *element) readNested() error {
	for depth := 1; depth > 0; {
		c, err := e.r.ReadByte()
		if err != nil {
			return err
		}
		e.add(c)
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			if err := e.readString(); err != nil {
				return err
			}
		}
	}
	return nil
}

// readLiteral reads a number, true, false or null to its end. Its first byte is read.
func (e *element) readLiteral() error {
	for {
		c, err := e.r.ReadByte()
		if err != nil {
			return err
		}
		if strings.IndexByte(" \t\r\n,]", c) >= 0 {
			break
		}
		e.add(c)
	}
	if err := e.r.UnreadByte(); err != nil {
		return err
	}
	if !e.large && !json.Valid(e.buf) {
		return errNotJSON
	}
	return nil
}

// readString reads a string to its end. Its first quote is read.
func (e *element) readString() error {
	begin, long, data := len(e.buf), false, false
	for escaped := false; ; {
		c, err := e.r.ReadByte()
		if err != nil {
			return err
		}
		if c == '"' && !escaped {
			e.add(c)
			return nil
		}
		escaped = c == '\\' && !escaped
		if long {
			continue
		}
		e.add(c)
		size := len(e.buf) - begin
		if size == len(dataPrefix) && string(e.buf[begin:]) == dataPrefix {
			data = true
		}
		if !e.large && (size > maxString || data && size > maxData) {
			e.buf = append(e.buf[:begin], `\u0000`...)
			long = true
		}
	}
}

// titleIn returns the title of an object that may be cut off, or "".
func titleIn(raw []byte) string {
	in := json.NewDecoder(bytes.NewReader(raw[:min(len(raw), headSize)]))
	if begin, err := in.Token(); err != nil || begin != json.Delim('{') {
		return ""
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return ""
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return ""
		}
		var title string
		if key == "title" && json.Unmarshal(value, &title) == nil {
			return title
		}
	}
	return ""
}
