package pdf

import (
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// pageText is what was read of a page.
type pageText struct {
	index    int
	lines    []textLine
	comments []pageComment
	blank    bool // the page shows nothing at all
	cut      bool // the page shows much more text than its layer has
}

func (p pageText) isEmpty() bool { return len(p.lines) == 0 && len(p.comments) == 0 }

// size returns about how many bytes of text the page has.
func (p pageText) size() int64 {
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
func (p pageText) raw() string {
	var b strings.Builder
	for _, line := range p.lines {
		b.WriteString(line.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// text returns the text for the model: lines that only the layout cuts are joined.
func (p pageText) text() string {
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
func (d openDocument) page(index int) (pageText, error) {
	page := pageText{index: index}
	handle, err := d.open(index)
	if err != nil {
		return page, err
	}
	if err = d.readLayer(handle, func(l textLayer) {
		page.lines, page.cut = l.lines(), l.isIncomplete(handle)
	}); err != nil {
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
	fields := d.fields(handle, annotations)
	flattened := d.flatten(handle)
	d.close(handle)
	if flattened {
		page.lines = withAnnotations(page.lines, d.flattened(index, page.lines, fields))
	}
	page.comments = unshown(page.comments, page.raw())
	return page, nil
}

func (d openDocument) open(index int) (references.FPDF_PAGE, error) {
	page, err := d.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: d.handle, Index: index})
	if err != nil {
		return "", err
	}
	return page.Page, nil
}

// close frees a page. It ignores an error: the engine is closed soon.
func (d openDocument) close(page references.FPDF_PAGE) {
	_, _ = d.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page})
}

// shows returns the number of objects on a page.
func (d openDocument) shows(page references.FPDF_PAGE) int {
	objects, err := d.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: byHandle(page)})
	if err != nil {
		return 0
	}
	return objects.Count
}

func byHandle(page references.FPDF_PAGE) requests.Page { return requests.Page{ByReference: &page} }
