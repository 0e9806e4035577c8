package ooxml

import (
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// wordComments are the comments of a Word document.
type wordComments struct {
	byID    map[string]prose.Comment
	replies map[string]bool // ids of paragraphs of comments that are replies
	starts  map[string]int  // offsets in the text of what the open comments are about
	pending []prose.Comment // to be written after the paragraph
}

// maxQuote limits the words that a comment is shown to be about, in bytes.
const maxQuote = 120

// readReplies reads which comments are replies.
func (c *wordComments) readReplies(content []byte) error {
	c.replies = make(map[string]bool)
	return zipxml.Visit(content, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		if e.Name == "commentEx" && e.Attr("paraIdParent") != "" {
			c.replies[e.Attr("paraId")] = true
		}
		return true
	}})
}

func (c *wordComments) read(content []byte, limit int64) error {
	c.byID, c.starts = make(map[string]prose.Comment), make(map[string]int)
	body := &prose.Output{Limit: limit}
	v := (&wordReader{out: body}).visitor()
	id, one := "", prose.Comment{}
	return zipxml.Visit(content, zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			switch e.Name {
			case "comment":
				id, one = e.Attr("id"), prose.Comment{Author: e.Attr("author")}
				return true
			case "p":
				one.Reply = one.Reply || c.replies[e.Attr("paraId")]
			}
			return v.Start(e)
		},
		End: func(name string) {
			if name != "comment" {
				v.End(name)
				return
			}
			one.Text = strings.Join(strings.Fields(body.String()), " ")
			c.byID[id] = one
			*body = prose.Output{Limit: limit}
		},
		Text: v.Text,
	})
}

// begin notes where the text starts that a comment is about.
func (c *wordComments) begin(out *prose.Output, id string) {
	if _, ok := c.byID[id]; ok {
		c.starts[id] = out.Len()
	}
}

// refer adds a comment to those that are written after the paragraph. Each is written once.
func (c *wordComments) refer(out *prose.Output, id string) {
	one, ok := c.byID[id]
	if !ok {
		return
	}
	delete(c.byID, id)
	if start, ok := c.starts[id]; ok && !one.Reply {
		about := strings.TrimSpace(out.String()[start:])
		if about != "" && len(about) <= maxQuote && !strings.ContainsAny(about, "\n\t") {
			one.Place = `"` + about + `"`
		}
	}
	c.pending = append(c.pending, one)
}

// write writes the pending comments, after the paragraph or table that they are about.
func (c *wordComments) write(out *prose.Output) {
	if out.Cells > 0 || len(c.pending) == 0 {
		return
	}
	prose.WriteComments(out, c.pending)
	c.pending = nil
}
