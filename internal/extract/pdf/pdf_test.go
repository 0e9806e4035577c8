package pdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/ocr"
	"parley/internal/extract/prose"
)

func readText(t *testing.T, file []byte) prose.Document {
	t.Helper()
	document, err := readFile(t, file)
	if err != nil {
		t.Fatal(err)
	}
	extracttest.CheckText(t, document)
	return document
}

func readFile(t testing.TB, file []byte) (prose.Document, error) {
	t.Helper()
	engine, err := OpenEngine("../../../.cache/pdf")
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	out, scanned := &prose.Output{Limit: 1 << 20}, &Scans{MaxPixels: ocr.MaxPixels}
	if err := Read(t.Context(), out, file, engine, scanned); err != nil {
		return prose.Document{}, err
	}
	return out.Document(scanned.Blank())
}

func checkContains(t *testing.T, text string, facts ...string) {
	t.Helper()
	for _, fact := range facts {
		if strings.Count(text, fact) != 1 {
			t.Errorf("%q is not once in\n%s", fact, text)
		}
	}
}

func TestAFormsValuesAreRead(t *testing.T) {
	document := readText(t, extracttest.Sample(t, "reportlab-form.pdf"))
	checkContains(t, document.Text, "Registration of keepers", "The form ends here.", "Ada Lovelace", "Procida",
		"The lamp flickers at high tide.", "\n\nComment: Ask for the licence first.")
}

func TestAnnotationsAreRead(t *testing.T) {
	w := newWriter()
	widget := func(entries, name, look string) string {
		return w.add("<< /Type /Annot /Subtype /Widget /Rect [100 600 400 620] /F 4 " +
			entries + " /T (" + name + ") " + look + " >>")
	}
	note := func(kind, entries string) string {
		return w.add("<< /Type /Annot /Subtype /" + kind + " /Rect [100 500 400 520] /F 4 " + entries + " >>")
	}
	annotations := []string{
		widget("/FT /Tx /V (Ada Lovelace)", "keeper", "/AP << /N "+w.look("Ada Lovelace")+" >>"),
		widget("/FT /Ch /V (Procida)", "island", "/AP << /N "+w.look("Procida")+" >>"),
		widget("/FT /Btn /V /On /AS /On", "cat",
			"/AP << /N << /On "+w.look("a cross")+" /Off "+w.look("no cross")+" >> >>"),
		widget("/FT /Sig", "signature", "/AP << /N "+w.look("Digitally signed by Grace")+" >>"),
		widget("/FT /Tx /V (without a look)", "remarks", ""),
		note("FreeText", "/Contents (See the other side) /AP << /N "+w.look("See the other side")+" >>"),
		note("FreeText", "/Contents (Nobody drew this)"),
		note("Stamp", "/AP << /N "+w.look("APPROVED")+" >>"),
		note("Text", "/T (Grace) /Contents (Is this still so?)"),
		note("Highlight", "/T (Ada) /Contents (Since May.) /QuadPoints [1 2 3 4 5 6 7 8]"),
		note("Popup", "/Contents (twice)"),
		note("Link", "/Contents (where it leads)"),
		w.add("<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /F 2 /Contents (secret) >>"),
	}
	w.catalog = "/AcroForm << /Fields [" + strings.Join(annotations[:5], " ") + "] >>"
	w.page(drawn(50, 650, "The keeper's form"), "/Annots ["+strings.Join(annotations, " ")+"]")
	text := readText(t, w.bytes()).Text
	checkContains(t, text, "The keeper's form", "Ada Lovelace", "Procida", "a cross", "Digitally signed by Grace",
		"\nremarks: without a look", "See the other side", "\nComment: Nobody drew this", "APPROVED",
		"\nComment by Grace: Is this still so?", "\nComment by Ada: Since May.")
	for _, absent := range []string{"no cross", "twice", "leads", "secret"} {
		if strings.Contains(text, absent) {
			t.Errorf("%q is in\n%s", absent, text)
		}
	}
}

func TestValuesStandBehindTheirLabels(t *testing.T) {
	tests := map[string]struct {
		content string
		fields  func(w *fileWriter) []string
		want    string
	}{
		"beside": {
			drawn(50, 600, "Name:") + drawn(50, 580, "Town:") + drawn(50, 560, "The end."),
			func(w *fileWriter) []string {
				return []string{w.field(120, 576, 100, "Rome"), w.field(120, 596, 100, "Ada Lovelace")}
			},
			"Name: Ada Lovelace\nTown: Rome\nThe end.",
		},
		"two in a line": {
			drawn(50, 600, "Name:") + drawn(250, 600, "Town:") + drawn(50, 560, "The end."),
			func(w *fileWriter) []string {
				return []string{w.field(100, 596, 100, "Ada"), w.field(300, 596, 100, "Rome")}
			},
			"Name: Ada Town: Rome\nThe end.",
		},
		"in a sentence": {
			drawn(50, 600, "I,") + drawn(200, 600, "of age, agree.") + drawn(50, 560, "The end."),
			func(w *fileWriter) []string { return []string{w.field(70, 596, 100, "Ada")} },
			"I, Ada of age, agree.\nThe end.",
		},
		"on a line": {
			drawn(50, 600, "Name: ______________ Town: ........") + drawn(50, 560, "The end."),
			func(w *fileWriter) []string {
				return []string{w.field(100, 596, 80, "Ada"), w.field(226, 596, 100, "Rome")}
			},
			"Name: Ada ______________ Town: Rome ........\nThe end.",
		},
		"across words": {
			drawn(50, 600, "The ferry leaves at nine.") + drawn(50, 560, "The end."),
			func(w *fileWriter) []string { return []string{w.field(80, 604, 100, "RECEIVED  IN MAY")} },
			"The ferry leaves at nine.\nRECEIVED IN MAY\nThe end.",
		},
		"several lines": {
			drawn(50, 600, "Remarks:") + drawn(50, 500, "The end."),
			func(w *fileWriter) []string {
				return []string{w.field(120, 564, 200, "The lamp flickers", "at high tide,", "and hums.")}
			},
			"Remarks: The lamp flickers\nat high tide,\nand hums.\nThe end.",
		},
		"below": {
			drawn(50, 600, "Name") + drawn(50, 560, "Town") + drawn(50, 520, "The end."),
			func(w *fileWriter) []string {
				return []string{w.field(50, 580, 100, "Ada"), w.field(50, 540, 100, "Rome")}
			},
			"Name\nAda\nTown\nRome\nThe end.",
		},
		"of a comb": {
			drawn(50, 600, "Code:") + drawn(50, 560, "The end."),
			func(w *fileWriter) []string { return []string{w.field(120, 596, 300, "1          2          3")} },
			"Code: 1 2 3\nThe end.",
		},
		"no value but a note": {
			drawn(50, 600, "The ferry leaves") + drawn(50, 580, "at nine."),
			func(w *fileWriter) []string { return []string{w.annotation("FreeText", 300, 596, 100, "Really?")} },
			"The ferry leaves\nat nine.\nReally?",
		},
		"elsewhere": {
			drawn(50, 600, "Name:") + drawn(50, 560, "The end."),
			func(w *fileWriter) []string {
				return []string{w.field(300, 300, 100, "Received", "in May"), w.field(120, 596, 100, "Ada")}
			},
			"Name: Ada\nThe end.\nReceived\nin May",
		},
		"on an empty page": {
			"",
			func(w *fileWriter) []string {
				return []string{w.field(50, 580, 100, "Ada"), w.field(50, 440, 100, "Rome")}
			},
			"Ada\nRome",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWriter()
			w.page(tt.content, "/Annots ["+strings.Join(tt.fields(w), " ")+"]")
			if got := readText(t, w.bytes()).Text; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOnlySoManyValuesAreMoved(t *testing.T) {
	w := newWriter()
	var labels, fields []string
	for i := range maxAnnotations + 1 {
		labels = append(labels, drawn(50, 600-20*i, fmt.Sprint("number ", i)))
		fields = append(fields, w.field(150, 596-20*i, 100, fmt.Sprint("value ", i)))
	}
	w.page(strings.Join(labels, ""), "/Annots ["+strings.Join(fields, " ")+"]")
	text := readText(t, w.bytes()).Text
	checkContains(t, text, "number 0 value 0\n", "\nnumber 1999 value 1999\nnumber 2000\nvalue 2000")
}

func TestAFlattenedPageLosesNothing(t *testing.T) {
	lines := func(texts ...string) []textLine {
		var all []textLine
		for _, text := range texts {
			all = append(all, textLine{text: text})
		}
		return all
	}
	tests := []struct{ plain, flattened, want []textLine }{
		{lines("Name:", "Date:"), lines("Name: Ada", "Date:"), lines("Name: Ada", "Date:")},
		{lines("Name:", "Date:"), lines("Name: Ada"), lines("Name:", "Date:", "Name: Ada")},
		{lines("Name:", "Date:"), lines("\x06\x07\x08", "\x0e\x0f"), lines("Name:", "Date:")},
		{lines("Name:"), nil, lines("Name:")},
	}
	for _, tt := range tests {
		if got := withAnnotations(tt.plain, tt.flattened); !slices.Equal(got, tt.want) {
			t.Errorf("%v and %v: got %v", tt.plain, tt.flattened, got)
		}
	}
}

func TestABrokenPageIsNoted(t *testing.T) {
	w := newWriter()
	w.lines("The ferry leaves at nine.")
	w.pages = append(w.pages, w.add("[ 1 2 3 ]"))
	w.lines("It returns at noon.")
	w.page("", "")                 // shows nothing
	w.page("0 0 100 100 re f", "") // a drawing
	document := readText(t, w.bytes())
	if document.Text != "The ferry leaves at nine.\n\nIt returns at noon." {
		t.Errorf("got %q", document.Text)
	}
	want := []string{"page 2 could not be read", "page 5 " + unrecognized}
	if !slices.Equal(document.Notes, want) {
		t.Errorf("got %q", document.Notes)
	}
}

// unrecognized is why a page without readable text is left out.
const unrecognized = "left out: no readable text, and this server has no text recognition"

func TestAFontWithoutAUnicodeMapIsNoText(t *testing.T) {
	w := newWriter()
	var differences strings.Builder
	for i := range 60 {
		fmt.Fprintf(&differences, " /g%d", i)
	}
	custom := w.add("<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Custom /FirstChar 1 /LastChar 60 " +
		"/Encoding << /Type /Encoding /Differences [1" + differences.String() + "] >> >>")
	soup := func() {
		var codes strings.Builder
		for i := range 200 {
			fmt.Fprintf(&codes, "%02x", 1+i*7%30)
		}
		w.page("BT /G 12 Tf 50 650 Td <"+codes.String()+"> Tj ET", "/Resources << /Font << /G "+custom+" >> >>")
	}
	soup()
	if _, err := readFile(t, w.bytes()); !extracttest.IsRefusal(err, prose.ErrScanned) {
		t.Errorf("got %v", err)
	}
	w.lines("The ferry leaves at nine.")
	document := readText(t, w.bytes())
	notes := []string{"page 1 " + unrecognized}
	if document.Text != "The ferry leaves at nine." || !slices.Equal(document.Notes, notes) {
		t.Errorf("got %q, %q", document.Text, document.Notes)
	}
}

func TestSymbolsOfAPDFAreNamedByTheirFont(t *testing.T) {
	for font, want := range map[string]string{"ABCDEF+Wingdings": "nine ✓", "SymbolMT": "nine μ", "Awesome": "nine •"} {
		w := newWriter()
		code := map[bool]string{true: "F06D", false: "F0FC"}[font == "SymbolMT"]
		names := w.stream("", "/CIDInit /ProcSet findresource begin begincmap "+
			"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <"+code+"> endbfchar endcmap end")
		other := w.add("<< /Type /Font /Subtype /Type1 /BaseFont /" + font +
			" /Encoding /WinAnsiEncoding /ToUnicode " + names + " >>")
		w.page(drawn(50, 600, "nine")+strings.Replace(drawn(80, 600, "A"), "/F ", "/G ", 1), "")
		page := &w.objects[len(w.objects)-1]
		*page = strings.Replace(*page, "/F 3 0 R", "/F 3 0 R /G "+other, 1)
		if text := strings.TrimSpace(readText(t, w.bytes()).Text); text != want {
			t.Errorf("%s: got %q, want %q", font, text, want)
		}
	}
}

func TestTextWhoseFontIsMissingIsNoted(t *testing.T) {
	w := newWriter()
	inner := w.add("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Ming /DW 0 " +
		"/CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>")
	outer := w.add("<< /Type /Font /Subtype /Type0 /BaseFont /Ming /Encoding /Identity-H " +
		"/DescendantFonts [" + inner + "] >>")
	for lost := range 3 {
		content := drawn(50, 600, "The ferry") + drawn(50, 560, "leaves") + drawn(50, 520, "at") + drawn(50, 480, "nine.  ")
		for i := range lost {
			content += fmt.Sprintf("BT /G 12 Tf 50 %d Td <0ABC0ABD> Tj ET\n", 400-40*i)
		}
		w.page(content, "")
		page := &w.objects[len(w.objects)-1]
		*page = strings.Replace(*page, "/F 3 0 R", "/F 3 0 R /G "+outer, 1)
	}
	document := readText(t, w.bytes())
	want := "page 3 incomplete: the fonts of some text are not in the file"
	if len(document.Notes) != 1 || document.Notes[0] != want {
		t.Errorf("the notes are %q, want %q", document.Notes, want)
	}
}
