package ole

import (
	"math"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
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

// number returns a number in its style: as a date, a percentage or as it is.
func (x *xlsReader) number(value float64, style int) string {
	format := 0
	if style < len(x.styles) {
		format = x.styles[style]
	}
	pattern := x.formats[format]
	if date, clock := datePattern(format, pattern); date || clock {
		if text := x.date(value, date, clock); text != "" {
			return text
		}
	}
	if format == 9 || format == 10 || strings.HasSuffix(pattern, "%") {
		return plainNumber(value*100) + "%"
	}
	return plainNumber(value)
}

// plainNumber returns a number with the digits that Excel has.
func plainNumber(value float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(value, 'e', 14, 64), 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		return ""
	}
	if magnitude := math.Abs(rounded); magnitude != 0 && (magnitude >= 1e15 || magnitude < 1e-9) {
		return strconv.FormatFloat(rounded, 'E', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func (x *xlsReader) date(value float64, date, clock bool) string {
	const lastDay = 2_958_466 // the end of the year 9999
	if value < 0 || value >= lastDay {
		return ""
	}
	at, err := excelize.ExcelDateToTime(value, x.from1904)
	switch {
	case err != nil:
		return ""
	case !clock:
		return at.Format("2006-01-02")
	case !date:
		return at.Format("15:04:05")
	}
	return strings.TrimSuffix(at.Format("2006-01-02 15:04:05"), ":00")
}

// datePattern reports whether a number format shows a date and a time of day.
func datePattern(format int, pattern string) (date, clock bool) {
	switch {
	case 14 <= format && format <= 17, 27 <= format && format <= 31, 50 <= format && format <= 58, format == 36:
		return true, false
	case 18 <= format && format <= 21, 32 <= format && format <= 35, 45 <= format && format <= 47:
		return false, true
	case format == 22:
		return true, true
	}
	letters := patternLetters(pattern)
	clock = strings.ContainsAny(letters, "hs")
	return strings.ContainsAny(letters, "yd") || strings.Contains(letters, "m") && !clock, clock
}

// patternLetters returns the letters of a number format that stand for parts of a date.
func patternLetters(pattern string) string {
	var letters strings.Builder
	quoted, bracketed, escaped := false, false, false
	first, _, _ := strings.Cut(strings.ToLower(pattern), ";")
	for _, r := range first {
		switch {
		case escaped:
			escaped = false
		case r == '"':
			quoted = !quoted
		case r == '\\' || r == '_' || r == '*':
			escaped = !quoted
		case r == '[' || r == ']':
			bracketed = r == '['
		case !quoted && !bracketed && strings.ContainsRune("ymdhs", r):
			letters.WriteRune(r)
		}
	}
	if strings.Contains(first, "general") || strings.ContainsAny(first, "#?") {
		return ""
	}
	return letters.String()
}
