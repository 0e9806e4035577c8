package odf

import (
	"path"

	"golang.org/x/net/html"

	"parley/internal/extract/formula"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// objectReader reads the charts and formulas of an OpenDocument file, which are documents of
// their own in its archive. Each is read once.
type objectReader struct {
	archive *zipxml.Archive
	seen    map[string]bool // by the name of the part
}

func newObjectReader(a *zipxml.Archive) *objectReader { return &objectReader{a, make(map[string]bool)} }

// read writes the object that a draw:object refers to. Objects of other kinds are skipped.
func (o *objectReader) read(out *prose.Output, href string) error {
	if o == nil || href == "" {
		return nil
	}
	part := path.Join(href, "content.xml")
	if o.seen[part] || !o.archive.Has(part) {
		return nil
	}
	o.seen[part] = true
	defer func(cells int) { out.Cells = cells }(out.Cells)
	return out.Try("a chart or formula", func() error {
		content, err := o.archive.Read(part)
		if err != nil {
			return err
		}
		return readObject(out, content)
	})
}

// readObject writes a chart or a formula.
func readObject(out *prose.Output, content []byte) error {
	c := &chartReader{}
	f := &formulaReader{}
	err := zipxml.Visit(content, zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			f.start(e)
			return f.at != nil || c.start(e)
		},
		Text: func(s string) {
			f.text(s)
			c.text(s)
		},
		End: func(name string) {
			f.end()
			c.end(name)
		},
	})
	if f.root != nil {
		out.Write(formula.MathML(f.root))
	}
	c.addSeries()
	c.chart.Write(out)
	return err
}

// formulaReader reads a formula of MathML from XML.
type formulaReader struct {
	root, at *html.Node // nil outside of a formula
}

func (r *formulaReader) start(e zipxml.Element) {
	n := &html.Node{Type: html.ElementNode, Data: e.Name}
	switch {
	case r.at != nil:
		r.at.AppendChild(n)
		r.at = n
	case r.root == nil && e.Name == "math":
		r.root, r.at = n, n
	}
}

func (r *formulaReader) text(s string) {
	if r.at != nil {
		r.at.AppendChild(&html.Node{Type: html.TextNode, Data: s})
	}
}

func (r *formulaReader) end() {
	if r.at != nil {
		r.at = r.at.Parent
	}
}
