package extract

import (
	"strconv"

	"parley/internal/extract/prose"
)

// readNumbering reads the numbering part of a Word document.
func readNumbering(content []byte) (*prose.Numbering, error) {
	r := &numberingReader{numbering: prose.NewNumbering()}
	err := visit(content, visitor{start: r.start, end: r.end})
	return r.numbering, err
}

type numberingReader struct {
	numbering *prose.Numbering
	list      *prose.List
	use       *prose.ListUse
	at        int          // the current level
	level     *prose.Level // nil outside of a level
}

func (r *numberingReader) start(e element) bool {
	value := e.attr("val")
	number, _ := strconv.Atoi(value)
	switch e.name {
	case "abstractNum":
		r.list, r.use = &prose.List{}, nil
		for i := range r.list.Levels {
			r.list.Levels[i] = prose.NewLevel()
		}
		r.numbering.Lists[e.attr("abstractNumId")] = r.list
	case "num":
		r.use = &prose.ListUse{Levels: make(map[int]prose.Level), Starts: make(map[int]int)}
		r.numbering.Uses[e.attr("numId")] = r.use
	case "abstractNumId":
		if r.use != nil {
			r.use.List = value
		}
	case "numStyleLink":
		if r.list != nil {
			r.list.Style = value
		}
	case "lvl", "lvlOverride":
		at, err := strconv.Atoi(e.attr("ilvl"))
		if err != nil || at < 0 || at >= prose.MaxLevels {
			return false
		}
		r.at = at
		if e.name == "lvl" {
			level := prose.NewLevel()
			r.level = &level
		}
	case "startOverride":
		if r.use != nil {
			r.use.Starts[r.at] = number
		}
	case "pPr", "rPr":
		return false
	default:
		if r.level != nil {
			setLevel(r.level, e.name, value, number)
		}
	}
	return true
}

// setLevel sets a property of a level.
func setLevel(l *prose.Level, name, value string, number int) {
	switch name {
	case "start":
		l.Start = number
	case "numFmt":
		l.Format = value
	case "lvlText":
		l.Text = value[:min(len(value), prose.MaxLabel)]
	case "lvlRestart":
		l.Restart = number
	case "isLgl":
		l.Legal = value != "0" && value != "false"
	case "pStyle":
		l.Style = value
	}
}

func (r *numberingReader) end(name string) {
	if name != "lvl" || r.level == nil {
		return
	}
	switch {
	case r.use != nil:
		r.use.Levels[r.at] = *r.level
	case r.list != nil:
		r.list.Levels[r.at] = *r.level
	}
	r.level = nil
}
