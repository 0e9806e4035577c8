package html

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"parley/internal/extract/extracttest"
)

// content marks what a reader of a page of testdata/pages comes for.
var content = regexp.MustCompile(`(?s)<!--c-->(.*?)<!--/c-->`)

// TestArticle measures how much of the content of pages is read, and how much else.
func TestArticle(t *testing.T) {
	files, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	precision, recall, pages := 0.0, 0.0, 0.0
	for _, file := range files {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := contentOf(t, string(page))
		document, err := readWith(ReadArticle, page)
		if len(want) == 0 {
			if err == nil {
				t.Errorf("%s has text: %q", file, document.Text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got := extracttest.CountWords(document.Text)
		common := 0
		for word, n := range want {
			common += min(n, got[word])
		}
		r, p := float64(common)/float64(extracttest.Total(want)), float64(common)/float64(extracttest.Total(got))
		t.Logf("%-30s precision %.2f recall %.2f", filepath.Base(file), p, r)
		if r < 0.9 {
			t.Errorf("%s: recall %.2f: %s", file, r, document.Text)
		}
		precision, recall, pages = precision+p, recall+r, pages+1
	}
	t.Logf("mean of %v pages: precision %.3f recall %.3f", pages, precision/pages, recall/pages)
	if recall/pages < 0.99 || precision/pages < 0.96 {
		t.Errorf("precision %.3f, recall %.3f", precision/pages, recall/pages)
	}
}

func contentOf(t *testing.T, page string) map[string]int {
	t.Helper()
	var b strings.Builder
	for _, part := range content.FindAllStringSubmatch(page, -1) {
		root, err := nethtml.Parse(strings.NewReader(part[1]))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type == nethtml.TextNode {
				b.WriteString(n.Data + " ")
			}
		}
	}
	return extracttest.CountWords(b.String())
}
