package extract

import (
	"bytes"

	"github.com/xuri/excelize/v2"
)

// readXLSX reads a workbook: all sheets, one row per line, the cells as displayed. It
// skips sheets that can't be read, such as charts, unless there is no other.
func readXLSX(out *output, file []byte, unpacked int64) error {
	// Parts over UnzipXMLSizeLimit are unpacked to temporary files; this allows none.
	book, err := excelize.OpenReader(bytes.NewReader(file), excelize.Options{
		UnzipSizeLimit:    unpacked,
		UnzipXMLSizeLimit: unpacked,
	})
	if err != nil {
		return errBroken.WithCause(err)
	}
	defer book.Close() //nolint:errcheck // it was only read
	broken := error(nil)
	for _, sheet := range book.GetSheetList() {
		out.page("sheet " + sheet)
		if err := readSheet(out, book, sheet); err != nil {
			broken = errBroken.WithCause(err)
		}
	}
	if out.text.Len() == 0 {
		return broken
	}
	return nil
}

func readSheet(out *output, book *excelize.File, sheet string) error {
	rows, err := book.Rows(sheet)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // it was only read
	for rows.Next() && !out.full {
		cells, err := rows.Columns()
		if err != nil {
			return err
		}
		for i, cell := range cells {
			out.enterCell(i == 0)
			out.write(cell)
			out.leaveCell()
		}
	}
	return rows.Error()
}
