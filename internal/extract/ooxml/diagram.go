package ooxml

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// diagram is a SmartArt graphic: texts that form trees.
type diagram struct {
	texts    map[string]string // by id
	order    []string          // ids, as they are stored
	children map[string][]branch
	written  map[string]bool
}

// branch is a child of a text and its place among the children.
type branch struct {
	id    string
	place int
}

// readDiagram writes the texts of a SmartArt graphic as a nested list.
func readDiagram(out *prose.Output, content []byte) error {
	d := &diagram{
		texts:    make(map[string]string),
		children: make(map[string][]branch),
		written:  make(map[string]bool),
	}
	id, inText := "", false
	var text strings.Builder
	err := zipxml.Visit(content, zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			inText = false
			switch e.Name {
			case "pt":
				id = e.Attr("modelId")
				text.Reset()
				return e.Attr("type") != "pres" // it repeats another one
			case "p", "br":
				text.WriteByte(' ')
			case "t":
				inText = true // also the element around the paragraphs, which has only white space
			case "cxn":
				d.connect(e)
			}
			return true
		},
		End: func(name string) {
			inText = false
			if name == "pt" {
				d.order = append(d.order, id)
				d.texts[id] = strings.Join(strings.Fields(text.String()), " ")
			}
		},
		Text: func(s string) {
			if inText {
				text.WriteString(s)
			}
		},
	})
	d.write(out)
	return err
}

// connect keeps the place of a child. Connections with a type are not of texts.
func (d *diagram) connect(e zipxml.Element) {
	if kind := e.Attr("type"); kind != "" && kind != "parOf" {
		return
	}
	place, _ := strconv.Atoi(e.Attr("srcOrd"))
	parent := e.Attr("srcId")
	d.children[parent] = append(d.children[parent], branch{e.Attr("destId"), place})
}

func (d *diagram) write(out *prose.Output) {
	isChild := make(map[string]bool)
	for _, all := range d.children {
		slices.SortStableFunc(all, func(a, b branch) int { return cmp.Compare(a.place, b.place) })
		for _, child := range all {
			isChild[child.id] = true
		}
	}
	out.Paragraph()
	for _, id := range d.order {
		if !isChild[id] {
			d.branch(out, id, 0, 0)
		}
	}
	for _, id := range d.order {
		d.branch(out, id, 0, 0)
	}
	out.Paragraph()
}

// maxDiagramDepth limits the nesting of a diagram.
const maxDiagramDepth = 50

// branch writes a text and those below it, once. Some of them have no text, and so no level.
func (d *diagram) branch(out *prose.Output, id string, level, depth int) {
	if d.written[id] || depth > maxDiagramDepth {
		return
	}
	d.written[id] = true
	if d.texts[id] != "" {
		out.Numbered(level, prose.Bullet)
		out.Write(d.texts[id])
		level++
	}
	for _, child := range d.children[id] {
		d.branch(out, child.id, level, depth+1)
	}
}
