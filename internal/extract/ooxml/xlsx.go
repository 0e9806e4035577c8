package ooxml

import (
	"errors"
	"maps"
	"slices"

	"parley/internal/extract/cells"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// ReadXLSX reads a workbook: all sheets, one row per line. It leaves out a broken sheet unless all are.
func ReadXLSX(out *prose.Output, a *zipxml.Archive) error {
	w, err := openWorkbook(a)
	if err != nil {
		return err
	}
	if err := w.readPeople(out); err != nil {
		return err
	}
	for _, sheet := range w.sheets {
		name := "sheet " + sheet.name
		out.Page(name)
		if err := out.Try(name, func() error { return w.read(out, sheet) }); err != nil {
			return err
		}
	}
	if out.Len() == 0 && len(out.Notes) > 0 {
		return prose.ErrBroken.WithCause(errors.New("no sheet could be read"))
	}
	return nil
}

// workbook is an XLSX file.
type workbook struct {
	archive   *zipxml.Archive
	main      string
	relations map[string]relation
	sheets    []worksheet
	formats   cells.Formats
	styles    []int    // the number format of each style
	strings   []string // what cells refer to by number
	drawings  *drawings
	people    map[string]string // authors of threaded comments, by id
}

type worksheet struct {
	name string
	part string
	kind string // "worksheet", or another kind, which has no rows
}

func openWorkbook(a *zipxml.Archive) (*workbook, error) {
	_, main, err := MainPart(a)
	if err != nil {
		return nil, err
	}
	w := &workbook{archive: a, main: main, drawings: newDrawings(a)}
	w.formats.Patterns = make(map[int]string)
	if w.relations, err = relationsOf(a, main); err != nil {
		return nil, err
	}
	if err := w.readMain(); err != nil {
		return nil, err
	}
	for _, r := range w.relations {
		read := map[string]func([]byte) error{"styles": w.readStyles, "sharedStrings": w.readStrings}[r.kind]
		if read == nil {
			continue
		}
		content, err := a.ReadIfAny(r.target)
		if err != nil {
			return nil, err
		}
		if err := read(content); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// readMain reads the list of sheets, and how dates count.
func (w *workbook) readMain() error {
	content, err := w.archive.Read(w.main)
	if err != nil {
		return err
	}
	return zipxml.Visit(content, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		switch e.Name {
		case "workbookPr":
			w.formats.From1904 = e.Attr("date1904") == "1" || e.Attr("date1904") == "true"
		case "sheet":
			if r, ok := w.relations[relationID(e)]; ok {
				w.sheets = append(w.sheets, worksheet{name: e.Attr("name"), part: r.target, kind: r.kind})
			}
		}
		return true
	}})
}

func (w *workbook) read(out *prose.Output, sheet worksheet) error {
	content, err := w.archive.Read(sheet.part)
	if err != nil {
		return err
	}
	var broken error
	if sheet.kind == "worksheet" {
		if broken = w.readRows(out, content); broken != nil && !prose.IsBroken(broken) {
			return broken
		}
	}
	relations, err := relationsOf(w.archive, sheet.part)
	if err != nil {
		return err
	}
	if err := w.readComments(out, sheet, relations); err != nil {
		return err
	}
	if err := w.readDrawings(out, sheet, relations); err != nil {
		return err
	}
	return broken
}

// readDrawings reads the charts, diagrams and text boxes of a sheet.
func (w *workbook) readDrawings(out *prose.Output, sheet worksheet, relations map[string]relation) error {
	for _, id := range slices.Sorted(maps.Keys(relations)) {
		r := relations[id]
		if r.kind != "drawing" || !w.archive.Has(r.target) || w.drawings.seen[r.target] {
			continue
		}
		w.drawings.seen[r.target] = true
		out.Paragraph()
		err := out.Try("a drawing of sheet "+sheet.name, func() error { return readShapes(out, w.drawings, r.target) })
		if err != nil {
			return err
		}
	}
	return nil
}
