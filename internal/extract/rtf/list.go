package rtf

import (
	"fmt"
	"strconv"
	"strings"

	"parley/internal/extract/prose"
)

// formats are the formats of numbers of list levels, by the number that RTF gives them.
var formats = map[int]string{
	0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 5: "ordinal",
	10: "ideographDigital", 11: "japaneseCounting", 16: "japaneseLegal", 17: "japaneseDigitalTenThousand",
	18: "decimalEnclosedCircle", 22: "decimalZero", 23: "bullet", 27: "decimalEnclosedParen",
	28: "decimalEnclosedCircleChinese", 29: "ideographEnclosedCircle", 30: "ideographTraditional",
	31: "ideographZodiac", 33: "taiwaneseCounting", 34: "ideographLegalTraditional",
	35: "taiwaneseCountingThousand", 36: "taiwaneseDigital", 37: "chineseCounting", 38: "chineseLegalSimplified",
	39: "chineseCountingThousand", 255: "none",
}

// maxLists limits the lists of a document, and their uses. Word has at most 2,047.
const maxLists = 10_000

// listTables reads the list tables of a Rich Text document. Most programs store the label of
// an item in front of it too. The tables are for those that don't.
type listTables struct {
	numbering *prose.Numbering
	list      *prose.List    // the current list; nil in the table of uses
	use       *prose.ListUse // the current use; nil in the table of lists
	at        int            // the current level; -1 outside of levels
	own       bool           // the level of a use has a format of its own
	restarts  bool           // the level of a use has a first number of its own
	text      strings.Builder
}

// apply executes a control word of the tables.
func (l *listTables) apply(name string, number int) {
	switch name {
	case "list":
		l.list, l.use, l.at = newList(), nil, -1
	case "listoverride":
		l.list, l.at = nil, -1
		l.use = &prose.ListUse{Levels: make(map[int]prose.Level), Starts: make(map[int]int)}
	case "listid":
		l.identify(strconv.Itoa(number))
	case "ls":
		if uses := l.numbering.Uses; l.use != nil && len(uses) < maxLists {
			uses[strconv.Itoa(number)] = l.use
		}
	case "lfolevel":
		l.at++
		l.own, l.restarts = false, false
	case "listoverridestartat":
		l.restarts = true
	case "listoverrideformat":
		l.own = true
	case "listlevel":
		if l.list != nil {
			l.at++
		}
	default:
		l.setLevel(name, number)
	}
}

// next returns the label of a paragraph as the next item of its list, or "".
func (l *listTables) next(p paragraphFormat) string {
	if !p.listed {
		return ""
	}
	use := strconv.Itoa(p.list)
	if p.list == 0 && l.numbering.Uses[use] == nil { // 0 means no list, but old programs number one 0
		return ""
	}
	label := l.numbering.Next(use, p.level)
	if label != "" && !isNumbered(label) {
		return prose.Bullet
	}
	return label
}

func newList() *prose.List {
	l := &prose.List{}
	for i := range l.Levels {
		l.Levels[i] = newLevel()
	}
	return l
}

func newLevel() prose.Level {
	level := prose.NewLevel()
	level.Start = 1
	return level
}

// identify handles the id of a list, or the reference of a use to it.
func (l *listTables) identify(id string) {
	switch {
	case l.use != nil:
		l.use.List = id
	case l.list != nil && len(l.numbering.Lists) < maxLists:
		l.numbering.Lists[id] = l.list
	}
}

// setLevel sets a property of the current level.
func (l *listTables) setLevel(name string, number int) {
	if l.use != nil && l.restarts && name == "levelstartat" && l.at < prose.MaxLevels {
		l.use.Starts[l.at] = number
	}
	l.change(func(level *prose.Level) { setLevel(level, name, number) })
}

// change changes the current level.
func (l *listTables) change(set func(level *prose.Level)) {
	switch {
	case l.at < 0 || l.at >= prose.MaxLevels:
	case l.list != nil:
		set(&l.list.Levels[l.at])
	case l.use != nil && l.own:
		level, begun := l.use.Levels[l.at]
		if !begun {
			level = newLevel()
		}
		set(&level)
		l.use.Levels[l.at] = level
	}
}

// setLevel sets a property of a level.
func setLevel(l *prose.Level, name string, number int) {
	switch name {
	case "levelnfc", "levelnfcn":
		l.Format = formats[number]
	case "levelstartat":
		l.Start = number
	case "levelnorestart":
		if number != 0 {
			l.Restart = 0
		}
	case "levellegal":
		l.Legal = number != 0
	}
}

// endText handles the end of the text of a level. It is its length in characters, and then
// the characters. Those below 9 stand for the numbers of the levels.
func (l *listTables) endText() {
	stored := []rune(l.text.String())
	l.text.Reset()
	if len(stored) == 0 {
		return
	}
	length := min(max(int(stored[0]), 0), len(stored)-1)
	var b strings.Builder
	for _, r := range stored[1 : 1+length] {
		if r < prose.MaxLevels {
			fmt.Fprintf(&b, "%%%d", r+1)
		} else {
			b.WriteString(prose.Literal(string(r)))
		}
	}
	l.change(func(level *prose.Level) { level.Text = b.String() })
}
