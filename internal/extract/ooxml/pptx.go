package ooxml

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// ReadPPTX reads a presentation: its slides in order, each with its notes and
// comments. It leaves out a broken slide unless all are.
func ReadPPTX(out *prose.Output, a *zipxml.Archive) error {
	out.Symbols = true
	_, main, err := MainPart(a)
	if err != nil {
		return err
	}
	relations, err := relationsOf(a, main)
	if err != nil {
		return err
	}
	content, err := a.Read(main)
	if err != nil {
		return err
	}
	var slides []string
	err = zipxml.Visit(content, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		// The list of sections has elements of the same name, without relations.
		if r, ok := relations[relationID(e)]; ok && e.Name == "sldId" {
			slides = append(slides, r.target)
		}
		return true
	}})
	if err != nil {
		return err
	}
	if len(slides) > zipxml.MaxEntries {
		return prose.ErrBomb.WithCause(errors.New("too many slides"))
	}
	authors, err := readAuthors(out, a, relations)
	if err != nil {
		return err
	}
	drawings := newDrawings(a)
	for i, slide := range slides {
		name := fmt.Sprintf("slide %d", i+1)
		out.Page(name)
		if err := out.Try(name, func() error { return readSlide(out, drawings, slide, authors) }); err != nil {
			return err
		}
	}
	if out.Len() == 0 && len(out.Notes) > 0 {
		return prose.ErrBroken.WithCause(errors.New("no slide could be read"))
	}
	return nil
}

// relationID returns the id of an element's relation. Unlike the element's own id, it has
// a namespace.
func relationID(e zipxml.Element) string {
	for _, a := range e.Attrs {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

func readSlide(out *prose.Output, d *drawings, slide string, authors map[string]string) error {
	if err := readShapes(out, d, slide); err != nil {
		return err
	}
	relations, err := relationsOf(d.archive, slide)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(relations)) {
		r := relations[id]
		if !d.archive.Has(r.target) {
			continue
		}
		switch r.kind {
		case "notesSlide":
			notes := &prose.Output{Limit: out.Limit}
			if err := readShapes(notes, d, r.target); err != nil {
				return err
			}
			prose.WriteSlideNotes(out, notes.String())
		case "comments":
			err := d.part(out, r, r.kind, "the comments of a slide", func(out *prose.Output, content []byte) error {
				return readSlideComments(out, content, authors)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// readShapes reads the text of the shapes of a slide or drawing, without page numbers,
// dates and the like.
func readShapes(out *prose.Output, d *drawings, name string) error {
	content, err := d.archive.Read(name)
	if err != nil {
		return err
	}
	relations, err := relationsOf(d.archive, name)
	if err != nil && !prose.IsBroken(err) {
		return err
	}
	var failed error
	inText, cell, shape := false, 0, 0
	picture := false // within one, before its properties
	muted := -1      // depth of the skipped shape
	err = zipxml.Visit(content, withMath(zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			inText = e.Name == "t"
			failed = cmp.Or(failed, d.read(out, e, relations))
			switch e.Name {
			case "Fallback":
				return false
			case "sp":
				shape++
			case "pic":
				picture = true
			case "cNvPr":
				if picture {
					out.Paragraph()
					out.Write(e.Attr("descr"))
					out.Paragraph()
				}
				picture = false
			case "ph":
				switch e.Attr("type") {
				case "title", "ctrTitle":
					out.Heading(1)
				case "sldNum", "dt", "hdr", "ftr":
					muted = shape
				}
			case "p":
				if !out.IsMarked() {
					out.Line()
				}
			case "br":
				out.Line()
			case "tr":
				cell = 0
				out.Line()
			case "tc":
				out.EnterCell(cell == 0)
				cell++
			}
			return true
		},
		End: func(name string) {
			inText = false
			switch name {
			case "sp":
				if muted == shape {
					muted = -1
				}
				shape--
				out.Paragraph()
			case "p":
				out.Line()
			case "tc":
				out.LeaveCell()
			case "tbl":
				out.Paragraph()
			}
		},
		Text: func(s string) {
			if inText && muted < 0 {
				out.Write(s)
			}
		},
	}))
	return cmp.Or(failed, err)
}
