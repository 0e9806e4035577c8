package ooxml

import (
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// drawings reads the charts and SmartArt graphics of an Office document, each once.
type drawings struct {
	archive *zipxml.Archive
	seen    map[string]bool // by the name of the part
}

func newDrawings(a *zipxml.Archive) *drawings { return &drawings{a, make(map[string]bool)} }

// read writes the chart or graphic that an element refers to by a relation, if it does.
func (d *drawings) read(out *prose.Output, e zipxml.Element, relations map[string]relation) error {
	if d == nil {
		return nil
	}
	switch e.Name {
	case "chart":
		r := relations[relationID(e)]
		if r.kind == "chartEx" {
			return d.part(out, r, "chartEx", "a chart", readChartEx)
		}
		return d.part(out, r, "chart", "a chart", readChart)
	case "relIds":
		return d.part(out, relations[e.Attr("dm")], "diagramData", "a diagram", readDiagram)
	}
	return nil
}

func (d *drawings) part(
	out *prose.Output, r relation, kind, name string, read func(out *prose.Output, content []byte) error,
) error {
	if r.kind != kind || d.seen[r.target] {
		return nil
	}
	d.seen[r.target] = true
	defer func(cells int) { out.Cells = cells }(out.Cells)
	return out.Try(name, func() error {
		content, err := d.archive.Read(r.target)
		if err != nil {
			return err
		}
		return read(out, content)
	})
}
