package extract

import (
	"bytes"
	"cmp"
	"context"
	"strings"
)

// Limits of what a document may hold as attachments.
const (
	maxNesting     = 3 // a message in a message in a message
	maxAttachments = 50
)

// attach reads an attachment by its own kind and adds its text under an anchor with its name. If it
// can't be read, a note says so.
func (r Reader) attach(ctx context.Context, out *output, name string, content []byte) {
	name = SafeName(cmp.Or(name, "attachment"))
	r.attachBy(out, name, func(r Reader) (Document, error) { return r.Read(ctx, content, name) })
}

// attachBy is like attach, with a function that reads the attachment.
func (r Reader) attachBy(out *output, name string, read func(Reader) (Document, error)) {
	name = SafeName(name)
	switch {
	case out.full:
		return
	case r.nesting >= maxNesting || *r.attached >= maxAttachments:
		out.note("attachment " + name + " was not read: there are too many")
		return
	}
	*r.attached++
	r.nesting++
	r.MaxText = out.limit - int64(out.text.Len())
	document, err := read(r)
	if err != nil {
		out.note("attachment " + name + " could not be read")
		return
	}
	out.include("attachment "+name, document)
}

// include adds the text of another document under an anchor.
func (o *output) include(name string, d Document) {
	o.page(name)
	o.write(name)
	o.paragraph()
	text := strings.TrimRight(d.Text, "\n")
	o.separate()
	if int64(o.text.Len()+len(text)) > o.limit {
		o.full = true
		return
	}
	start := o.text.Len()
	o.text.WriteString(text)
	for _, anchor := range d.Anchors {
		o.anchors = append(o.anchors, Anchor{Offset: start + anchor.Offset, Name: name + ", " + anchor.Name})
	}
	for _, note := range d.Notes {
		o.note(strings.TrimPrefix(name, "attachment ") + ": " + note)
	}
	o.paragraph()
}

// MayNeedEngine reports whether a file may be a PDF or a message with one attached, from its first bytes.
func MayNeedEngine(head []byte, name string) bool {
	return IsPDF(head) || isMailbox(head) || mailType(head, name) == typeEML || isCompound(head)
}

// MayHoldPDF reports whether a file may be a PDF or have one attached. Only such files need an Engine.
func MayHoldPDF(file []byte) bool {
	const inBase64 = "JVBERi0"
	return IsPDF(file) || bytes.Contains(file, []byte("%PDF-")) || bytes.Contains(file, []byte(inBase64))
}
