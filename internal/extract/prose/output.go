package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/extract/charset"
)

// Output assembles a document's text: paragraphs separated by a blank line, rows on a line each with tabs between their
// cells. Separators are written together with the text after them: the text never ends in one.
//
// Once the text exceeds the limit, Full is set and the rest is dropped.
type Output struct {
	Notes []string
	Limit int64 // of the text, in bytes
	Full  bool
	Cells int // depth of cells; a cell has no lines

	// Symbols is set for formats whose characters for private use are those of fonts of symbols.
	Symbols bool

	text    strings.Builder
	anchors []Anchor

	breaks int    // pending line ends
	tabs   int    // pending tabs
	space  bool   // pending space
	mark   string // pending prefix of a heading, list item or indented line
	anchor string // pending name of a page
	isItem bool   // mark belongs to a list item
	listed bool   // the last line is a list item
}

// MaxTabs limits the number of empty cells in a row.
const MaxTabs = 64

// Len returns the size of the text so far, in bytes.
func (o *Output) Len() int { return o.text.Len() }

// String returns the text so far.
func (o *Output) String() string { return o.text.String() }

// Line starts a new line with the next text.
func (o *Output) Line() { o.end(1) }

// Paragraph starts a new paragraph with the next text.
func (o *Output) Paragraph() { o.end(2) }

func (o *Output) end(breaks int) {
	if o.Cells > 0 {
		o.space = true
		return
	}
	o.breaks = max(o.breaks, breaks)
	o.tabs, o.space, o.mark, o.isItem = 0, false, "", false
}

// Item starts a list item with the next text. There is no blank line between items.
func (o *Output) Item() { o.Numbered(0, Bullet) }

// Bullet is the label of an item without a number.
const Bullet = "-"

// Numbered is item for a level of a list, counted from 0, and a label such as "4.2".
func (o *Output) Numbered(level int, label string) {
	o.Line()
	if o.Cells > 0 {
		o.HeadingLabel(label)
		return
	}
	o.mark, o.isItem = strings.Repeat("  ", min(max(level, 0), MaxLevels-1))+label+" ", true
	if o.listed {
		o.breaks = 1
	}
}

// Heading starts a heading with the next text. Levels start at 1.
func (o *Output) Heading(level int) {
	o.Paragraph()
	if o.Cells == 0 {
		o.mark = strings.Repeat("#", min(max(level, 1), 6)) + " "
	}
}

// HeadingLabel is the label of a heading that was started.
func (o *Output) HeadingLabel(label string) {
	switch {
	case label == Bullet:
	case o.Cells > 0:
		o.Write(label)
		o.space = true
	default:
		o.mark += label + " "
	}
}

// Page starts a page, sheet or slide with the next text.
func (o *Output) Page(name string) {
	o.Paragraph()
	o.anchor = strings.Map(plain, name)
}

// plain drops an unprintable character.
func plain(r rune) rune {
	if r == utf8.RuneError || !unicode.IsPrint(r) && !unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

// EnterCell starts a cell; first is set for the first one of its row.
func (o *Output) EnterCell(first bool) {
	switch {
	case o.Cells > 0:
		o.space = true
	case first:
		o.Line()
	default:
		o.NextCell()
	}
	o.Cells++
}

// SkipCells leaves cells empty before the one that was entered: others span them.
func (o *Output) SkipCells(n int) {
	if o.Cells == 1 {
		o.tabs = min(o.tabs+max(n, 0), MaxTabs)
	}
}

// NextCell continues with the next cell of the row.
func (o *Output) NextCell() {
	o.tabs = min(o.tabs+1, MaxTabs)
	o.space = false
}

// LeaveCell ends a cell.
func (o *Output) LeaveCell() { o.Cells = max(0, o.Cells-1) }

// Tab writes a tab within text.
func (o *Output) Tab() {
	if o.Cells > 0 || o.begins() {
		o.space = true
		return
	}
	o.tabs = min(o.tabs+1, MaxTabs)
}

// Write adds text. White space in it only separates words.
func (o *Output) Write(s string) {
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) && r != '\u3000':
			o.space = true
		case charset.IsJunk(r), r == '\ufeff', r == '\x1b':
		default:
			o.put(r)
		}
		if o.Full {
			return
		}
	}
}

// Verbatim adds text and keeps its lines and spaces.
func (o *Output) Verbatim(s string) {
	for line := range strings.Lines(s) {
		text := strings.TrimRight(line, "\r\n")
		if o.begins() {
			words := strings.TrimLeft(text, " \t")
			o.mark += strings.ReplaceAll(text[:len(text)-len(words)], "\t", "    ")
			text = words
		}
		words := strings.TrimRight(text, " \t")
		o.words(words)
		if strings.HasSuffix(line, "\n") && o.Cells == 0 {
			o.breaks = min(o.breaks+1, 2)
			o.tabs, o.space, o.mark, o.isItem = 0, false, "", false
		} else if len(words) < len(text) || strings.HasSuffix(line, "\n") {
			o.space = true
		}
		if o.Full {
			return
		}
	}
}

// words adds text of one line and keeps its spaces.
func (o *Output) words(s string) {
	for _, r := range s {
		switch {
		case r == ' ' && !o.begins() && o.Cells == 0 && !o.space:
			o.put(r)
		case unicode.IsSpace(r):
			o.space = true
		case charset.IsJunk(r), r == '\ufeff', r == '\x1b':
		default:
			o.put(r)
		}
	}
}

// IsMarked reports whether the next text has the mark of a heading or an item.
func (o *Output) IsMarked() bool { return o.mark != "" }

// begins reports whether the next text starts a line.
func (o *Output) begins() bool { return o.breaks > 0 || o.text.Len() == 0 }

func (o *Output) put(r rune) {
	if o.Full {
		return
	}
	if o.Symbols && charset.IsSymbol(r) {
		r = charset.Symbol("", byte(r))
	}
	o.separate()
	if int64(o.text.Len()+utf8.RuneLen(r)) > o.Limit {
		o.Full = true
		return
	}
	o.text.WriteRune(r)
}

// separate writes the pending separators.
func (o *Output) separate() {
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

// IsVisible reports whether a character can be seen. White space can not.
func IsVisible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
