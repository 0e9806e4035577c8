package extract

import (
	"bytes"

	"github.com/xuri/excelize/v2"
)

// readXLSX reads a workbook: all its sheets, a row on a line, the cells as they are
// shown. A sheet that can't be read, as one that holds a chart, is passed over as long
// as others can.
func readXLSX(out *output, file []byte, unpacked int64) error {
	// Nothing is over the second limit, so that nothing is unpacked to a temporary file.
	book, err := excelize.OpenReader(bytes.NewReader(file), excelize.Options{UnzipSizeLimit: unpacked, UnzipXMLSizeLimit: unpacked})
	if err != nil {
		return errBroken.Because(err)
	}
	defer book.Close() //nolint:errcheck // it was only read
	broken := error(nil)
	for _, sheet := range book.GetSheetList() {
		out.page("sheet " + sheet)
		if err := readSheet(out, book, sheet); err != nil {
			broken = errBroken.Because(err)
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
