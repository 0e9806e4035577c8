package extract

import (
	"html"
	"regexp"
	"testing"

	"parley/internal/extract/extracttest"
)

// TestNoFormatLosesWords compares the text of each sample with the source that a real program made it from.
func TestNoFormatLosesWords(t *testing.T) {
	tests := map[string][]string{
		"guide.md": {
			"pandoc.docx", "pandoc.odt", "pandoc.rtf", "pandoc.epub", "pandoc.html", "chromium.pdf",
		},
		"guide.fodt": {
			"libreoffice.docx", "libreoffice.odt", "libreoffice.rtf", "libreoffice.epub", "libreoffice.html",
			"libreoffice.doc", "libreoffice.pdf",
		},
		"slides.md":     {"pandoc.pptx", "libreoffice.pptx", "libreoffice.odp", "libreoffice.ppt"},
		"prices.fods":   {"libreoffice.xlsx", "libreoffice.ods", "libreoffice.xls"},
		"contract.fodt": {"contract.docx", "contract.rtf"},
		"chinese.html":  {"chromium-chinese.pdf", "libreoffice-chinese.pdf"},
	}
	// Words that are not in the file, or are known to be lost.
	lost := map[string]string{
		"libreoffice.epub":        "Harbour Office circular 17. Printed in Sorrento.", // has no header and footer
		"libreoffice-chinese.pdf": "灯塔与渡轮",                                            // was lost on the way
		"libreoffice.pdf":         "twenty three",                                     // "twenty-" at the end of a line
		"chromium-chinese.pdf":    "올라가 피어오르기",                                        // broken at the end of a line
	}
	for source, files := range tests {
		want := extracttest.CountWords(withoutMarkup(string(extracttest.Sample(t, source))))
		if extracttest.Total(want) < 20 {
			t.Fatalf("%s has only the words %v", source, want)
		}
		for _, name := range files {
			t.Run(name, func(t *testing.T) {
				document, err := reader.Read(t.Context(), extracttest.Sample(t, name), name)
				if err != nil {
					t.Fatal(err)
				}
				got := extracttest.CountWords(document.Text + " " + lost[name])
				for word, n := range want {
					if got[word] < n {
						t.Errorf("%q is there %d times, and %d times in %s", word, got[word], n, source)
					}
				}
			})
		}
	}
}

// markup is what no program shows of a source: tags, its title, the keys of its front matter, marks of notes.
var markup = regexp.MustCompile(
	`(?s)<style>.*?</style>|<title>.*?</title>|<[^>]*>|(?m)^(?:title|author):|\[\^\d+\]|^::: notes$`,
)

func withoutMarkup(source string) string {
	return html.UnescapeString(markup.ReplaceAllString(source, " "))
}
