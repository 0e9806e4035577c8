package pdf

import (
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

const (
	// maxLost is the share of a page's texts that may be lost without a note.
	maxLost = 0.2
	// maxSampled is how many objects of a page are looked at.
	maxSampled = 20
)

// isIncomplete reports whether the layer lacks much of what the page says: the engine leaves out texts that have no
// width, because their font is not in the file.
func (l textLayer) isIncomplete(page references.FPDF_PAGE) bool {
	objects := l.shows(page)
	lost, texts := 0, 0
	for i := 0; i < objects; i += 1 + objects/maxSampled {
		object, err := l.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: byHandle(page), Index: i})
		if err != nil {
			return false
		}
		kind, err := l.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object.PageObject})
		if err != nil || kind.Type != enums.FPDF_PAGEOBJ_TEXT {
			continue
		}
		texts++
		if l.isLost(object.PageObject) {
			lost++
		}
	}
	return float64(lost) > maxLost*float64(texts)
}

// isLost reports whether a text of the page is not in the layer.
func (l textLayer) isLost(object references.FPDF_PAGEOBJECT) bool {
	bounds, err := l.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: object})
	if err != nil || bounds.Right > bounds.Left {
		return false
	}
	text, err := l.FPDFTextObj_GetText(&requests.FPDFTextObj_GetText{PageObject: object, TextPage: l.handle})
	return err == nil && text.Text == ""
}
