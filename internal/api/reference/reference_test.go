package reference

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestEveryOperationHasToBeThereOnce(t *testing.T) {
	const document = `{"paths": {"/a": {"get": {"operationId": "a"}}}}`
	for text, want := range map[string]string{
		"":                                       `no chapter has {{operation "a"}}`,
		`{{operation "a"}}{{operation "a"}}`:     "no operation a, or it is there twice",
		`{{operation "a"}}{{operation "other"}}`: "no operation other",
		`{{operation "a"}}{{object "Other"}}`:    "no object Other",
	} {
		if _, err := write([]byte(document), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

var links = regexp.MustCompile(`\]\(#([^)]+)\)`)

func TestLinksLeadToHeadings(t *testing.T) {
	text, err := os.ReadFile("../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	headings := map[string]bool{}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "#") {
			headings[anchor(line)] = true
		}
	}
	for _, link := range links.FindAllStringSubmatch(page, -1) {
		if !headings[link[1]] {
			t.Errorf("docs/api.md has no heading #%s", link[1])
		}
	}
}
