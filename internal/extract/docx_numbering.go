package extract

import "strconv"

// readNumbering reads the numbering part of a Word document.
func readNumbering(content []byte) (*numbering, error) {
	r := &numberingReader{numbering: newNumbering()}
	err := visit(content, visitor{start: r.start, end: r.end})
	return r.numbering, err
}

type numberingReader struct {
	numbering *numbering
	list      *list
	use       *listUse
	at        int        // the current level
	level     *listLevel // nil outside of a level
}

func (r *numberingReader) start(e element) bool {
	value := e.attr("val")
	number, _ := strconv.Atoi(value)
	switch e.name {
	case "abstractNum":
		r.list, r.use = &list{}, nil
		for i := range r.list.levels {
			r.list.levels[i] = newListLevel()
		}
		r.numbering.lists[e.attr("abstractNumId")] = r.list
	case "num":
		r.use = &listUse{levels: make(map[int]listLevel), starts: make(map[int]int)}
		r.numbering.uses[e.attr("numId")] = r.use
	case "abstractNumId":
		if r.use != nil {
			r.use.list = value
		}
	case "numStyleLink":
		if r.list != nil {
			r.list.style = value
		}
	case "lvl", "lvlOverride":
		at, err := strconv.Atoi(e.attr("ilvl"))
		if err != nil || at < 0 || at >= maxLevels {
			return false
		}
		r.at = at
		if e.name == "lvl" {
			level := newListLevel()
			r.level = &level
		}
	case "startOverride":
		if r.use != nil {
			r.use.starts[r.at] = number
		}
	case "pPr", "rPr":
		return false
	default:
		if r.level != nil {
			r.level.set(e.name, value, number)
		}
	}
	return true
}

// set sets a property of a level.
func (l *listLevel) set(name, value string, number int) {
	switch name {
	case "start":
		l.start = number
	case "numFmt":
		l.format = value
	case "lvlText":
		l.text = value[:min(len(value), maxLabel)]
	case "lvlRestart":
		l.restart = number
	case "isLgl":
		l.legal = value != "0" && value != "false"
	case "pStyle":
		l.style = value
	}
}

func (r *numberingReader) end(name string) {
	if name != "lvl" || r.level == nil {
		return
	}
	switch {
	case r.use != nil:
		r.use.levels[r.at] = *r.level
	case r.list != nil:
		r.list.levels[r.at] = *r.level
	}
	r.level = nil
}
