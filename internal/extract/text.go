package extract

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// readText reads what is text already: it goes over the bytes twice, once to find the
// encoding and once to write them, and holds little of them at a time.
func readText(w io.Writer, r io.ReadSeeker, limit int64) error {
	charset, err := charsetOf(r)
	if err != nil {
		return err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the document again: %w", err)
	}
	if charset == encoding.Nop {
		return writeClean(w, r, limit)
	}
	return writeClean(w, charset.NewDecoder().Reader(r), limit)
}

// writeClean writes what r gives, in UTF-8 with flaws, as Text promises it.
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
		c.visible = c.visible || unicode.IsGraphic(r) && !unicode.IsSpace(r)
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
		return unreadable("the file can't be read: it holds more text than the limit")
	}
	return nil
}

func (c *cleaner) end() error {
	if c.junk >= junkAtLeast && c.junk*junkShare > c.total {
		return unsupported()
	}
	if !c.visible {
		return unreadable("the file can't be read: it is empty")
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
