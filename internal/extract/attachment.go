package extract

import (
	"bytes"
	"cmp"
	"context"

	"parley/internal/extract/ole"
	"parley/internal/extract/prose"
)

// Limits of what a document may hold as attachments.
const (
	maxNesting     = 3 // a message in a message in a message
	maxAttachments = 50
)

// attach reads an attachment by its own kind and adds its text under an anchor with its name. If it
// can't be read, a note says so.
func (r Reader) attach(ctx context.Context, out *prose.Output, name string, content []byte) {
	name = SafeName(cmp.Or(name, "attachment"))
	r.attachBy(out, name, func(r Reader) (prose.Document, error) { return r.Read(ctx, content, name) })
}

// attachBy is like attach, with a function that reads the attachment.
func (r Reader) attachBy(out *prose.Output, name string, read func(Reader) (prose.Document, error)) {
	name = SafeName(name)
	switch {
	case out.Full:
		return
	case r.nesting >= maxNesting || *r.attached >= maxAttachments:
		out.Note("attachment " + name + " was not read: there are too many")
		return
	}
	*r.attached++
	r.nesting++
	r.MaxText = out.Limit - int64(out.Len())
	document, err := read(r)
	if err != nil {
		out.Note("attachment " + name + " could not be read")
		return
	}
	out.Include("attachment "+name, document)
}

// MayNeedEngine reports whether a file may be a PDF or a message with one attached, from its first bytes.
func MayNeedEngine(head []byte, name string) bool {
	return IsPDF(head) || isMailbox(head) || mailType(head, name) == typeEML || ole.IsCompound(head)
}

// MayHoldPDF reports whether a file may be a PDF or have one attached. Only such files need an Engine.
func MayHoldPDF(file []byte) bool {
	const inBase64 = "JVBERi0"
	return IsPDF(file) || bytes.Contains(file, []byte("%PDF-")) || bytes.Contains(file, []byte(inBase64))
}
