package ole

import (
	"math"
	"strconv"
	"strings"
)

// cell handles a record of a sheet.
func (x *xlsReader) cell(kind int, record Data, rest []Data) error {
	row, col, style := record.u16(0), record.u16(2), record.u16(4)
	if kind != xlsResult {
		x.awaited = nil
	}
	switch kind {
	case xlsString:
		if i := record.U32(6); i < len(x.strings) {
			x.put(row, col, x.strings[i])
		}
	case xlsLabel, xlsRichText:
		x.put(row, col, x.text(record.From(6, len(record))))
	case xlsNumber:
		x.put(row, col, x.number(record.float(6), style))
	case xlsRK:
		x.put(row, col, x.number(rkNumber(record.U32(6)), style))
	case xlsNumbers:
		for i := 4; i+6 <= len(record)-2; i += 6 {
			x.put(row, col+(i-4)/6, x.number(rkNumber(record.U32(i+2)), record.u16(i)))
		}
	case xlsBoolError:
		x.put(row, col, boolOrError(record.u8(6), record.u8(7) != 0))
	case xlsFormula:
		x.formula(row, col, style, record)
	case xlsResult:
		if at := x.awaited; at != nil {
			x.put(at[0], at[1], x.text(joined(record, rest)))
			x.awaited = nil
		}
	}
	return nil
}

// joined returns a record with its continuations.
func joined(record Data, rest []Data) Data {
	all := append(Data(nil), record...)
	for _, next := range rest {
		all = append(all, next...)
	}
	return all
}

// formula writes the value that a formula had when the workbook was saved.
func (x *xlsReader) formula(row, col, style int, record Data) {
	if record.u16(12) != 0xFFFF {
		x.put(row, col, x.number(record.float(6), style))
		return
	}
	switch record.u8(6) {
	case 0:
		x.awaited = &[3]int{row, col, style}
	case 1, 2:
		x.put(row, col, boolOrError(record.u8(8), record.u8(6) == 2))
	}
}

// put writes a cell. Cells come in the order of rows and columns.
func (x *xlsReader) put(row, col int, text string) {
	if text == "" || col >= maxXLSColumns {
		return
	}
	if row != x.row {
		x.row, x.col = row, -1
	}
	for next := min(x.col+1, col); next <= col; next++ {
		x.out.EnterCell(x.col < 0)
		if next == col {
			x.out.Write(text)
		}
		x.out.LeaveCell()
		x.col = next
	}
}

// rkNumber returns a number in the short form: an integer or half of a float, perhaps in hundredths.
func rkNumber(rk int) float64 {
	var value float64
	if rk&2 != 0 {
		value = float64(int32(uint32(rk)) >> 2)
	} else {
		value = math.Float64frombits(uint64(rk&^3) << 32)
	}
	if rk&1 != 0 {
		value /= 100
	}
	return value
}

func boolOrError(value int, failed bool) string {
	if !failed {
		return strings.ToUpper(strconv.FormatBool(value != 0))
	}
	names := map[int]string{
		0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A",
	}
	return names[value]
}

// number returns a number in its style.
func (x *xlsReader) number(value float64, style int) string {
	format := 0
	if style < len(x.styles) {
		format = x.styles[style]
	}
	return x.formats.Number(value, format)
}
