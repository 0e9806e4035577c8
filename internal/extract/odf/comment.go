package odf

import (
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// commentReader collects the comments of an OpenDocument file, which are in its text.
type commentReader struct {
	pending []prose.Comment // to be written
	open    *prose.Comment  // the current one; nil outside of comments
	author  bool            // within its author
	text    strings.Builder
}

// begin starts a comment.
func (c *commentReader) begin(e zipxml.Element) {
	c.open = &prose.Comment{Reply: e.Attr("parent-name") != ""}
	c.text.Reset()
}

// start handles an element of a comment.
func (c *commentReader) start(e zipxml.Element) bool {
	switch e.Name {
	case "creator":
		c.author = true
	case "date", "date-string", "meta-date-string", "creator-initials", "sender-initials":
		return false
	case "s", "tab", "line-break":
		c.text.WriteByte(' ')
	}
	return true
}

func (c *commentReader) write(s string) {
	switch {
	case c.author:
		c.open.Author += s
	case c.text.Len() < maxComment:
		c.text.WriteString(s)
	}
}

// maxComment limits the text of a comment, in bytes.
const maxComment = 64 << 10

// end handles the end of an element of a comment.
func (c *commentReader) end(name string) {
	switch name {
	case "creator":
		c.author = false
	case "p":
		c.text.WriteByte('\n')
	case "annotation":
		c.open.Text = c.text.String()
		c.pending = append(c.pending, *c.open)
		c.open, c.author = nil, false
	}
}

// flush writes the comments that were read.
func (c *commentReader) flush(out *prose.Output) {
	if len(c.pending) == 0 || out.Cells > 0 {
		return
	}
	prose.WriteComments(out, c.pending)
	c.pending = nil
}
