package odf

import (
	"fmt"
	"strconv"
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// formats are the formats of numbers in OpenDocument files that numeral has another name for.
var formats = map[string]string{
	"":                   "none",
	"1":                  "decimal",
	"a":                  "lowerLetter",
	"A":                  "upperLetter",
	"i":                  "lowerRoman",
	"I":                  "upperRoman",
	"01, 02, 03, ...":    "decimalZero",
	"一, 二, 三, ...":       "chineseCounting",
	"壹, 贰, 叁, ...":       "chineseLegalSimplified",
	"壹, 貳, 參, ...":       "ideographLegalTraditional",
	"甲, 乙, 丙, ...":       "ideographTraditional",
	"子, 丑, 寅, 卯, ...":    "ideographZodiac",
	"①, ②, ③, ...":       "decimalEnclosedCircle",
	"1st, 2nd, 3rd, ...": "ordinal",
}

// outlineStyle is the name of the list of headings. No list of a document has it.
const outlineStyle = "\x00outline"

// listReader numbers the lists and headings of an OpenDocument text.
type listReader struct {
	styles map[string][prose.MaxLevels]prose.Level
	byID   map[string]*prose.List // lists so far, to be continued
	last   map[string]*prose.List // the last list of each style
	open   []openList             // the enclosing lists
	label  string                 // of the open item
	level  int                    // of the open item
}

// openList is a list while its items are read.
type openList struct {
	list  *prose.List
	style string
}

// readLists reads the styles of lists from parts of a document.
func readLists(parts ...[]byte) (*listReader, error) {
	l := &listReader{
		styles: make(map[string][prose.MaxLevels]prose.Level),
		byID:   make(map[string]*prose.List), last: make(map[string]*prose.List),
	}
	for _, part := range parts {
		name := ""
		err := zipxml.Visit(part, zipxml.Visitor{Start: func(e zipxml.Element) bool {
			switch e.Name {
			case "list-style":
				name = e.Attr("name")
			case "outline-style":
				name = outlineStyle
			case "list-level-style-number", "outline-level-style", "list-level-style-bullet", "list-level-style-image":
				l.addLevel(name, e)
			}
			return true
		}})
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// addLevel adds a level of a style.
func (l *listReader) addLevel(style string, e zipxml.Element) {
	at, _ := strconv.Atoi(e.Attr("level"))
	if at--; at < 0 || at >= prose.MaxLevels || style == "" {
		return
	}
	levels := l.styles[style]
	level := prose.NewLevel()
	level.Start = 1
	if e.Name == "list-level-style-bullet" || e.Name == "list-level-style-image" {
		level.Format, level.Text = "bullet", prose.Bullet
	} else {
		setLevel(&level, e, at)
	}
	levels[at] = level
	l.styles[style] = levels
}

// setLevel sets how the items of a level are numbered.
func setLevel(l *prose.Level, e zipxml.Element, at int) {
	format, known := formats[e.Attr("num-format")]
	if !known {
		format = "decimal"
	}
	l.Format = format
	if start, err := strconv.Atoi(e.Attr("start-value")); err == nil {
		l.Start = start
	}
	if format == "none" {
		return
	}
	shown, _ := strconv.Atoi(e.Attr("display-levels"))
	first := at + 1 - min(max(shown, 1), at+1)
	var numbers []string
	for level := first; level <= at; level++ {
		numbers = append(numbers, fmt.Sprintf("%%%d", level+1))
	}
	text := prose.Literal(e.Attr("num-prefix")) + strings.Join(numbers, ".") + prose.Literal(e.Attr("num-suffix"))
	l.Text = text[:min(len(text), prose.MaxLabel)]
}

// enter starts a list.
func (l *listReader) enter(e zipxml.Element) {
	style := e.Attr("style-name")
	var within openList
	if n := len(l.open); n > 0 {
		within = l.open[n-1]
		if style == "" || style == within.style {
			l.open = append(l.open, within)
			return
		}
	}
	entered := l.continued(e, style)
	if entered == nil {
		entered = &prose.List{Levels: l.styles[style]}
	}
	l.byID[e.Attr("id")], l.last[style] = entered, entered
	l.open = append(l.open, openList{entered, style})
}

// continued returns the list that e takes up the numbers of, or nil. A list can continue an earlier one.
func (l *listReader) continued(e zipxml.Element, style string) *prose.List {
	if id := e.Attr("continue-list"); id != "" {
		return l.byID[id]
	}
	if e.Attr("continue-numbering") == "true" {
		return l.last[style]
	}
	return nil
}

func (l *listReader) leave() {
	if n := len(l.open); n > 0 {
		l.open = l.open[:n-1]
	}
}

// item starts an item of the innermost list.
func (l *listReader) item(e zipxml.Element) {
	n := len(l.open)
	if n == 0 {
		l.label, l.level = prose.Bullet, 0
		return
	}
	l.level = min(n, prose.MaxLevels) - 1
	in := l.open[n-1]
	if _, known := l.styles[in.style]; !known {
		l.label = prose.Bullet
		return
	}
	l.label = in.list.Number(l.level, e.Attr("start-value"))
}

// heading returns the label of a heading outside of lists.
func (l *listReader) heading(e zipxml.Element) string {
	levels, known := l.styles[outlineStyle]
	level, err := strconv.Atoi(e.Attr("outline-level"))
	if !known || err != nil || level < 1 || e.Attr("is-list-header") == "true" {
		return ""
	}
	outline := l.last[outlineStyle]
	if outline == nil {
		outline = &prose.List{Levels: levels}
		l.last[outlineStyle] = outline
	}
	start := ""
	if e.Attr("restart-numbering") == "true" {
		start = e.Attr("start-value")
	}
	return outline.Number(min(level, prose.MaxLevels)-1, start)
}
