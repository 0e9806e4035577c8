// Package extract finds out what a document is and reads its text.
package extract

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Document is what was read of a file.
type Document struct {
	// Type is a media type without parameters, found from the bytes.
	Type string
	// Text is valid UTF-8 with "\n" at line ends and no control characters but tabs.
	Text string
	// Anchors say which part of the text stands where, where the format has pages.
	Anchors Anchors
}

// Anchor is where a page, sheet or slide begins.
type Anchor struct {
	// Offset is the place in the text, in bytes.
	Offset int `json:"offset"`
	// Name is what people call it, such as "page 3".
	Name string `json:"name"`
}

// Anchors are the pages of a document, in order.
type Anchors []Anchor

// At is the name of the page that a place in the text belongs to; "" where none does.
func (a Anchors) At(offset int) string {
	i, found := slices.BinarySearchFunc(a, offset, func(anchor Anchor, offset int) int {
		return cmp.Compare(anchor.Offset, offset)
	})
	switch {
	case found:
		return a[i].Name
	case i == 0:
		return ""
	}
	return a[i-1].Name
}

// Reader reads documents within limits. It does so in the caller's process: package
// sandbox puts a wall around it.
type Reader struct {
	// MaxText is the longest text that is taken, in bytes.
	MaxText int64
	// MaxUnpacked is the most that a document may unpack to, in bytes.
	MaxUnpacked int64
	// Cache is a folder in which the compiled PDF engine is kept; "" for none.
	Cache string
}

// Read finds out what a file is and reads its text. The name only tells one kind of
// text from another. What can't be read is parley.ErrFormatUnsupported or
// parley.ErrFileUnreadable, with a message that says why.
func (r Reader) Read(ctx context.Context, file []byte, name string) (document Document, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			document, err = Document{}, errBroken.Because(fmt.Errorf("panic: %v", fault))
		}
	}()
	mediaType, err := detect(file[:min(len(file), headSize)], name)
	if err != nil {
		return Document{}, lockedOr(file, err)
	}
	var packed *archive
	if mediaType == "" {
		if packed, err = openArchive(file, r.MaxUnpacked); err != nil {
			return Document{}, err
		}
		if mediaType, err = packed.kind(); err != nil {
			return Document{}, err
		}
	}
	document, err = r.read(ctx, file, packed, mediaType)
	document.Type = mediaType
	return document, err
}

func (r Reader) read(ctx context.Context, file []byte, packed *archive, mediaType string) (Document, error) {
	out := &output{limit: r.MaxText}
	blank, err := errEmpty, error(nil)
	switch mediaType {
	case typeHTML:
		err = readHTML(out, file)
	case typeRTF:
		err = readRTF(out, file)
	case typePDF:
		blank = errNoText
		err = readPDF(ctx, out, file, r.Cache)
	case typeEPUB:
		err = readEPUB(out, packed)
	case typeODT:
		err = readODT(out, packed)
	case typeDOCX:
		err = readDOCX(out, packed)
	case typePPTX:
		err = readPPTX(out, packed)
	case typeXLSX:
		err = readXLSX(out, file, r.MaxUnpacked)
	default:
		return readText(file, r.MaxText)
	}
	if err != nil {
		return Document{}, err
	}
	return out.document(blank)
}
