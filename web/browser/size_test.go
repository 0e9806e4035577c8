package browser

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// maxFirstPage limits the compressed size of the first page with its typeface, in bytes.
const maxFirstPage = 120_000

func TestTheFirstPageIsSmall(t *testing.T) {
	t.Parallel()
	need(t)
	for _, name := range []string{"app.html", "docs.html", "share.html"} {
		page, err := os.ReadFile("../dist/" + name)
		if err != nil {
			t.Fatal(err)
		}
		total := size(t, name+".gz")
		for _, asset := range regexp.MustCompile(`(?:src|href)="/([^"]+\.(?:js|css|svg))"`).FindAllSubmatch(page, -1) {
			total += size(t, string(asset[1])+".gz")
		}
		fonts := regexp.MustCompile(`href="/([^"]+\.woff2)"`).FindAllSubmatch(page, -1)
		if len(fonts) == 0 {
			t.Errorf("%s loads no typeface", name)
		}
		for _, font := range fonts {
			total += size(t, string(font[1])) // the format is compressed
		}
		t.Logf("%s and what it loads: %d bytes compressed", name, total)
		if total > maxFirstPage {
			t.Errorf("%s and what it loads are %d bytes compressed, over %d", name, total, maxFirstPage)
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
