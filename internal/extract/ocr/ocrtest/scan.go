// Package ocrtest makes scanned documents for tests.
package ocrtest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// Tesseract returns the path of the program. If there is none, the test is skipped, or fails under `make test`.
func Tesseract(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("tesseract")
	if err == nil {
		return path
	}
	if os.Getenv("PARLEY_TEST_OCR") != "" {
		t.Fatal(err)
	}
	t.Skip("Tesseract is not installed; run scripts/tesseract")
	return ""
}

// Scan returns a PDF of pictures: the given pages of a PDF, which are numbered from 1, with the noise
// of a scanner. Cache is a folder for the compiled PDF engine.
func Scan(t testing.TB, path, cache string, pages ...int) []byte {
	t.Helper()
	return PDF(Pictures(t, path, cache, pages...)...)
}

// Pictures returns the pictures of Scan.
func Pictures(t testing.TB, path, cache string, pages ...int) []*image.Gray {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	engine := openEngine(t, cache)
	document, err := engine.OpenDocument(&requests.OpenDocument{File: &content})
	if err != nil {
		t.Fatal(err)
	}
	var pictures []*image.Gray
	for _, number := range pages {
		page := requests.Page{ByIndex: &requests.PageByIndex{Document: document.Document, Index: number - 1}}
		rendered, err := engine.RenderPageInDPI(&requests.RenderPageInDPI{Page: page, DPI: scanDPI})
		if err != nil {
			t.Fatal(err)
		}
		pictures = append(pictures, scanned(rendered.Result.Image))
		rendered.Cleanup()
	}
	return pictures
}

const scanDPI = 300

func openEngine(t testing.TB, cache string) pdfium.Pdfium {
	t.Helper()
	code, err := wazero.NewCompilationCacheWithDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxTotal: 1, MaxIdle: 1, FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(code),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
		if err := code.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	engine, err := pool.GetInstanceWithContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// scanned returns a picture in gray, on off-white paper.
func scanned(page image.Image) *image.Gray {
	bounds := page.Bounds()
	random := rand.New(rand.NewPCG(1, 2))
	picture := image.NewGray(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			level := color.GrayModel.Convert(page.At(bounds.Min.X+x, bounds.Min.Y+y)).(color.Gray).Y
			picture.Pix[picture.PixOffset(x, y)] = max(level, 30) - uint8(random.IntN(30))
		}
	}
	return picture
}

// PDF returns a PDF with one picture on each page.
func PDF(pictures ...*image.Gray) []byte {
	var b bytes.Buffer
	var starts []int
	object := func(content string) {
		starts = append(starts, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(starts), content)
	}
	b.WriteString("%PDF-1.7\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	kids := ""
	for i := range pictures {
		kids += fmt.Sprintf("%d 0 R ", 3+3*i)
	}
	object(fmt.Sprintf("<< /Type /Pages /Kids [ %s] /Count %d >>", kids, len(pictures)))
	for _, picture := range pictures {
		width, height := picture.Rect.Dx(), picture.Rect.Dy()
		w, h := float64(width)*72/scanDPI, float64(height)*72/scanDPI
		first := len(starts) + 1
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 %.2f %.2f ] /Contents %d 0 R "+
			"/Resources << /XObject << /P %d 0 R >> >> >>", w, h, first+1, first+2))
		object(stream("", fmt.Appendf(nil, "%.2f 0 0 %.2f 0 0 cm /P Do", w, h)))
		object(stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray "+
			"/BitsPerComponent 8 ", width, height), picture.Pix))
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(starts)+1)
	for _, start := range starts {
		fmt.Fprintf(&b, "%010d 00000 n \n", start)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(starts)+1, table)
	return b.Bytes()
}

// stream returns an object with a compressed content.
func stream(entries string, content []byte) string {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(content) // a buffer takes everything
	_ = w.Close()
	return fmt.Sprintf("<< %s/Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream",
		entries, packed.Len(), packed.String())
}
