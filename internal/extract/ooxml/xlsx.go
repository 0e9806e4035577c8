package ooxml

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"

	"github.com/xuri/excelize/v2"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// ReadXLSX reads a workbook: all sheets, one row per line, the cells as displayed. It
// leaves out a broken sheet unless all are.
func ReadXLSX(out *prose.Output, a *zipxml.Archive, unpacked int64) error {
	w, err := openWorkbook(a)
	if err != nil {
		return err
	}
	for _, sheet := range w.sheets {
		if err := w.scan(sheet); err != nil {
			return err
		}
	}
	// Only the parts that are read are given to excelize, since it unpacks all.
	file, err := w.pack()
	if err != nil {
		return err
	}
	// Parts over UnzipXMLSizeLimit are unpacked to temporary files; this allows none.
	book, err := excelize.OpenReader(bytes.NewReader(file), excelize.Options{
		UnzipSizeLimit:    unpacked,
		UnzipXMLSizeLimit: unpacked,
	})
	if err != nil {
		return prose.ErrBroken.WithCause(err)
	}
	defer book.Close() //nolint:errcheck // it was only read
	if err := w.readPeople(out); err != nil {
		return err
	}
	for _, sheet := range w.sheets {
		name := "sheet " + sheet.name
		out.Page(name)
		if err := out.Try(name, func() error { return w.read(out, book, sheet) }); err != nil {
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
	sheets    []*worksheet
	drawings  *drawings
	people    map[string]string // authors of threaded comments, by id
}

type worksheet struct {
	name     string
	part     string
	kind     string            // "worksheet", or another kind, which has no rows
	err      error             // why the part is broken
	missing  bool              // the part can't be unpacked
	formulas map[string]string // formulas without a value, by cell
}

func openWorkbook(a *zipxml.Archive) (*workbook, error) {
	_, main, err := MainPart(a)
	if err != nil {
		return nil, err
	}
	w := &workbook{archive: a, main: main, drawings: newDrawings(a)}
	if w.relations, err = relationsOf(a, main); err != nil {
		return nil, err
	}
	content, err := a.Read(main)
	if err != nil {
		return nil, err
	}
	return w, zipxml.Visit(content, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		if r, ok := w.relations[relationID(e)]; ok && e.Name == "sheet" {
			w.sheets = append(w.sheets, &worksheet{name: e.Attr("name"), part: r.target, kind: r.kind})
		}
		return true
	}})
}

// scan checks the part of a sheet and collects the formulas that have no value.
func (w *workbook) scan(sheet *worksheet) error {
	content, err := w.archive.Read(sheet.part)
	if err != nil {
		sheet.err, sheet.missing = err, true
	} else {
		sheet.formulas, sheet.err = formulasOf(content)
	}
	if sheet.err != nil && !prose.IsBroken(sheet.err) {
		return sheet.err
	}
	return nil
}

// formulasOf returns the formulas of a sheet's cells that have no value.
func formulasOf(content []byte) (map[string]string, error) {
	formulas := make(map[string]string)
	var cell, formula, value, within string
	err := zipxml.Visit(content, zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			within = e.Name
			if e.Name == "c" {
				cell, formula, value = e.Attr("r"), "", ""
			}
			return true
		},
		End: func(name string) {
			within = ""
			if name == "c" && formula != "" && value == "" {
				formulas[cell] = "=" + formula
			}
		},
		Text: func(s string) {
			switch within {
			case "f":
				formula += s
			case "v", "t":
				value += s
			}
		},
	})
	return formulas, err
}

// pack returns an archive of the parts that are read.
func (w *workbook) pack() ([]byte, error) {
	folder, base := path.Split(w.main)
	names := []string{ContentTypes, w.main}
	for _, name := range []string{"_rels/.rels", folder + "_rels/" + base + ".rels"} {
		if w.archive.Has(name) {
			names = append(names, name)
		}
	}
	for _, sheet := range w.sheets {
		if !sheet.missing {
			names = append(names, sheet.part)
		}
	}
	for _, r := range w.relations {
		switch r.kind {
		case "sharedStrings", "styles", "theme":
			if !w.archive.Has(r.target) {
				continue
			}
			if _, err := w.archive.Read(r.target); err != nil {
				return nil, err
			}
			names = append(names, r.target)
		}
	}
	return w.archive.Pack(names)
}

func (w *workbook) read(out *prose.Output, book *excelize.File, sheet *worksheet) error {
	if sheet.missing {
		return sheet.err
	}
	if sheet.kind == "worksheet" {
		if err := readRows(out, book, sheet); err != nil {
			return prose.ErrBroken.WithCause(err)
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
	return sheet.err
}

// readDrawings reads the charts, diagrams and text boxes of a sheet.
func (w *workbook) readDrawings(out *prose.Output, sheet *worksheet, relations map[string]relation) error {
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

func readRows(out *prose.Output, book *excelize.File, sheet *worksheet) error {
	rows, err := book.Rows(sheet.name)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // it was only read
	for row := 1; rows.Next() && !out.Full; row++ {
		cells, err := rows.Columns()
		if err != nil {
			return err
		}
		for i, cell := range cells {
			out.EnterCell(i == 0)
			if cell == "" && len(sheet.formulas) > 0 {
				cell = sheet.formulas[cellName(i+1, row)]
			}
			out.Write(cell)
			out.LeaveCell()
		}
	}
	return rows.Error()
}

// cellName returns the name of a cell, such as "B2", or "" if there is none.
func cellName(column, row int) string {
	name, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		return ""
	}
	return name
}
