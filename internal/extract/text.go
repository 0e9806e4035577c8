package extract

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// readText reads what is text already.
func readText(file []byte, limit int64) (Document, error) {
	var text strings.Builder
	text.Grow(len(file))
	if err := writeClean(&text, decode(file), limit); err != nil {
		return Document{}, err
	}
	return Document{Text: text.String()}, nil
}

// decode gives the text of a file in UTF-8, whatever it is encoded in.
func decode(file []byte) io.Reader {
	charset := charsetOf(file)
	if charset == encoding.Nop {
		return bytes.NewReader(file)
	}
	return charset.NewDecoder().Reader(bytes.NewReader(file))
}

// writeClean writes what r gives, in UTF-8 with flaws, as Document promises it.
func writeClean(w io.Writer, r io.Reader, limit int64) error {
	in := bufio.NewReaderSize(r, 64<<10)
	out := cleaner{w: bufio.NewWriterSize(w, 64<<10), limit: limit}
	for {
		c, _, err := in.ReadRune()
		if errors.Is(err, io.EOF) {
			return out.end()
		}
		if err != nil {
			return fmt.Errorf("read the document: %w", err)
		}
		if err := out.add(c); err != nil {
			return err
		}
	}
}

// cleaner writes the characters of a text, without those that don't belong there.
type cleaner struct {
	w       *bufio.Writer
	limit   int64
	written int64
	total   int
	junk    int
	visible bool // something other than space was written
	turned  bool // the last character was a carriage return
}

func (c *cleaner) add(r rune) error {
	c.total++
	turned := c.turned
	c.turned = r == '\r'
	switch r {
	case '\n':
		if turned {
			return nil
		}
	case '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		r = '\n'
	case '\t':
	case '\x1b', '\ufeff':
		return nil
	default:
		if isJunk(r) {
			c.junk++
			return nil
		}
		c.visible = c.visible || isVisible(r)
	}
	return c.write(r)
}

func (c *cleaner) write(r rune) error {
	n, err := c.w.WriteRune(r)
	if err != nil {
		return fmt.Errorf("write the text: %w", err)
	}
	c.written += int64(n)
	if c.written > c.limit {
		return errTooLong
	}
	return nil
}

func (c *cleaner) end() error {
	if c.junk >= junkAtLeast && c.junk*junkShare > c.total {
		return errUnsupported
	}
	if !c.visible {
		return errEmpty
	}
	if err := c.w.Flush(); err != nil {
		return fmt.Errorf("write the text: %w", err)
	}
	return nil
}

// Junk makes a text unbelievable where it is one in junkShare characters or more. A
// character that was cut off at the end is less than junkAtLeast.
const (
	junkShare   = 10
	junkAtLeast = utf8.UTFMax
)

// isJunk reports whether a character is a sign of bytes that are no text, or of the
// wrong encoding.
func isJunk(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', '\x1b', '\u0085':
		return false
	}
	return r == utf8.RuneError || unicode.IsControl(r)
}
