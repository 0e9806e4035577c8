package extract

import (
	"fmt"
	"strconv"
	"strings"
)

// odfFormats are the formats of numbers in OpenDocument files that numeral has another name for.
var odfFormats = map[string]string{
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

// odfLists numbers the lists and headings of an OpenDocument text.
type odfLists struct {
	styles map[string][maxLevels]listLevel
	byID   map[string]*list // lists so far, to be continued
	last   map[string]*list // the last list of each style
	open   []odfList        // the enclosing lists
	label  string           // of the open item
	level  int              // of the open item
}

// odfList is a list whose items are read.
type odfList struct {
	list  *list
	style string
}

// readODFLists reads the styles of lists from parts of a document.
func readODFLists(parts ...[]byte) (*odfLists, error) {
	l := &odfLists{
		styles: make(map[string][maxLevels]listLevel), byID: make(map[string]*list), last: make(map[string]*list),
	}
	for _, part := range parts {
		name := ""
		err := visit(part, visitor{start: func(e element) bool {
			switch e.name {
			case "list-style":
				name = e.attr("name")
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
func (l *odfLists) addLevel(style string, e element) {
	at, _ := strconv.Atoi(e.attr("level"))
	if at--; at < 0 || at >= maxLevels || style == "" {
		return
	}
	levels := l.styles[style]
	level := newListLevel()
	level.start = 1
	if e.name == "list-level-style-bullet" || e.name == "list-level-style-image" {
		level.format, level.text = "bullet", bulletLabel
	} else {
		level.setODF(e, at)
	}
	levels[at] = level
	l.styles[style] = levels
}

// setODF sets how the items of a level are numbered.
func (l *listLevel) setODF(e element, at int) {
	format, known := odfFormats[e.attr("num-format")]
	if !known {
		format = "decimal"
	}
	l.format = format
	if start, err := strconv.Atoi(e.attr("start-value")); err == nil {
		l.start = start
	}
	if format == "none" {
		return
	}
	shown, _ := strconv.Atoi(e.attr("display-levels"))
	first := at + 1 - min(max(shown, 1), at+1)
	var numbers []string
	for level := first; level <= at; level++ {
		numbers = append(numbers, fmt.Sprintf("%%%d", level+1))
	}
	text := literal(e.attr("num-prefix")) + strings.Join(numbers, ".") + literal(e.attr("num-suffix"))
	l.text = text[:min(len(text), maxLabel)]
}

// literal returns a text that has no numbers of levels in it.
func literal(text string) string { return strings.ReplaceAll(text, "%", "") }

// enter starts a list.
func (l *odfLists) enter(e element) {
	style := e.attr("style-name")
	var within odfList
	if n := len(l.open); n > 0 {
		within = l.open[n-1]
		if style == "" || style == within.style {
			l.open = append(l.open, within)
			return
		}
	}
	entered := l.continued(e, style)
	if entered == nil {
		entered = &list{levels: l.styles[style]}
	}
	l.byID[e.attr("id")], l.last[style] = entered, entered
	l.open = append(l.open, odfList{entered, style})
}

// continued returns the list whose numbers a list continues, or nil.
func (l *odfLists) continued(e element, style string) *list {
	if id := e.attr("continue-list"); id != "" {
		return l.byID[id]
	}
	if e.attr("continue-numbering") == "true" {
		return l.last[style]
	}
	return nil
}

func (l *odfLists) leave() {
	if n := len(l.open); n > 0 {
		l.open = l.open[:n-1]
	}
}

// item starts an item of the innermost list.
func (l *odfLists) item(e element) {
	n := len(l.open)
	if n == 0 {
		l.label, l.level = bulletLabel, 0
		return
	}
	l.level = min(n, maxLevels) - 1
	in := l.open[n-1]
	if _, known := l.styles[in.style]; !known {
		l.label = bulletLabel
		return
	}
	l.label = in.list.number(l.level, e.attr("start-value"))
}

// heading returns the label of a heading that is in no list.
func (l *odfLists) heading(e element) string {
	levels, known := l.styles[outlineStyle]
	level, err := strconv.Atoi(e.attr("outline-level"))
	if !known || err != nil || level < 1 || e.attr("is-list-header") == "true" {
		return ""
	}
	outline := l.last[outlineStyle]
	if outline == nil {
		outline = &list{levels: levels}
		l.last[outlineStyle] = outline
	}
	start := ""
	if e.attr("restart-numbering") == "true" {
		start = e.attr("start-value")
	}
	return outline.number(min(level, maxLevels)-1, start)
}

// number returns the label of the next item of a level. start is its number, if it is not the next one.
func (l *list) number(level int, start string) string {
	if n, err := strconv.Atoi(start); err == nil {
		l.numbers[level], l.counted[level] = n-1, true
	}
	l.count(level, func(level int) listLevel { return l.levels[level] })
	return labelOf(&listUse{}, l, level)
}
