package browser

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"parley/internal/extract/ocr/ocrtest"
	"parley/internal/programtest"
	"parley/internal/testtier"
)

// TestAScanShowsThePageThatIsRead uploads a real scan twice. The first time the user stops its reading.
func TestAScanShowsThePageThatIsRead(t *testing.T) {
	testtier.Rare(t)
	t.Parallel()
	w := newWorld(t, "PARLEY_OCR="+ocrtest.Tesseract(t), "PARLEY_OCR_LANGS=eng")
	scan := ocrtest.Scan(t, "../../internal/extract/testdata/100-pages.pdf", programtest.Engine(t), 4, 5)
	token := w.register(t)
	session := w.talk(t, "Scans")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelector("#composer")`)
	b.eval(fmt.Sprintf(`
		const bytes = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))
		window.attach = (name) => {
			const list = new DataTransfer()
			list.items.add(new File([bytes], name))
			document.querySelector("#composer").dispatchEvent(
				new ClipboardEvent("paste", {clipboardData: list, bubbles: true}))
		}`, base64.StdEncoding.EncodeToString(scan)))

	b.eval(`window.attach("stopped.pdf")`)
	b.shows("Reading page 1 of 2")
	b.press("Cancel stopped.pdf")
	b.until(`!document.querySelector(".uploads")`)
	b.eval(`window.attach("scan.pdf")`)
	b.shows("Reading page 1 of 2")
	b.shows("Reading page 2 of 2")
	b.until(button("Detach scan.pdf"))
	out, err := w.api.Files(t.Context(), session)
	if err != nil || len(out.Files) != 1 || out.Files[0].Filename != "scan.pdf" {
		t.Errorf("the session has %+v, %v", out.Files, err)
	}
	b.ask("What is the number of day 4?")
	b.until(`document.querySelector(".assistant")?.innerText.includes("What is the number of day 4?")`)
	if !strings.Contains(w.model.Last(t).System(), "The number of day 4 is 31676.") {
		t.Error("the model was not given the text of the scan")
	}
	b.checkQuiet(w.url)
}
