package export

import (
	"strings"
	"testing"

	"parley"
)

func TestAPageRunsAndLoadsNothing(t *testing.T) {
	const hostile = `<script>x</script><img src=https://evil.example/a onerror=x>"'>`
	page := htmlTitle(parley.Export{Title: hostile + "\n# a", ExportedAt: 1767225600}) +
		htmlMessage(parley.Message{Role: parley.RoleUser, Content: hostile + " **a**", Timestamp: 1767225600}) +
		htmlMessage(parley.Message{
			Role: parley.RoleAssistant, Content: "**b** ![c](https://evil.example/c) [d](javascript:x) " + hostile +
				" $e" + hostile + "$\n\n<details open onclick=x><details><summary>f" + hostile + "</summary>\n\n$$\n" + hostile +
				"\n$$\n\n[^g]: " + hostile + "\n</details>",
			Details: parley.Details{Sources: []parley.Source{
				{Title: hostile, URL: `https://example.com/"onclick="x`}, {Title: "bad", URL: "javascript:x"},
			}},
		}) + htmlEnd
	for _, bad := range []string{"<script", "<img", "<link", `"onclick`, `href="javascript`, "src=\"", "url("} {
		if strings.Contains(page, bad) {
			t.Errorf("%s is in %s", bad, page)
		}
	}
	for _, good := range []string{
		"<strong>b</strong>", " **a**</p>", "default-src 'none'", "<li>bad</li>", `<span class="math">e&lt;script`,
	} {
		if !strings.Contains(page, good) {
			t.Errorf("%s is not in %s", good, page)
		}
	}
}

// TestAPageCanBePrinted checks that the ink is dark also if the reader's system is, and that nothing is cut off which
// could be scrolled into view on a screen.
func TestAPageCanBePrinted(t *testing.T) {
	_, print, found := strings.Cut(htmlTitle(parley.Export{}), "@media print")
	if !found {
		t.Fatal("the page has no style for printing")
	}
	for _, rule := range []string{"color-scheme: light;", "pre { white-space: pre-wrap; }", "overflow-wrap: anywhere;"} {
		if !strings.Contains(print, rule) {
			t.Errorf("the style for printing lacks %q", rule)
		}
	}
}
