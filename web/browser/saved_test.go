package browser

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/cdproto/page"

	"parley"
	"parley/internal/extract/ocr/ocrtest"
)

const savedPage = `<!doctype html><title>A Guide to the Islands</title>
<body style="font: 28px/1.5 sans-serif; word-spacing: .3em; margin: 3em">
<h1>Getting there</h1>
<p>The first hydrofoil leaves Naples at nine and reaches Capri fifty minutes later.<a href="#n"><sup>1</sup></a></p>
<table cellpadding="12"><tr><th>Island<th>Harbor<th>Crossing<tr><td>Capri<td>Marina Grande<td>50 minutes</table>
<h2>The lighthouse</h2>
<ul><li>The keeper has a cat.<li>It sleeps on the lamp.</ul>
<p id="n">Children under four travel free of charge.</p>`

// TestWhatABrowserSavesIsRead has Chromium save a page in four formats. No word of it may be lost.
func TestWhatABrowserSavesIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "PARLEY_OCR="+ocrtest.Tesseract(t), "PARLEY_OCR_LANGS=eng")
	w.register(t)
	session := w.talk(t, "Saved pages")
	site := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		_, _ = out.Write([]byte(savedPage)) // the browser notices
	}))
	defer site.Close()
	b := open(t, site.URL, 1280)
	words := wordsOf(value[string](b, `document.body.innerText.replace(/\.1$/m, "")`))
	if len(words) < 40 {
		t.Fatalf("the page has only the words %q", words)
	}
	for name, content := range map[string][]byte{
		"guide.pdf":   call(b, page.PrintToPDF, page.PrintToPDFParams{}).Data,
		"guide.mhtml": []byte(call(b, page.CaptureSnapshot, page.CaptureSnapshotParams{}).Data),
		"guide.html":  []byte(value[string](b, `document.documentElement.outerHTML`)),
		"guide.png":   call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{}).Data,
	} {
		file, err := w.api.Upload(t.Context(), session, name, bytes.NewReader(content))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		read, err := w.api.FileText(t.Context(), file.FileID, parley.FileTextInput{})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]bool)
		for _, word := range wordsOf(read.Text) {
			got[word] = true
		}
		for _, word := range words {
			if !got[word] {
				t.Errorf("%s lacks %q:\n%s", name, word, read.Text)
			}
		}
	}
}

// wordsOf returns the words of a text.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
