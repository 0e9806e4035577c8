// Package pdf reads PDFs: their text layer, forms and comments, and by recognition what pages without text show.
package pdf

import (
	"context"
	"errors"
	"fmt"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"parley/internal/extract/prose"
)

// openDocument is an open PDF.
type openDocument struct {
	pdfium.Pdfium
	handle references.FPDF_DOCUMENT
}

// Read reads the text layer of a PDF, page by page, and what pages without readable text show. It notes
// the pages that it can't read, unless it can read none.
func Read(ctx context.Context, out *prose.Output, file []byte, engine *Engine, scanned *Scans) error {
	reader, err := engine.pool.GetInstanceWithContext(ctx)
	if err != nil {
		return fmt.Errorf("start the PDF engine: %w", err)
	}
	opened, err := reader.OpenDocument(&requests.OpenDocument{File: &file})
	switch {
	case errors.Is(err, pdferrors.ErrPassword), errors.Is(err, pdferrors.ErrSecurity):
		return prose.ErrEncrypted.WithCause(err)
	case err != nil:
		return prose.ErrBroken.WithCause(err)
	}
	count, err := reader.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	if err != nil {
		return prose.ErrBroken.WithCause(err)
	}
	scanned.pages = count.PageCount
	pages, err := readPages(ctx, out, openDocument{reader, opened.Document}, scanned)
	if err != nil {
		return err
	}
	dropRunningLines(pages)
	for _, page := range pages {
		out.Page(pageName(page.index))
		out.Verbatim(page.text())
	}
	return nil
}

// readPages returns the pages that have text. If none has, and one is broken, it returns an error.
func readPages(ctx context.Context, out *prose.Output, document openDocument, scanned *Scans) ([]pageText, error) {
	var pages []pageText
	broken, size := error(nil), int64(0)
	var cut []int
	for i := 0; i < scanned.pages && !out.Full; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		page, err := document.page(i)
		switch {
		case err != nil:
			broken = prose.ErrBroken.WithCause(err)
			out.Note(pageName(i) + " could not be read")
			continue
		case pageNeedsOCR(page.raw()):
			if page.lines, err = scanned.read(ctx, document, page); err != nil {
				return nil, err
			}
		}
		if page.isEmpty() {
			continue
		}
		if page.cut {
			cut = append(cut, i+1)
		}
		pages = append(pages, page)
		size += page.size()
		out.Full = size > out.Limit
	}
	if len(cut) > 0 {
		out.Note(pageRanges(cut) + " incomplete: the fonts of some text are not in the file")
	}
	scanned.report(out)
	if len(pages) == 0 {
		return nil, broken
	}
	return pages, nil
}

func pageName(index int) string { return fmt.Sprintf("page %d", index+1) }
