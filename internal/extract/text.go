package extract

import (
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
	out := cleaner{w: w, limit: limit}
	buffer := make([]byte, 64<<10)
	kept := 0 // bytes of a character whose rest is still to come
	for {
		n, err := r.Read(buffer[kept:])
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the document: %w", err)
		}
		text, last := buffer[:kept+n], err != nil
		used, err := out.add(text, last)
		if err != nil {
			return err
		}
		if last {
			return out.end()
		}
		kept = copy(buffer, text[used:])
	}
}

// cleaner writes a text without the characters that don't belong there.
type cleaner struct {
	w       io.Writer
	limit   int64
	written int64
	total   int
	junk    int
	visible bool // something other than space was written
	turned  bool // the last character was a carriage return
}

// add takes the next bytes and says how many: where they are not the last ones, all but
// the beginning of a character. What can stay as it is it writes in one go.
func (c *cleaner) add(text []byte, last bool) (int, error) {
	start, i := 0, 0
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && !last && !utf8.FullRune(text[i:]) {
			break
		}
		if clean := c.clean(r); clean != r {
			if err := c.write(text[start:i]); err != nil {
				return i, err
			}
			if clean != dropped {
				if err := c.write([]byte(string(clean))); err != nil {
					return i, err
				}
			}
			start = i + size
		}
		i += size
	}
	return i, c.write(text[start:i])
}

// dropped stands for a character that is left out.
const dropped rune = -1

// clean is what is written for the next character.
func (c *cleaner) clean(r rune) rune {
	c.total++
	turned := c.turned
	c.turned = r == '\r'
	switch r {
	case '\n':
		if turned {
			return dropped
		}
	case '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return '\n'
	case '\t':
	case '\x1b', '\ufeff':
		return dropped
	default:
		if isJunk(r) {
			c.junk++
			return dropped
		}
		c.visible = c.visible || isVisible(r)
	}
	return r
}

func (c *cleaner) write(text []byte) error {
	n, err := c.w.Write(text)
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
