package library

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

func TestHeaderRow(t *testing.T) {
	for text, want := range map[string]string{
		"Island\tPrice\nCapri\t23\n":                 "Island\tPrice",
		"Prices of May\n\nIsland\tPrice\nCapri\t2\n": "Island\tPrice",
		"岛屿\t2024\t2025\n":                           "岛屿\t2024\t2025",
		"\tBoats\tGuests\nMay\t1\t2\n":               "\tBoats\tGuests",
		"Capri\t23\nIschia\t19\n":                    "",
		"Sum\t=A1\n":                                 "",
		"a\nb\nc\nd\ne\nIsland\tPrice\n":             "",
		"Island\tPri":                                "",
		"":                                           "",
	} {
		if got := headerRow(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// longSheets is a workbook of two sheets with the same rows. Only the first has a header row.
func longSheets(t *testing.T) string {
	t.Helper()
	book := excelize.NewFile()
	fill := func(sheet string, header ...any) {
		if _, err := book.NewSheet(sheet); err != nil {
			t.Fatal(err)
		}
		if err := book.SetSheetRow(sheet, "A1", &header); err != nil {
			t.Fatal(err)
		}
		for i := 2; i < 500; i++ {
			row := []any{fmt.Sprintf("harbor%d of %s", i, sheet), i * 7}
			if err := book.SetSheetRow(sheet, fmt.Sprintf("A%d", i), &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	fill("Boats", "Harbor", "Length in meters")
	fill("Guests", "first", 17)
	if err := book.DeleteSheet("Sheet1"); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAPassageOfASheetHasItsHeaderRow(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		s.upload("boats.xlsx", longSheets(t))
		for question, header := range map[string]string{
			"harbor400 of Boats":  "Harbor\tLength in meters",
			"harbor400 of Guests": "",
			"Length in meters":    "",
		} {
			m, err := s.Material(t.Context(), s.user, s.session, Question{Text: question}, 700)
			s.must(err)
			found := false
			for _, p := range m.Passages {
				if !strings.Contains(p.Text, question) {
					continue
				}
				found = true
				if p.Header != header || strings.Count(p.WithHeader(), "Length in meters") > 1 {
					t.Errorf("%s: the header is %q of %.100q", question, p.Header, p.Text)
				}
				if header != "" && !strings.HasPrefix(p.WithHeader(), header+"\n") {
					t.Errorf("%s: given is %.100q", question, p.WithHeader())
				}
			}
			if !found || !m.Omitted {
				t.Errorf("%s: found %v in %+v", question, found, m)
			}
		}
	})
}

func TestOnlyRowsGetAHeaderRow(t *testing.T) {
	for text, want := range map[string]string{"Capri\t23\n": "Island\tPrice", "Chart: Prices\n\tMay\n": ""} {
		var p Passage
		p.Text = text
		if p.setHeader("Island\tPrice"); p.Header != want {
			t.Errorf("%q: got %q", text, p.Header)
		}
	}
}
