package browser

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// firstPage is how large the first page may be, compressed, in bytes.
const firstPage = 250_000

func TestTheFirstPageIsSmall(t *testing.T) {
	need(t)
	for _, name := range []string{"app.html", "docs.html"} {
		page, err := os.ReadFile("../dist/" + name)
		if err != nil {
			t.Fatal(err)
		}
		total := size(t, name+".gz")
		for _, asset := range regexp.MustCompile(`(?:src|href)="/([^"]+\.(?:js|css|svg))"`).FindAllSubmatch(page, -1) {
			total += size(t, string(asset[1])+".gz")
		}
		t.Logf("%s and what it loads: %d bytes compressed", name, total)
		if total > firstPage {
			t.Errorf("%s and what it loads are %d bytes compressed, over %d", name, total, firstPage)
		}
	}
}

func size(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join("../dist", name))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
