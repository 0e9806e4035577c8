package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/klippa-app/go-pdfium/structs"
)

// fields returns the places of the fields of forms on a page.
func (d openDocument) fields(page references.FPDF_PAGE, annotations int) []structs.FPDF_FS_RECTF {
	var fields []structs.FPDF_FS_RECTF
	d.eachAnnotation(page, annotations, func(annotation references.FPDF_ANNOTATION) {
		kind, err := d.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: annotation})
		if err != nil || kind.Subtype != enums.FPDF_ANNOT_SUBTYPE_WIDGET {
			return
		}
		if place, err := d.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: annotation}); err == nil {
			fields = append(fields, place.Rect)
		}
	})
	return fields
}

// flatten draws the annotations of a page on it: values of forms, stamps, signatures. It reports
// whether it drew any; they show when the page is opened again.
func (d openDocument) flatten(page references.FPDF_PAGE) bool {
	done, err := d.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: byHandle(page)})
	return err == nil && done.Result == responses.FPDFPage_FlattenResultSuccess
}

// flattened returns the lines of a page after flatten, or no lines if flatten made the page unreadable. plain has the
// lines before it.
func (d openDocument) flattened(index int, plain []textLine, fields []structs.FPDF_FS_RECTF) (lines []textLine) {
	page, err := d.open(index)
	if err != nil {
		return nil
	}
	defer d.close(page)
	err = d.readLayer(page, func(l textLayer) {
		lines = l.lines()
		isSame := func(a, b textLine) bool { return a.text == b.text }
		if own := len(plain); l.placed && own < len(lines) && slices.EqualFunc(plain, lines[:own], isSame) {
			lines = l.withValues(own, fields)
		}
	})
	if err != nil {
		return nil
	}
	return lines
}

// withValues returns the page's own lines, own of them, and the lines that were added to the page. The value of a field
// stands behind its label, or below it. Values without a label come last.
func (l textLayer) withValues(own int, fields []structs.FPDF_FS_RECTF) []textLine {
	all := l.split()
	var labels, lines []textLine
	for _, chars := range all[:own] {
		labels = append(labels, l.line(chars))
	}
	beside, below := make([][]textLine, own), make([][]textLine, own)
	values, others := l.values(all[own:], fields)
	for _, value := range values {
		if len(value) == 0 {
			continue
		}
		if i := lineBeside(value[0], labels); i >= 0 {
			beside[i] = append(beside[i], value[0])
			below[i] = append(below[i], value[1:]...)
		} else if i := lineAbove(value[0], labels); i >= 0 {
			below[i] = append(below[i], value...)
		} else {
			others = append(others, value...)
		}
	}
	for i, label := range labels {
		text, across := l.insert(all[i], beside[i])
		label.text = text
		lines = append(lines, label)
		lines = append(lines, across...)
		lines = append(lines, below[i]...)
	}
	return append(lines, others...)
}

// values returns the lines of each field, and those that are in none. The engine puts only a space between two
// annotations, wherever they are.
func (l textLayer) values(added [][]int, fields []structs.FPDF_FS_RECTF) (values [][]textLine, others []textLine) {
	values = make([][]textLine, len(fields))
	add := func(field int, chars []int) {
		if field < 0 {
			others = append(others, l.line(chars))
		} else {
			values[field] = append(values[field], l.line(chars))
		}
	}
	for _, chars := range added {
		start, last, field := 0, 0, fieldAt(l.box(chars[0]), fields)
		for i, char := range chars {
			if unicode.IsSpace(l.text[char]) {
				continue
			}
			if i > last+1 { // a word begins
				next := fieldAt(l.box(char), fields)
				if next != field || !areLevel(l.box(chars[last]), l.box(char)) {
					add(field, chars[start:last+1])
					start, field = i, next
				}
			}
			last = i
		}
		add(field, chars[start:last+1])
	}
	return values, others
}

// fieldAt returns the index of the field that a character is in, or -1.
func fieldAt(char structs.FPDF_FS_RECTF, fields []structs.FPDF_FS_RECTF) int {
	x, y := (char.Left+char.Right)/2, (char.Bottom+char.Top)/2
	return slices.IndexFunc(fields, func(field structs.FPDF_FS_RECTF) bool {
		return field.Left <= x && x <= field.Right && field.Bottom <= y && y <= field.Top
	})
}

// areLevel reports whether two characters are on the same line.
func areLevel(a, b structs.FPDF_FS_RECTF) bool { return a.Top > b.Bottom && a.Bottom < b.Top }

// lineBeside returns the index of the line that a value stands beside, or -1: the one that shares most of its height,
// and of several the nearest.
func lineBeside(value textLine, lines []textLine) int {
	found, most := -1, float32(0)
	for i, line := range lines {
		shared := min(line.top, value.top) - max(line.bottom, value.bottom)
		isNearer := shared == most && found >= 0 && line.left > lines[found].left
		if line.left < value.left && (shared > most || isNearer) {
			found, most = i, shared
		}
	}
	return found
}

// lineAbove returns the index of the line that a value is right below, or -1.
func lineAbove(value textLine, lines []textLine) int {
	height := value.top - value.bottom
	return slices.IndexFunc(lines, func(line textLine) bool {
		down, aside := line.bottom-value.bottom, line.left-value.left
		return down > height/2 && down < 2*height && aside < height && aside > -height
	})
}

// insert returns a line of the page with values in its gaps, and the values that stand across its words, as a stamp.
func (l textLayer) insert(chars []int, values []textLine) (text string, across []textLine) {
	if len(values) == 0 {
		return l.join(chars), nil
	}
	slices.SortStableFunc(values, func(a, b textLine) int { return cmp.Compare(a.left, b.left) })
	next := make([]float32, len(chars)+1) // where the next word begins
	next[len(chars)] = math.MaxFloat32
	for i := len(chars) - 1; i >= 0; i-- {
		next[i] = next[i+1]
		if !isGap(l.text[chars[i]]) {
			next[i] = l.box(chars[i]).Left
		}
	}
	var parts []string
	start, end := 0, 0 // of the words before a value
	for _, value := range values {
		for next[end] < value.left {
			end++
		}
		slack := (value.top - value.bottom) / 2
		if next[end] < value.right-slack || end > 0 && l.box(chars[end-1]).Right > value.left+slack {
			across = append(across, value)
			continue
		}
		if words := l.trim(chars[start:end]); len(words) > 0 {
			parts = append(parts, l.join(words))
		}
		parts = append(parts, value.text)
		start = end
	}
	if words := l.trim(chars[start:]); len(words) > 0 {
		parts = append(parts, l.join(words))
	}
	return strings.Join(parts, " "), across
}

// isGap reports whether a form has a character where a value goes.
func isGap(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("_.…·", r) }

// withAnnotations returns the lines of a flattened page. If words of the page are not among them,
// it returns the page's own lines and then those that are new: a font of an annotation can hide one
// of the page that has the same name.
func withAnnotations(plain, flattened []textLine) []textLine {
	if len(missingLines(plain, flattened)) == 0 {
		return flattened
	}
	added := missingLines(flattened, plain)
	if unusable(pageText{lines: added}.raw()) {
		return plain
	}
	return append(plain, added...)
}

// missingLines returns the lines that have a word which is not in the other lines.
func missingLines(lines, others []textLine) []textLine {
	words := map[string]bool{}
	for _, line := range others {
		for _, word := range strings.Fields(line.text) {
			words[word] = true
		}
	}
	var missing []textLine
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
