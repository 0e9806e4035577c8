package rtf

import (
	"strings"

	"parley/internal/extract/prose"
)

// noteReader are the footnotes and comments of a Rich Text document, which are in its text.
type noteReader struct {
	footnotes prose.Footnotes
	comments  []prose.Comment // to be written
	author    strings.Builder

	isComment bool // the open note is a comment
	isReply   bool // it replies to another
	begun     bool // the paragraph around the open note has text
}

// beginNote redirects the output to a note until its group ends. A note in another one is skipped.
func (r *reader) beginNote(name string) {
	if r.body != nil {
		r.destination(name)
		return
	}
	r.group().note = true
	r.body, r.out = r.out, &prose.Output{Limit: r.out.Limit}
	r.notes.isComment, r.notes.isReply = name == "annotation", false
	r.notes.begun, r.begun = r.begun, true
}

func (r *reader) endNote() {
	text := r.out.String()
	r.out, r.body = r.body, nil
	r.begun = r.notes.begun
	if r.notes.isComment {
		author := strings.TrimSpace(r.notes.author.String())
		r.notes.author.Reset()
		r.notes.comments = append(r.notes.comments, prose.Comment{Author: author, Text: text, Reply: r.notes.isReply})
		return
	}
	r.begin()
	r.notes.footnotes.Refer(r.out, strings.Join(strings.Fields(text), " "))
}

// write writes the notes of the paragraph or table that has ended.
func (n *noteReader) write(out *prose.Output) {
	n.footnotes.Write(out)
	if len(n.comments) > 0 && out.Cells == 0 {
		prose.WriteComments(out, n.comments)
		n.comments = nil
	}
}
