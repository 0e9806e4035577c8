package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/extract/charset"
)

// output assembles a document's text: paragraphs separated by a blank line, rows on a
// line each with tabs between their cells. Separators are written together with the text
// after them, so that the text does not end in one.
//
// Once the text exceeds the limit, full is set and the rest is dropped.
type output struct {
	text    strings.Builder
	anchors []Anchor
	notes   []string
	limit   int64

	breaks int    // pending line ends
	tabs   int    // pending tabs
	space  bool   // pending space
	cells  int    // depth of cells; a cell has no lines
	mark   string // pending prefix of a heading, list item or indented line
	anchor string // pending name of a page
	isItem bool   // mark is that of a list item
	listed bool   // the last line is a list item
	full   bool
}

// maxTabs limits the number of empty cells in a row.
const maxTabs = 64

// line starts a new line with the next text.
func (o *output) line() { o.end(1) }

// paragraph starts a new paragraph with the next text.
func (o *output) paragraph() { o.end(2) }

func (o *output) end(breaks int) {
	if o.cells > 0 {
		o.space = true
		return
	}
	o.breaks = max(o.breaks, breaks)
	o.tabs, o.space, o.mark, o.isItem = 0, false, "", false
}

// item starts a list item with the next text. There is no blank line between items.
func (o *output) item() { o.numbered(0, bulletLabel) }

// bulletLabel is the label of an item without a number.
const bulletLabel = "-"

// numbered is item for a level of a list, counted from 0, and a label such as "4.2".
func (o *output) numbered(level int, label string) {
	o.line()
	if o.cells > 0 {
		o.headingLabel(label)
		return
	}
	o.mark, o.isItem = strings.Repeat("  ", min(max(level, 0), maxLevels-1))+label+" ", true
	if o.listed {
		o.breaks = 1
	}
}

// heading starts a heading with the next text. Levels start at 1.
func (o *output) heading(level int) {
	o.paragraph()
	if o.cells == 0 {
		o.mark = strings.Repeat("#", min(max(level, 1), 6)) + " "
	}
}

// headingLabel is the label of a heading that was started.
func (o *output) headingLabel(label string) {
	switch {
	case label == bulletLabel:
	case o.cells > 0:
		o.write(label)
		o.space = true
	default:
		o.mark += label + " "
	}
}

// page starts a page, sheet or slide with the next text.
func (o *output) page(name string) {
	o.paragraph()
	o.anchor = strings.Map(plain, name)
}

// plain drops a character that is not printable.
func plain(r rune) rune {
	if r == utf8.RuneError || !unicode.IsPrint(r) && !unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

// enterCell starts a cell; first is set for the first one of its row.
func (o *output) enterCell(first bool) {
	switch {
	case o.cells > 0:
		o.space = true
	case first:
		o.line()
	default:
		o.nextCell()
	}
	o.cells++
}

// nextCell continues with the next cell of the row.
func (o *output) nextCell() {
	o.tabs = min(o.tabs+1, maxTabs)
	o.space = false
}

func (o *output) leaveCell() { o.cells = max(0, o.cells-1) }

// tab writes a tab within text.
func (o *output) tab() {
	if o.cells > 0 || o.begins() {
		o.space = true
		return
	}
	o.tabs = min(o.tabs+1, maxTabs)
}

// write adds text. White space in it only separates words.
func (o *output) write(s string) {
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) && r != '\u3000':
			o.space = true
		case charset.IsJunk(r), r == '\ufeff', r == '\x1b':
		default:
			o.put(r)
		}
		if o.full {
			return
		}
	}
}

// verbatim adds text and keeps its lines and spaces.
func (o *output) verbatim(s string) {
	for line := range strings.Lines(s) {
		text := strings.TrimRight(line, " \t\r\n")
		indent := len(text) - len(strings.TrimLeft(text, " \t"))
		if indent < len(text) && o.begins() {
			o.mark += strings.ReplaceAll(text[:indent], "\t", "    ")
		}
		o.words(text[indent:])
		if strings.HasSuffix(line, "\n") && o.cells == 0 {
			o.breaks = min(o.breaks+1, 2)
			o.tabs, o.space, o.mark, o.isItem = 0, false, "", false
		} else if len(text) < len(line) {
			o.space = true
		}
		if o.full {
			return
		}
	}
}

// words adds text of one line and keeps its spaces.
func (o *output) words(s string) {
	for _, r := range s {
		switch {
		case r == ' ' && !o.begins() && o.cells == 0 && !o.space:
			o.put(r)
		case unicode.IsSpace(r):
			o.space = true
		case charset.IsJunk(r), r == '\ufeff', r == '\x1b':
		default:
			o.put(r)
		}
	}
}

// begins reports whether the next text starts a line.
func (o *output) begins() bool { return o.breaks > 0 || o.text.Len() == 0 }

func (o *output) put(r rune) {
	if o.full {
		return
	}
	o.separate()
	if int64(o.text.Len()+utf8.RuneLen(r)) > o.limit {
		o.full = true
		return
	}
	o.text.WriteRune(r)
}

// separate writes the pending separators.
func (o *output) separate() {
	if o.breaks == 0 && o.tabs == 0 && !o.space && o.mark == "" && o.anchor == "" {
		return
	}
	started := o.text.Len() > 0
	if started {
		o.text.WriteString("\n\n"[:o.breaks])
	}
	if o.anchor != "" {
		o.anchors = append(o.anchors, Anchor{Offset: o.text.Len(), Name: o.anchor})
	}
	o.text.WriteString(strings.Repeat("\t", o.tabs))
	if o.space && o.breaks == 0 && o.tabs == 0 && started {
		o.text.WriteByte(' ')
	}
	o.text.WriteString(o.mark)
	if o.breaks > 0 || o.mark != "" {
		o.listed = o.isItem
	}
	o.breaks, o.tabs, o.space, o.mark, o.isItem, o.anchor = 0, 0, false, "", false, ""
}

// document returns what was written, or the error blank if nothing is visible.
func (o *output) document(blank error) (Document, error) {
	switch {
	case o.full:
		return Document{}, errTooLong
	case !strings.ContainsFunc(o.text.String(), isVisible):
		return Document{}, blank
	}
	return Document{Text: o.text.String(), Anchors: o.anchors, Notes: o.notes}, nil
}

func isVisible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
