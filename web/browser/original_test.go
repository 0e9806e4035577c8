package browser

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
)

// TestAPDFIsShownBesideItsText opens a PDF in a browser with a viewer, wide and narrow, and in one without. Headless
// browsers have none, so the page is told that it has one, and what its frame gets is looked at.
func TestAPDFIsShownBesideItsText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Capri")
	document, err := os.Open("../../internal/extract/testdata/libreoffice.pdf")
	if err != nil {
		t.Fatal(err)
	}
	defer document.Close()
	file, err := w.api.Upload(t.Context(), session, "circular.pdf", document)
	if err != nil {
		t.Fatal(err)
	}
	drawing := strings.NewReader(`<svg xmlns="http://www.w3.org/2000/svg"><text>Harbour</text></svg>`)
	svg, err := w.api.Upload(t.Context(), session, "map.svg", drawing)
	if err != nil {
		t.Fatal(err)
	}
	const (
		frame    = `document.querySelector("main iframe")`
		original = `document.querySelector("main section[aria-label=Original]")`
		download = `[...` + original + `.querySelectorAll("button")].find(e => e.textContent === "Download circular.pdf")`
		text     = `document.querySelector("main").innerText.includes("The first hydrofoil leaves Naples")`
	)

	// Without a viewer, the original is offered as a download.
	b := signedIn(t, w, token, "#/files/"+file.FileID+"?chat="+session, 1440)
	b.shows("This browser does not show PDFs in a page.")
	b.until(text + ` && ` + download)
	if value[bool](b, frame+` !== null`) {
		t.Error("there is a frame without a viewer")
	}

	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		Object.defineProperty(Navigator.prototype, "pdfViewerEnabled", {get: () => true})
		const create = URL.createObjectURL
		URL.createObjectURL = (blob) => { window.shown = blob.type + " " + blob.size; return create.call(URL, blob) }`})
	b.reload()
	b.until(text + ` && ` + frame + `?.src.startsWith("blob:") && ` + frame + `.src.includes("#page=1&")`)
	if shown := value[string](b, `window.shown`); !strings.HasPrefix(shown, "application/pdf ") {
		t.Errorf("the frame shows %s", shown)
	}
	b.press("Next page")
	b.until(frame + `.src.includes("#page=2&")`)
	b.press("Previous page")
	b.press("Original")
	b.until(`!` + original + ` && ` + text)

	// A narrow page has one of them.
	b.resize(390)
	b.until(button("Text") + `.ariaPressed === "true"`)
	b.press("Original")
	b.until(frame + ` && !` + text + ` && document.documentElement.scrollWidth <= 390`)
	b.press("Text")
	b.until(text + ` && !` + frame)

	// An SVG may have scripts.
	b.eval(`location.hash = ` + quoted("#/files/"+svg.FileID+"?chat="+session))
	b.shows("map.svg")
	b.until(`document.querySelector("main").innerText.includes("Harbour")`)
	if value[bool](b, button("Original")+` !== undefined || `+frame+` !== null`) {
		t.Error("an SVG is shown as it is")
	}
	b.checkQuiet(w.url)
}
