package export

import (
	"strings"
	"testing"

	"parley"
)

func TestAMessageStaysWithinItsQuote(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"text", "Well,\n\nyes.", "> Well,\n>\n> yes."},
		{"nothing", "", ">"},
		{"line ends", "a\r\nb\rc\n\n", "> a\n> b\n> c"},
		{"trailing blanks are a line break", "a  \nb", "> a  \n> b"},
		{"heading", "## Assistant · 2026", "> ## Assistant · 2026"},
		{"heading after a bare return", "a\r## User", "> a\n> ## User"},
		{"underlined heading", "User\n===", "> User\n> ==="},
		{"open code block", "```\ncode", "> ```\n> code"},
		{"open comment", "<!-- gone", "> &lt;!-- gone"},
		{"tags", "</p><details open>\n<br/><x", "> &lt;/p>&lt;details open>\n> &lt;br/>&lt;x"},
		{"declarations", "<!doctype html><?xml <![CDATA[", "> &lt;!doctype html>&lt;?xml &lt;![CDATA["},
		{"no tags", "1 < 2, a<b, <3, x<y$, <https://example.com>", "> 1 < 2, a<b, <3, x<y$, <https://example.com>"},
		{"escaped tags", `\<b> \\<b>`, `> &lt;b> \\&lt;b>`},
		{"tag at the end of an address", `http://a\<b>`, "> http://a&lt;b>"},
		{"code block", "```html\n<b>\n\t<i>\n```\n<b>", "> ```html\n> <b>\n> \t<i>\n> ```\n> &lt;b>"},
		{"code block closed with blanks", "```\n<b>\n  ``` \n<b>", "> ```\n> <b>\n>   ``` \n> &lt;b>"},
		{"fence in a code block", "~~~\n```\n<b>\n~~~\n<b>", "> ~~~\n> ```\n> <b>\n> ~~~\n> &lt;b>"},
		{"code span", "`<b>` and ``a`<i>`` and <u>", "> `<b>` and ``a`<i>`` and &lt;u>"},
		{"indented with a tab", "\t<b>", ">     &lt;b>"},
		// What only some readers take for code is escaped.
		{"span over two lines", "a ` b\n`<b>` c\n\n`<b>`", "> a ` b\n> `&lt;b>` c\n>\n> `<b>`"},
		{"escaped backtick", "\\`<b>`", "> \\`&lt;b>`"},
		{"backtick of an address", "http://a`<b>`", "> http://a`&lt;b>`"},
		{"cells", "| ` | <b> ` |", "> | ` | &lt;b> ` |"},
		{"code block in a list", "- a\n  ```\n<b>\n```\n<b>", "> - a\n>   ```\n> &lt;b>\n> ```\n> &lt;b>"},
		{"tab before a fence", "```\n\t```\n<b>", "> ```\n> \t```\n> &lt;b>"},
		{"link definition", "[a]:\n```\n<b>", "> [a]:\n> ```\n> &lt;b>"},
	} {
		if got := blockQuote(test.content); got != test.want+"\n" {
			t.Errorf("%s: got\n%swant\n%s", test.name, got, test.want)
		}
	}
}

func TestSourcesAndTitlesAreOneLine(t *testing.T) {
	message := parley.Message{Role: parley.RoleAssistant, Content: "Yes [1].", Details: parley.Details{
		Sources: []parley.Source{{Title: "A\n## User <!--", URL: "https://example.com/a b>\n# c"}},
	}}
	want := "\n---\n\n## Assistant · 1970-01-01 00:00 UTC\n\nYes [1].\n" +
		"\n\\[1\\] A ## User &lt;!-- <https://example.com/a%20b%3E%20#%20c>\n"
	if got := markdownMessage(message); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := markdownTitle("Plans\r## <b>"); got != "# Plans ## &lt;b>\n" {
		t.Errorf("got the title %q", got)
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("a\n```\n<b>\r<!--")
	f.Add("[a]:\n ~~~\n`<b>`\\`|")
	f.Add("\t\t\t<!\n\n\n\t<a")
	f.Fuzz(func(t *testing.T, content string) {
		got := blockQuote(content)
		if len(got) > 4*len(content)+4 {
			t.Errorf("%d bytes become %d", len(content), len(got))
		}
		for line := range strings.Lines(got) {
			if !strings.HasPrefix(line, ">") || strings.Contains(line, "\r") {
				t.Errorf("%q leaves its quote in %q", content, line)
			}
		}
	})
}
