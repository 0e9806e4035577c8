package prose

import (
	"strconv"
	"strings"
)

const (
	// MaxLevels is the number of levels of a list.
	MaxLevels = 9
	// MaxLabel limits the text of a level, in bytes. Ordinary ones have a dozen.
	MaxLabel = 100
)

// Level is how the items of one level of a list are numbered.
type Level struct {
	Format  string
	Text    string // such as "%1.%2", where %1 is the number of the first level
	Start   int
	Restart int    // the number of the level after which this one restarts; -1 is any level above, 0 none
	Legal   bool   // all numbers are in decimal
	Style   string // the paragraph style that belongs to the level
}

// NewLevel returns a level with decimal numbers, which restarts after any level above.
func NewLevel() Level { return Level{Format: "decimal", Restart: -1} }

// List is a kind of list and the numbers of its last items.
type List struct {
	Levels  [MaxLevels]Level
	numbers [MaxLevels]int
	counted [MaxLevels]bool // the number was given since the level was restarted
	Style   string          // the numbering style that the levels are taken from
}

// ListUse is a use of a list. Uses share the numbers of their list, unless they restart it.
type ListUse struct {
	List      string
	Levels    map[int]Level   // levels that differ from those of the list
	Starts    map[int]int     // first numbers that differ, by level
	restarted [MaxLevels]bool // the first number of starts was given
}

// Numbering is how the lists of a document are numbered.
type Numbering struct {
	Lists map[string]*List
	Uses  map[string]*ListUse
}

// NewNumbering returns the numbering of a document without lists.
func NewNumbering() *Numbering {
	return &Numbering{Lists: make(map[string]*List), Uses: make(map[string]*ListUse)}
}

// Next returns the label of the next item of a list, such as "4.2". It is Bullet for an item
// with a bullet, or if there is no such list, and "" for an item without a mark.
func (n *Numbering) Next(use string, level int) string {
	u := n.Uses[use]
	if u == nil || n.Lists[u.List] == nil {
		return Bullet
	}
	l := n.Lists[u.List]
	level = min(max(level, 0), MaxLevels-1)
	if start, ok := u.Starts[level]; ok && !u.restarted[level] {
		u.restarted[level] = true
		l.numbers[level], l.counted[level] = start-1, true
	}
	l.count(level, func(level int) Level { return u.level(l, level) })
	return labelOf(u, l, level)
}

// level returns a level of a use.
func (u *ListUse) level(l *List, level int) Level {
	if own, ok := u.Levels[level]; ok {
		return own
	}
	return l.Levels[level]
}

// count gives the next number of a level, and restarts the levels below it.
func (l *List) count(level int, levels func(int) Level) {
	for above := range level {
		if !l.counted[above] {
			l.numbers[above] = levels(above).Start
		}
	}
	if l.counted[level] {
		l.numbers[level]++
	} else {
		l.numbers[level], l.counted[level] = levels(level).Start, true
	}
	for below := level + 1; below < MaxLevels; below++ {
		if restart := levels(below).Restart; restart < 0 || level < restart {
			l.counted[below] = false
		}
	}
}

func labelOf(u *ListUse, l *List, level int) string {
	this := u.level(l, level)
	if this.Format == "bullet" && strings.TrimSpace(this.Text) != "" {
		return Bullet
	}
	text := []byte(this.Text)
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) || text[i+1] < '1' || text[i+1] > '9' {
			b.WriteByte(text[i])
			continue
		}
		i++
		at := int(text[i] - '1')
		format := u.level(l, at).Format
		if this.Legal && format != "decimalZero" {
			format = "decimal"
		}
		b.WriteString(numeral(format, l.numbers[at]))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// LevelOf returns the level of a list that belongs to a paragraph style, or 0.
func (n *Numbering) LevelOf(use, style string) int {
	u := n.Uses[use]
	if u == nil || n.Lists[u.List] == nil {
		return 0
	}
	for level := range MaxLevels {
		if style != "" && u.level(n.Lists[u.List], level).Style == style {
			return level
		}
	}
	return 0
}

// Literal returns a text that has no numbers of levels in it.
func Literal(text string) string { return strings.ReplaceAll(text, "%", "") }

// Number returns the label of the next item of a level. If start is a number, the item has that one.
func (l *List) Number(level int, start string) string {
	if n, err := strconv.Atoi(start); err == nil {
		l.numbers[level], l.counted[level] = n-1, true
	}
	l.count(level, func(level int) Level { return l.Levels[level] })
	return labelOf(&ListUse{}, l, level)
}
