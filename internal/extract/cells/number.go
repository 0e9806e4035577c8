// Package cells writes what the cells of spreadsheets say: whole numbers with their unit, and dates by ISO 8601, not
// rounded or shortened as a column is too narrow for more.
package cells

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Formats are the number formats of a workbook.
type Formats struct {
	From1904 bool           // dates count from 1904, not from 1900
	Patterns map[int]string // those that are not built in, by their number
}

// Number returns a number in its format: as a date, a percentage, or as it is with its unit.
func (f Formats) Number(value float64, format int) string {
	pattern, _, _ := strings.Cut(f.Patterns[format], ";") // others are for negative numbers, zero and text
	shown := parse(pattern)
	date, clock := shown.date, shown.clock
	if pattern == "" {
		date, clock = builtInDate(format)
	}
	if shown.elapsed || format == 46 {
		return elapsed(value)
	}
	if date || clock {
		if text := f.date(value, date, clock); text != "" {
			return text
		}
	}
	if shown.percent || format == 9 || format == 10 {
		return Plain(value*100) + "%"
	}
	text := Plain(value)
	if text == "" || date || clock {
		return text
	}
	return strings.TrimSpace(shown.before + text + shown.after)
}

// Plain returns a number with all digits that a spreadsheet has, or "" if it is none.
func Plain(value float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(value, 'e', 14, 64), 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		return ""
	}
	if magnitude := math.Abs(rounded); magnitude != 0 && (magnitude >= 1e15 || magnitude < 1e-9) {
		return strconv.FormatFloat(rounded, 'E', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func (f Formats) date(value float64, date, clock bool) string {
	at, ok := Time(value, f.From1904)
	switch {
	case !ok:
		return ""
	case !clock:
		return at.Format(time.DateOnly)
	case !date:
		return at.Format(time.TimeOnly)
	}
	return strings.TrimSuffix(at.Format(time.DateTime), ":00")
}

// elapsed returns a number of days as hours, minutes and seconds.
func elapsed(days float64) string {
	const maxDays = 1e6
	if math.IsNaN(days) || math.Abs(days) > maxDays {
		return Plain(days)
	}
	seconds := int(math.Round(math.Abs(days) * 24 * 60 * 60))
	text := fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if days < 0 {
		return "-" + text
	}
	return text
}

// Time returns the time of a number of days, to the second, and whether it is before the year 10000.
func Time(days float64, from1904 bool) (time.Time, bool) {
	const lastDay = 2_958_466 // of those from 1900
	if !(0 <= days && days < lastDay) {
		return time.Time{}, false
	}
	begin := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case from1904:
		begin = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	case days < 60: // spreadsheets count a 29th of February 1900
		begin = begin.AddDate(0, 0, 1)
	}
	whole, part := math.Modf(days)
	seconds := math.Round(part * 24 * 60 * 60)
	return begin.AddDate(0, 0, int(whole)).Add(time.Duration(seconds) * time.Second), true
}

// builtInDate reports whether a built-in format shows a date and a time of day.
func builtInDate(format int) (date, clock bool) {
	switch {
	case 14 <= format && format <= 17, 27 <= format && format <= 31, 50 <= format && format <= 58, format == 36:
		return true, false
	case 18 <= format && format <= 21, 32 <= format && format <= 35, 45 <= format && format <= 47:
		return false, true
	case format == 22:
		return true, true
	}
	return false, false
}
