// Package extract detects the format of a document and reads its text.
package extract

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"parley/internal/extract/picture"
)

// Document is the text of a file.
type Document struct {
	// Type is a media type without parameters, detected from the bytes.
	Type string
	// Text is valid UTF-8. Lines end in "\n"; tabs are the only other control characters.
	Text string
	// Anchors locate pages, sheets or slides in the text, if the format has them.
	Anchors Anchors
	// Notes say what of the file is not in the text, such as "slide 2 could not be read".
	Notes []string
	// Picture is set if the file is a picture. The text of one may be empty.
	Picture *picture.Cleaned
}

// Anchor is the start of a page, sheet or slide.
type Anchor struct {
	// Offset is in bytes from the start of the text.
	Offset int `json:"offset"`
	// Name is for people, such as "page 3".
	Name string `json:"name"`
}

// Anchors are the pages of a document, in order.
type Anchors []Anchor

// At returns the name of the page that an offset in the text belongs to, or "".
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

// A text is limited relative to its file, so that a small file can't fill the storage. A
// packed document has up to ten times its size in text; repeated rows of a table have more.
const (
	textRatio = 32
	smallText = 1 << 20 // allowed for any file
)

// TextLimit returns the largest text of a file of the given size if no text may be larger
// than limit. Sizes are in bytes.
func TextLimit(limit, size int64) int64 {
	return min(limit, max(smallText, textRatio*size))
}

// Reader reads documents within limits, in the caller's process. Package sandbox runs it in
// a separate process.
type Reader struct {
	// MaxText limits the text, in bytes. It is further limited by TextLimit.
	MaxText int64
	// MaxUnpacked limits the unpacked size of a document, in bytes.
	MaxUnpacked int64
	// Engine reads PDFs. If it is nil, Read opens one for each PDF, with Cache.
	Engine *Engine
	// Cache is a folder for the compiled PDF engine. If it is empty, there is no cache.
	Cache string
	// Recognize reads the text in a picture of a page, as a PNG. If it is nil, nothing can. An error
	// that wraps ocr.ErrUnreadable leaves out the page. Any other one ends Read.
	Recognize func(ctx context.Context, picture []byte) (string, error)
	// ScansOff reports that there is no Recognize because the operator does not want it.
	ScansOff bool
	// MaxScans limits how many pages of a document are recognized.
	MaxScans int
	// ScanPixels limits the picture of a page, in pixels. 0 is ocr.MaxPixels.
	ScanPixels int
	// Progress is called before a page is recognized, with its number and how many pages the document
	// has. It may be nil.
	Progress func(page, pages int)
	// Pictures reports whether a model sees pictures. Otherwise only their text is of use.
	Pictures bool

	nesting  int  // how deep the file is attached to others
	attached *int // attachments so far, of all files
}

// Read detects the format of a file and reads its text. The name only refines the type
// of a plain text. If the file can't be read, the error is parley.ErrFormatUnsupported or
// parley.ErrFileUnreadable with a message that gives the reason.
func (r Reader) Read(ctx context.Context, file []byte, name string) (document Document, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			document, err = Document{}, errBroken.WithCause(fmt.Errorf("panic: %v", fault))
		}
	}()
	if mediaType := picture.Type(file); mediaType != "" {
		document, err = r.readPicture(ctx, file)
		document.Type = mediaType
		return document, err
	}
	if r.attached == nil {
		r.attached = new(int)
	}
	if isCompound(file) {
		return r.readCompound(ctx, file)
	}
	mediaType, err := detect(file[:min(len(file), HeadSize)], name)
	if err != nil {
		return Document{}, err
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
	out := &output{limit: TextLimit(r.MaxText, int64(len(file)))}
	blank, err := errEmpty, error(nil)
	switch mediaType {
	case typeHTML:
		err = readHTML(out, file)
	case typeRTF:
		err = readRTF(out, file)
	case typePDF:
		scanned := r.newScans()
		err = r.readPDF(ctx, out, file, scanned)
		blank = scanned.blank()
	case typeEPUB:
		err = readEPUB(out, packed)
	case typeODT:
		err = readODT(out, packed)
	case typeODS:
		err = readODS(out, packed)
	case typeODP:
		err = readODP(out, packed)
	case typeDOCX:
		err = readDOCX(out, packed)
	case typePPTX:
		err = readPPTX(out, packed)
	case typeXLSX:
		err = readXLSX(out, packed, r.MaxUnpacked)
	case typeEML:
		err = r.readMail(ctx, out, file)
	case typeMHTML:
		err = readMHTML(out, file)
	case typeMbox:
		err = r.readMailbox(ctx, out, file)
	case typeNotebook:
		err = readNotebook(out, file)
	case typeSVG:
		err = readSVG(out, file)
	default:
		return readText(file, r.MaxText)
	}
	if err != nil {
		return Document{}, err
	}
	return out.document(blank)
}

func (r Reader) readPDF(ctx context.Context, out *output, file []byte, scanned *scans) error {
	engine := r.Engine
	if engine == nil {
		var err error
		if engine, err = OpenEngine(r.Cache); err != nil {
			return err
		}
		defer engine.Close() //nolint:errcheck // nothing was written
	}
	return readPDF(ctx, out, file, engine, scanned)
}
