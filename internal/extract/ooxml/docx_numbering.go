package ooxml

import (
	"strconv"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// readNumbering reads the numbering part of a Word document.
func readNumbering(content []byte) (*prose.Numbering, error) {
	r := &numberingReader{numbering: prose.NewNumbering()}
	err := zipxml.Visit(content, zipxml.Visitor{Start: r.start, End: r.end})
	return r.numbering, err
}

type numberingReader struct {
	numbering *prose.Numbering
	list      *prose.List
	use       *prose.ListUse
	at        int          // the current level
	level     *prose.Level // nil outside of a level
}

func (r *numberingReader) start(e zipxml.Element) bool {
	value := e.Attr("val")
	number, _ := strconv.Atoi(value)
	switch e.Name {
	case "abstractNum":
		r.list, r.use = &prose.List{}, nil
		for i := range r.list.Levels {
			r.list.Levels[i] = prose.NewLevel()
		}
		r.numbering.Lists[e.Attr("abstractNumId")] = r.list
	case "num":
		r.use = &prose.ListUse{Levels: make(map[int]prose.Level), Starts: make(map[int]int)}
		r.numbering.Uses[e.Attr("numId")] = r.use
	case "abstractNumId":
		if r.use != nil {
			r.use.List = value
		}
	case "numStyleLink":
		if r.list != nil {
			r.list.Style = value
		}
	case "lvl", "lvlOverride":
		at, err := strconv.Atoi(e.Attr("ilvl"))
		if err != nil || at < 0 || at >= prose.MaxLevels {
			return false
		}
		r.at = at
		if e.Name == "lvl" {
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
			setLevel(r.level, e.Name, value, number)
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
