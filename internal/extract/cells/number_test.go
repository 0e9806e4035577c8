package cells

import "testing"

func TestANumberIsWholeAndADateIsADate(t *testing.T) {
	tests := []struct {
		value   float64
		format  int
		pattern string
		want    string
	}{
		{0.1 + 0.2, 0, "", "0.3"},
		{198356388, 11, "", "198356388"},
		{1.98e20, 0, "General", "1.98E+20"},
		{0.025, 9, "", "2.5%"},
		{0.025, 164, `0%_);[Red]\(0%\)`, "2.5%"},
		{40089, 14, "", "2009-10-03"},
		{40089, 164, "dd-mm-yy", "2009-10-03"},
		{40089.5, 22, "", "2009-10-03 12:00"},
		{40089.75, 164, `yyyy"年"m"月"d"日" h:mm`, "2009-10-03 18:00"},
		{0.396, 20, "", "09:30:14"},
		{1.5, 164, "[h]:mm", "36:00:00"},
		{-0.5, 46, "", "-12:00:00"},
		{1, 14, "", "1900-01-01"},
		{61, 14, "", "1900-03-01"},
		{-3, 14, "", "-3"},
		{1234.5, 164, `[$€-407]#,##0.00;[Red]-[$€-407]#,##0.00`, "€1234.5"},
		{1234.5, 164, `_-* #,##0.00\ "kg"_-`, "1234.5 kg"},
		{-7, 164, `"$"#,##0_);[Red]\("$"#,##0\)`, "$-7"},
		{5, 164, `"days: "0`, "days: 5"},
		{5, 164, `General "m"`, "5 m"},
		{5, 164, `@`, "5"},
		{5, 164, `\`, "5"},
		{5, 164, `[`, "5"},
	}
	for _, tt := range tests {
		formats := Formats{Patterns: map[int]string{164: tt.pattern}}
		if got := formats.Number(tt.value, tt.format); got != tt.want {
			t.Errorf("%v as %d %s: got %q, want %q", tt.value, tt.format, tt.pattern, got, tt.want)
		}
	}
	if got := (Formats{From1904: true}).Number(38627, 14); got != "2009-10-03" {
		t.Errorf("a date from 1904 is %q", got)
	}
}

func TestTheNameOfACell(t *testing.T) {
	for column, name := range map[int]string{1: "A7", 26: "Z7", 27: "AA7", 702: "ZZ7", 703: "AAA7", MaxColumns: "XFD7"} {
		if got := Name(column, 7); got != name || Column(name) != column {
			t.Errorf("column %d: got %s and %d, want %s", column, got, Column(name), name)
		}
	}
	for _, name := range []string{"", "7", "XFE1", "ZZZZZZZZZZZZZZZZ1", "b2"} {
		if got := Column(name); got != 0 {
			t.Errorf("%q is column %d", name, got)
		}
	}
}
