package pdf

import (
	"fmt"
	"strings"
)

// fileWriter writes small PDFs. Object 1 is the catalog, 2 the tree of pages, 3 a font.
type fileWriter struct {
	objects []string
	pages   []string
	catalog string // further entries of the catalog
}

const helvetica = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"

func newWriter() *fileWriter { return &fileWriter{objects: []string{"", "", helvetica}} }

// add adds an object and returns its reference.
func (w *fileWriter) add(object string) string {
	w.objects = append(w.objects, object)
	return fmt.Sprintf("%d 0 R", len(w.objects))
}

// stream adds a stream with entries of its dictionary.
func (w *fileWriter) stream(entries, content string) string {
	return w.add(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(content), content))
}

// page adds a page with drawing commands and further entries.
func (w *fileWriter) page(content, entries string) {
	w.pages = append(w.pages, w.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 700] "+
		"/Resources << /Font << /F 3 0 R >> >> /Contents "+w.stream("", content)+" "+entries+" >>"))
}

// lines adds a page with a text on each line. The first is at the top, the last at the bottom.
func (w *fileWriter) lines(texts ...string) {
	var b strings.Builder
	for i, text := range texts {
		b.WriteString(drawn(50, 650-i*600/len(texts), text))
	}
	w.page(b.String(), "")
}

// drawn returns the commands that draw a text.
func drawn(x, y int, text string) string {
	return fmt.Sprintf("BT /F 12 Tf %d %d Td (%s) Tj ET\n", x, y, text)
}

// look adds the appearance of an annotation.
func (w *fileWriter) look(text string) string { return w.appearance(300, 20, drawn(2, 5, text)) }

// appearance adds one of a size in points.
func (w *fileWriter) appearance(width, height int, content string) string {
	return w.stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 %d %d] ", width, height)+
		"/Resources << /Font << /F 3 0 R >> >>", content)
}

// field adds the field of a form, with a text on each line, the first at the top.
func (w *fileWriter) field(left, bottom, width int, lines ...string) string {
	return w.annotation("Widget /FT /Tx", left, bottom, width, lines...)
}

// annotation adds one of a kind that looks like a field.
func (w *fileWriter) annotation(kind string, left, bottom, width int, lines ...string) string {
	height, content := 16*len(lines), ""
	for i, line := range lines {
		content += drawn(2, height-12-16*i, line)
	}
	return w.add(fmt.Sprintf("<< /Type /Annot /Subtype /%s /F 4 /Rect [%d %d %d %d] /AP << /N %s >> >>",
		kind, left, bottom, left+width, bottom+height, w.appearance(width, height, content)))
}

func (w *fileWriter) bytes() []byte {
	w.objects[0] = "<< /Type /Catalog /Pages 2 0 R " + w.catalog + " >>"
	w.objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(w.pages, " "), len(w.pages))
	var b strings.Builder
	b.WriteString("%PDF-1.7\n")
	table := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(w.objects)+1)
	for i, object := range w.objects {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	fmt.Fprintf(&b, "%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		table, len(w.objects)+1, b.Len())
	return []byte(b.String())
}
