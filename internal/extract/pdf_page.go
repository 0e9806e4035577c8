package extract

import (
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
)

// pdfPage is what was read of a page.
type pdfPage struct {
	index    int
	lines    []pdfLine
	comments []pdfComment
	blank    bool // the page shows nothing at all
}

func (p pdfPage) isEmpty() bool { return len(p.lines) == 0 && len(p.comments) == 0 }

// size returns about how many bytes of text the page has.
func (p pdfPage) size() int64 {
	size := 0
	for _, line := range p.lines {
		size += len(line.text)
	}
	for _, comment := range p.comments {
		size += len(comment.label) + len(comment.text)
	}
	return int64(size)
}

// raw returns the lines as they are in the file.
func (p pdfPage) raw() string {
	var b strings.Builder
	for _, line := range p.lines {
		b.WriteString(line.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// text returns the text for the model: lines that only the layout cuts are joined.
func (p pdfPage) text() string {
	text := strings.Map(bullet, joinLines(p.lines))
	for i, comment := range p.comments {
		if i == 0 && text != "" {
			text += "\n"
		}
		text += "\n" + comment.String()
	}
	return text
}

// bullet replaces a character of a symbol font, usually the mark of a list item.
func bullet(r rune) rune {
	if unicode.Is(unicode.Co, r) {
		return '•'
	}
	return r
}

// page reads a page: its text, the values of its forms, and its comments.
func (d pdfDocument) page(index int) (pdfPage, error) {
	page := pdfPage{index: index}
	handle, err := d.open(index)
	if err != nil {
		return page, err
	}
	page.lines, err = d.lines(handle)
	if err != nil {
		d.close(handle)
		return page, err
	}
	annotations := d.annotations(handle)
	page.blank = len(page.lines) == 0 && annotations == 0 && d.shows(handle) == 0
	if annotations == 0 {
		d.close(handle)
		return page, nil
	}
	page.comments = d.comments(handle, annotations)
	flattened := d.flatten(handle)
	d.close(handle)
	if flattened {
		page.lines = withAnnotations(page.lines, d.flattened(index))
	}
	page.comments = unshown(page.comments, page.raw())
	return page, nil
}

func (d pdfDocument) open(index int) (references.FPDF_PAGE, error) {
	page, err := d.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: d.handle, Index: index})
	if err != nil {
		return "", err
	}
	return page.Page, nil
}

// close frees a page. It ignores an error: the engine is closed soon.
func (d pdfDocument) close(page references.FPDF_PAGE) {
	_, _ = d.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page})
}

// shows returns the number of objects on a page.
func (d pdfDocument) shows(page references.FPDF_PAGE) int {
	objects, err := d.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: byHandle(page)})
	if err != nil {
		return 0
	}
	return objects.Count
}

// flatten draws the annotations of a page on it: values of forms, stamps, signatures. It reports
// whether it drew any; they show when the page is opened again.
func (d pdfDocument) flatten(page references.FPDF_PAGE) bool {
	done, err := d.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: byHandle(page)})
	return err == nil && done.Result == responses.FPDFPage_FlattenResultSuccess
}

// flattened returns the lines of a page after flatten, or none if that made it unreadable.
func (d pdfDocument) flattened(index int) []pdfLine {
	page, err := d.open(index)
	if err != nil {
		return nil
	}
	defer d.close(page)
	lines, err := d.lines(page)
	if err != nil {
		return nil
	}
	return lines
}

// withAnnotations returns the lines of a flattened page. If words of the page are not among them,
// it returns the page's own lines and then those that are new: a font of an annotation can hide one
// of the page that has the same name.
func withAnnotations(plain, flattened []pdfLine) []pdfLine {
	if len(missingLines(plain, flattened)) == 0 {
		return flattened
	}
	added := missingLines(flattened, plain)
	if unusable(pdfPage{lines: added}.raw()) {
		return plain
	}
	return append(plain, added...)
}

// missingLines returns the lines that have a word which is not in the other lines.
func missingLines(lines, others []pdfLine) []pdfLine {
	words := map[string]bool{}
	for _, line := range others {
		for _, word := range strings.Fields(line.text) {
			words[word] = true
		}
	}
	var missing []pdfLine
	for _, line := range lines {
		for _, word := range strings.Fields(line.text) {
			if !words[word] {
				missing = append(missing, line)
				break
			}
		}
	}
	return missing
}

func byHandle(page references.FPDF_PAGE) requests.Page { return requests.Page{ByReference: &page} }
