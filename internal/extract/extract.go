// Package extract detects the format of a document and reads its text.
package extract

import (
	"cmp"
	"context"
	"fmt"

	"parley/internal/extract/html"
	"parley/internal/extract/ocr"
	"parley/internal/extract/odf"
	"parley/internal/extract/ole"
	"parley/internal/extract/ooxml"
	"parley/internal/extract/pdf"
	"parley/internal/extract/picture"
	"parley/internal/extract/prose"
	"parley/internal/extract/rtf"
	"parley/internal/extract/zipxml"
)

// A text is limited relative to its file: a small file must not fill the storage. A packed document has up to ten times
// its size in text; repeated rows of a table have more.
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
	Engine *pdf.Engine
	// Cache is a folder for the compiled PDF engine. If it is empty, there is no cache.
	Cache string
	// Recognize reads the text in a picture of a page, as a PNG. If it is nil, pictures are not read. An error that wraps
	// ocr.ErrUnreadable leaves out the page. Any other one ends Read.
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
func (r Reader) Read(ctx context.Context, file []byte, name string) (document prose.Document, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			document, err = prose.Document{}, prose.ErrBroken.WithCause(fmt.Errorf("panic: %v", fault))
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
	if ole.IsCompound(file) {
		return r.readCompound(ctx, file)
	}
	mediaType, err := detect(file[:min(len(file), HeadSize)], name)
	if err != nil {
		return prose.Document{}, err
	}
	var packed *zipxml.Archive
	if mediaType == "" {
		if packed, err = zipxml.Open(file, r.MaxUnpacked); err != nil {
			return prose.Document{}, err
		}
		if mediaType, err = packedType(packed); err != nil {
			return prose.Document{}, err
		}
	}
	document, err = r.read(ctx, file, packed, mediaType)
	document.Type = mediaType
	return document, err
}

func (r Reader) read(
	ctx context.Context, file []byte, packed *zipxml.Archive, mediaType string,
) (prose.Document, error) {
	out := &prose.Output{Limit: TextLimit(r.MaxText, int64(len(file)))}
	blank, err := prose.ErrEmpty, error(nil)
	switch mediaType {
	case typeHTML:
		err = html.Read(out, file)
	case typeRTF:
		err = rtf.Read(out, file)
	case typePDF:
		scanned := r.newScans()
		err = r.readPDF(ctx, out, file, scanned)
		blank = scanned.Blank()
	case typeEPUB:
		err = html.ReadEPUB(out, packed)
	case odf.ODT:
		err = odf.ReadODT(out, packed)
	case odf.ODS:
		err = odf.ReadODS(out, packed)
	case odf.ODP:
		err = odf.ReadODP(out, packed)
	case ooxml.DOCX:
		err = ooxml.ReadDOCX(out, packed)
	case ooxml.PPTX:
		err = ooxml.ReadPPTX(out, packed)
	case ooxml.XLSX:
		err = ooxml.ReadXLSX(out, packed)
	case typeEML:
		err = r.readMail(ctx, out, file)
	case typeMHTML:
		err = readMHTML(out, file)
	case typeMbox:
		err = r.readMailbox(ctx, out, file)
	case typeNotebook:
		err = readNotebook(out, file)
	case typeSVG:
		err = html.ReadSVG(out, file)
	case typeFB2:
		err = html.ReadFB2(out, file)
	case typeFlatODF:
		err = odf.ReadFlat(out, file)
	case typeWordXML:
		err = ooxml.ReadWordXML(out, file)
	case typeSheetXML:
		err = ooxml.ReadSheetXML(out, file)
	default:
		return readText(file, r.MaxText)
	}
	if err != nil {
		return prose.Document{}, err
	}
	return out.Document(blank)
}

func (r Reader) readPDF(ctx context.Context, out *prose.Output, file []byte, scanned *pdf.Scans) error {
	engine := r.Engine
	if engine == nil {
		var err error
		if engine, err = pdf.OpenEngine(r.Cache); err != nil {
			return err
		}
		defer engine.Close() //nolint:errcheck // nothing was written
	}
	return pdf.Read(ctx, out, file, engine, scanned)
}

func (r Reader) newScans() *pdf.Scans {
	return &pdf.Scans{
		Recognize: r.Recognize, Progress: r.Progress, Limit: r.MaxScans, MaxPixels: cmp.Or(r.ScanPixels, ocr.MaxPixels),
		Off: r.ScansOff,
	}
}
