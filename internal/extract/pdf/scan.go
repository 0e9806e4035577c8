package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"parley"
	"parley/internal/extract/ocr"
	"parley/internal/extract/prose"
)

const (
	// scanResolution is in pixels per point: 300 dpi. With 200 dpi some Chinese is lost.
	scanResolution = 300.0 / 72
	// maxSide is the longest side of a picture of a page, in pixels.
	maxSide = 10_000
	// minSide is the shortest side that can hold text.
	minSide = 8
)

// Scans reads the pages of a PDF that have no text, such as scanned ones, as pictures.
type Scans struct {
	// Recognize reads the text in a picture of a page. It may be nil.
	Recognize func(ctx context.Context, picture []byte) (string, error)
	// Progress is called before a page is recognized, with its number and that of all pages. It may be nil.
	Progress  func(page, pages int)
	Limit     int  // how many pages may be recognized
	MaxPixels int  // of the picture of a page
	Off       bool // the operator does not want recognition

	pages      int // of the document
	recognized int
	// The numbers of pages that were not read: because they can't be, because the limit was reached, or because no program
	// is there to read them.
	failed, beyond, unread []int
}

// read returns the lines of a page without readable text, or none if it can't be read. An error ends the
// reading of the document.
func (s *Scans) read(ctx context.Context, document openDocument, page pageText) ([]textLine, error) {
	number := page.index + 1
	switch {
	case page.blank:
		return nil, nil
	case s.Recognize == nil:
		s.unread = append(s.unread, number)
		return nil, nil
	case s.recognized >= s.Limit:
		s.beyond = append(s.beyond, number)
		return nil, nil
	}
	s.recognized++
	if s.Progress != nil {
		s.Progress(number, s.pages)
	}
	picture, err := document.render(page.index, s.MaxPixels)
	if err == nil {
		var text string
		if text, err = s.Recognize(ctx, picture); err == nil {
			return scannedLines(text), nil
		}
		if !errors.Is(err, ocr.ErrUnreadable) {
			return nil, fmt.Errorf("recognize page %d: %w", number, err)
		}
	}
	s.failed = append(s.failed, number)
	return nil, nil
}

// scannedLines returns the lines of a text, blank ones between paragraphs too. Their places are unknown.
func scannedLines(text string) []textLine {
	if !strings.ContainsFunc(text, prose.IsVisible) {
		return nil
	}
	var lines []textLine
	for line := range strings.Lines(text) {
		lines = append(lines, textLine{text: strings.TrimRight(line, "\r\n")})
	}
	return lines
}

// render returns a page as a gray PNG of at most maxPixels.
func (d openDocument) render(index, maxPixels int) ([]byte, error) {
	size, err := d.FPDF_GetPageSizeByIndex(&requests.FPDF_GetPageSizeByIndex{Document: d.handle, Index: index})
	if err != nil {
		return nil, err
	}
	width, height, err := pixels(size.Width, size.Height, maxPixels)
	if err != nil {
		return nil, err
	}
	made, err := d.FPDFBitmap_CreateEx(&requests.FPDFBitmap_CreateEx{
		Width: width, Height: height, Format: enums.FPDF_BITMAP_FORMAT_GRAY, Pointer: uint64(0),
	})
	if err != nil {
		return nil, err
	}
	bitmap := made.Bitmap
	defer d.FPDFBitmap_Destroy(&requests.FPDFBitmap_Destroy{Bitmap: bitmap}) //nolint:errcheck // it was only read
	if _, err := d.FPDFBitmap_FillRect(&requests.FPDFBitmap_FillRect{
		Bitmap: bitmap, Width: width, Height: height, Color: 0xffffffff,
	}); err != nil {
		return nil, err
	}
	if _, err := d.FPDF_RenderPageBitmap(&requests.FPDF_RenderPageBitmap{
		Bitmap: bitmap,
		Page:   requests.Page{ByIndex: &requests.PageByIndex{Document: d.handle, Index: index}},
		SizeX:  width, SizeY: height, Flags: enums.FPDF_RENDER_FLAG_ANNOT | enums.FPDF_RENDER_FLAG_GRAYSCALE,
	}); err != nil {
		return nil, err
	}
	return d.encode(bitmap, width, height)
}

func (d openDocument) encode(bitmap references.FPDF_BITMAP, width, height int) ([]byte, error) {
	stride, err := d.FPDFBitmap_GetStride(&requests.FPDFBitmap_GetStride{Bitmap: bitmap})
	if err != nil {
		return nil, err
	}
	buffer, err := d.FPDFBitmap_GetBuffer(&requests.FPDFBitmap_GetBuffer{Bitmap: bitmap})
	if err != nil {
		return nil, err
	}
	picture := &image.Gray{Pix: buffer.Buffer, Stride: stride.Stride, Rect: image.Rect(0, 0, width, height)}
	var encoded bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&encoded, picture); err != nil {
		return nil, err
	}
	return encoded.Bytes(), nil
}

// pixels returns the size of a page's picture. The size of the page is in points.
func pixels(width, height float64, limit int) (int, int, error) {
	scale := min(scanResolution, math.Sqrt(float64(limit)/(width*height)), maxSide/max(width, height))
	w, h := int(width*scale), int(height*scale)
	if width < 0 || w < minSide || h < minSide {
		return 0, 0, fmt.Errorf("a page of %g × %g points can't be shown", width, height)
	}
	return w, h, nil
}

// report notes the pages that were not read.
func (s *Scans) report(out *prose.Output) {
	for _, left := range []struct {
		numbers []int
		reason  string
	}{
		{s.failed, "could not be recognized"},
		{s.beyond, fmt.Sprintf("left out: no more than %d scanned pages of a file are read", s.Limit)},
		{s.unread, "left out: no readable text, and this server has no text recognition"},
	} {
		if len(left.numbers) > 0 {
			out.Note(pageRanges(left.numbers) + " " + left.reason)
		}
	}
}

// maxRanges is how many ranges of pages a note names.
const maxRanges = 20

// pageRanges returns numbers in ascending order as "page 3" or "pages 3, 5-9".
func pageRanges(numbers []int) string {
	var ranges []string
	for first := 0; first < len(numbers); {
		last := first
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		text := fmt.Sprint(numbers[first])
		if last > first {
			text += fmt.Sprint("-", numbers[last])
		}
		ranges = append(ranges, text)
		first = last + 1
	}
	word := "pages "
	if len(numbers) == 1 {
		word = "page "
	}
	if len(ranges) > maxRanges {
		ranges = append(ranges[:maxRanges], "…")
	}
	return word + strings.Join(ranges, ", ")
}

// Blank returns the refusal of a document without any text.
func (s *Scans) Blank() *parley.Error {
	switch {
	case len(s.unread) == 0:
		return prose.ErrNoText
	case s.Off:
		return prose.ErrScansOff
	}
	return prose.ErrScanned
}
