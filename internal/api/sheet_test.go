package api_test

import (
	"archive/zip"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestPassagesOfALongSheetHaveItsHeaderRow gives the model a sheet larger than half its context.
func TestPassagesOfALongSheetHaveItsHeaderRow(t *testing.T) {
	eachWith(t, func(w *world) { w.ContextTokens = 4000 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		_, err := ada.Upload(w.Context(), session, "boats.ods", strings.NewReader(longSheet(w)))
		w.must(err)
		sent := w.say(ada, session, "How long is harbor777?")
		told := w.Model.Last(w.T).System()
		if !regexp.MustCompile(`Place: sheet Boats\n\nHarbor\tLength\nharbor\d+\t`).MatchString(told) ||
			!strings.Contains(told, "harbor777\t5439") {
			w.Errorf("the model was told:\n%.3000s", told)
		}
		for _, p := range sent.AIResponse.Files {
			if !strings.HasPrefix(p.Text, "harbor") && !strings.HasPrefix(p.Text, "Harbor\tLength\nharbor0\t") {
				w.Errorf("the reply names a passage that is not in the file: %.80q", p.Text)
			}
		}
	})
}

// longSheet returns a spreadsheet of a thousand rows and a header row.
func longSheet(w *world) string {
	row := func(cells ...any) string {
		var b strings.Builder
		for _, cell := range cells {
			fmt.Fprintf(&b, `<r:table-cell><t:p>%v</t:p></r:table-cell>`, cell)
		}
		return `<r:table-row>` + b.String() + `</r:table-row>`
	}
	var rows strings.Builder
	rows.WriteString(row("Harbor", "Length"))
	for i := range 1000 {
		rows.WriteString(row(fmt.Sprintf("harbor%d", i), i*7))
	}
	var b strings.Builder
	z := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"mimetype", "application/vnd.oasis.opendocument.spreadsheet"},
		{"content.xml", `<r:table xmlns:r="r" xmlns:t="t" r:name="Boats">` + rows.String() + `</r:table>`},
	} {
		f, err := z.Create(part[0])
		w.must(err)
		_, err = f.Write([]byte(part[1]))
		w.must(err)
	}
	w.must(z.Close())
	return b.String()
}
