package extract

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
)

// readText reads a plain text.
func readText(file []byte, limit int64) (prose.Document, error) {
	var text strings.Builder
	text.Grow(len(file))
	if err := writeClean(&text, charset.Decode(file), limit); err != nil {
		return prose.Document{}, err
	}
	return prose.Document{Text: text.String()}, nil
}

// writeClean copies a text in UTF-8 and cleans it up as Document.Text requires.
func writeClean(w io.Writer, r io.Reader, limit int64) error {
	out := cleaner{w: w, limit: limit}
	buffer := make([]byte, 64<<10)
	kept := 0 // bytes of an incomplete character
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

// cleaner writes a text without control characters and invalid bytes.
type cleaner struct {
	w       io.Writer
	limit   int64
	written int64
	total   int
	junk    int
	visible bool // the text has a visible character
	cr      bool // the last character was a carriage return
}

// add writes the next bytes of the text and returns how many it used. Unless they are the
// last, it leaves out an incomplete character at the end.
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

// dropped is returned for a character to leave out.
const dropped rune = -1

// clean returns the character to write for the next one of the text.
func (c *cleaner) clean(r rune) rune {
	c.total++
	afterCR := c.cr
	c.cr = r == '\r'
	switch r {
	case '\n':
		if afterCR {
			return dropped
		}
	case '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return '\n'
	case '\t':
	case '\x1b', '\ufeff':
		return dropped
	default:
		if charset.IsJunk(r) {
			c.junk++
			return dropped
		}
		c.visible = c.visible || prose.IsVisible(r)
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
		return prose.ErrTooLong
	}
	return nil
}

func (c *cleaner) end() error {
	if c.junk >= junkAtLeast && c.junk*junkShare > c.total {
		return prose.ErrUnsupported
	}
	if !c.visible {
		return prose.ErrEmpty
	}
	return nil
}

// A file is not text if it has at least junkAtLeast junk characters, more than one in
// junkShare. An incomplete character at the end has fewer.
const (
	junkShare   = 10
	junkAtLeast = utf8.UTFMax
)
