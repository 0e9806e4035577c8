package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// enginePages limits the memory of the PDF engine, in pages of 64 KiB.
const enginePages = 4096 // 256 MiB

// readPDF reads the text layer of a PDF, page by page. It skips broken pages, unless all
// are broken.
func readPDF(ctx context.Context, out *output, file []byte, engine *Engine) error {
	reader, err := engine.pool.GetInstanceWithContext(ctx)
	if err != nil {
		return fmt.Errorf("start the PDF engine: %w", err)
	}
	document, err := reader.OpenDocument(&requests.OpenDocument{File: &file})
	switch {
	case errors.Is(err, pdferrors.ErrPassword), errors.Is(err, pdferrors.ErrSecurity):
		return errEncrypted.WithCause(err)
	case err != nil:
		return errBroken.WithCause(err)
	}
	pages, err := reader.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: document.Document})
	if err != nil {
		return errBroken.WithCause(err)
	}
	return readPages(ctx, out, reader, document.Document, pages.PageCount)
}

func readPages(
	ctx context.Context, out *output, reader pdfium.Pdfium, document references.FPDF_DOCUMENT, pages int,
) error {
	broken := error(nil)
	for i := 0; i < pages && !out.full; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		text, err := pageText(reader, document, i)
		if err != nil {
			broken = errBroken.WithCause(err)
			continue
		}
		out.page(fmt.Sprintf("page %d", i+1))
		out.verbatim(strings.Map(bullet, joinHyphens.Replace(text)))
	}
	if out.text.Len() == 0 {
		return broken
	}
	return nil
}

// joinHyphens joins words that are hyphenated at a line end: the engine marks such a
// hyphen.
var joinHyphens = strings.NewReplacer(
	"\ufffe\r\n", "", "\x02\r\n", "", "\ufffe", "", "\x02", "", "\r\n", "\n", "\r", "\n",
)

// bullet replaces a character of a symbol font, usually the mark of a list item.
func bullet(r rune) rune {
	if unicode.Is(unicode.Co, r) {
		return '•'
	}
	return r
}

func pageText(reader pdfium.Pdfium, document references.FPDF_DOCUMENT, index int) (string, error) {
	page, err := reader.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: document, Index: index})
	if err != nil {
		return "", err
	}
	defer reader.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page.Page}) //nolint:errcheck // the engine is closed soon
	text, err := reader.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: requests.Page{ByReference: &page.Page}})
	if err != nil {
		return "", err
	}
	//nolint:errcheck // the engine is closed soon
	defer reader.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage})
	chars, err := reader.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text.TextPage})
	if err != nil || chars.Count <= 0 {
		return "", err
	}
	content, err := reader.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: text.TextPage, Count: chars.Count})
	if err != nil {
		return "", err
	}
	return content.Text, nil
}

// IsPDF reports whether a file may be a PDF, from its first bytes.
func IsPDF(file []byte) bool {
	return bytes.Contains(file[:min(len(file), pdfHead)], []byte("%PDF-"))
}

// pdfHead is how far into a file the mark of a PDF may begin.
const pdfHead = 1024

// Engine is the PDF engine with its compiled code.
type Engine struct {
	pool pdfium.Pool
	code wazero.CompilationCache
}

// OpenEngine loads the compiled PDF engine from a cache folder, or compiles it and adds it to the
// folder. If cache is empty, there is no folder. An open engine opens no files.
func OpenEngine(cache string) (*Engine, error) {
	code := wazero.NewCompilationCache()
	if cache != "" {
		var err error
		if code, err = wazero.NewCompilationCacheWithDir(cache); err != nil {
			return nil, fmt.Errorf("open the cache of the PDF engine: %w", err)
		}
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxTotal:      1,
		MaxIdle:       1,
		FSConfig:      wazero.NewFSConfig(),
		Stdout:        io.Discard,
		Stderr:        io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().WithMemoryLimitPages(enginePages).WithCompilationCache(code),
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the PDF engine: %w", err), code.Close(context.Background()))
	}
	return &Engine{pool, code}, nil
}

// Close frees the memory of the engine and of its code.
func (e *Engine) Close() error {
	return errors.Join(e.pool.Close(), e.code.Close(context.Background()))
}
