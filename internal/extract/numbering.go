package extract

import "strings"

const (
	// maxLevels is the number of levels of a list.
	maxLevels = 9
	// maxLabel limits the text of a level, in bytes. Ordinary ones have a dozen.
	maxLabel = 100
)

// listLevel is how the items of one level of a list are numbered.
type listLevel struct {
	format  string
	text    string // such as "%1.%2", where %1 is the number of the first level
	start   int
	restart int    // the number of the level after which this one restarts; -1 is any level above, 0 none
	legal   bool   // all numbers are in decimal
	style   string // the paragraph style that belongs to the level
}

func newListLevel() listLevel { return listLevel{format: "decimal", restart: -1} }

// list is a kind of list and the numbers of its last items.
type list struct {
	levels  [maxLevels]listLevel
	numbers [maxLevels]int
	counted [maxLevels]bool // the number was given since the level was restarted
	style   string          // the numbering style that the levels are taken from
}

// listUse is a use of a list. Uses share the numbers of their list, unless they restart it.
type listUse struct {
	list      string
	levels    map[int]listLevel // levels that differ from those of the list
	starts    map[int]int       // first numbers that differ, by level
	restarted [maxLevels]bool   // the first number of starts was given
}

// numbering is how the lists of a document are numbered.
type numbering struct {
	lists map[string]*list
	uses  map[string]*listUse
}

func newNumbering() *numbering {
	return &numbering{lists: make(map[string]*list), uses: make(map[string]*listUse)}
}

// next returns the label of the next item of a list, such as "4.2". It is bulletLabel for an item
// with a bullet, or if there is no such list, and "" for an item without a mark.
func (n *numbering) next(use string, level int) string {
	u := n.uses[use]
	if u == nil || n.lists[u.list] == nil {
		return bulletLabel
	}
	l := n.lists[u.list]
	level = min(max(level, 0), maxLevels-1)
	if start, ok := u.starts[level]; ok && !u.restarted[level] {
		u.restarted[level] = true
		l.numbers[level], l.counted[level] = start-1, true
	}
	l.count(level, func(level int) listLevel { return u.level(l, level) })
	return labelOf(u, l, level)
}

// level returns a level of a use.
func (u *listUse) level(l *list, level int) listLevel {
	if own, ok := u.levels[level]; ok {
		return own
	}
	return l.levels[level]
}

// count gives the next number of a level, and restarts the levels below it.
func (l *list) count(level int, levels func(int) listLevel) {
	for above := range level {
		if !l.counted[above] {
			l.numbers[above] = levels(above).start
		}
	}
	if l.counted[level] {
		l.numbers[level]++
	} else {
		l.numbers[level], l.counted[level] = levels(level).start, true
	}
	for below := level + 1; below < maxLevels; below++ {
		if restart := levels(below).restart; restart < 0 || level < restart {
			l.counted[below] = false
		}
	}
}

func labelOf(u *listUse, l *list, level int) string {
	this := u.level(l, level)
	if this.format == "bullet" && strings.TrimSpace(this.text) != "" {
		return bulletLabel
	}
	text := []byte(this.text)
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) || text[i+1] < '1' || text[i+1] > '9' {
			b.WriteByte(text[i])
			continue
		}
		i++
		at := int(text[i] - '1')
		format := u.level(l, at).format
		if this.legal && format != "decimalZero" {
			format = "decimal"
		}
		b.WriteString(numeral(format, l.numbers[at]))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
