package export

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/markdown"
)

// TestAMessageStaysWithinItsSection has texts that could reach beyond the end of a message or look like another one.
func TestAMessageStaysWithinItsSection(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"text", "Well,\n\nyes.", "Well,\n\nyes."},
		{"nothing", "", ""},
		{"line ends", "a\r\nb\rc\n\n", "a\nb\nc"},
		{"list", "1. a\n   - b\n\n   c", "1. a\n   - b\n\n   c"},
		{"table", "|a|b|\n|-|-|\n|1|2|", "|a|b|\n|-|-|\n|1|2|"},
		{"formula", "$$\na < b\n$$", "$$\na < b\n$$"},
		{"quote", "> a\n> > b", "> a\n> > b"},
		{"headings", "# a\n## User · 2026\n###### b\n#c", "### a\n#### User · 2026\n###### b\n#c"},
		{"heading after a bare return", "a\r## User", "a\n#### User"},
		{"heading with tags", "## <b> `<c>`", "#### &lt;b> `<c>`"},
		{"underlined headings", "User\n===\nUser\n---", "User\n\\===\nUser\n\n---"},
		{"rule", "a\n\n---\n\nb", "a\n\n---\n\nb"},
		{"code", "```html\n<b>\n## a\n===\n```\n<b>", "```html\n<b>\n## a\n===\n```\n&lt;b>"},
		{"open code", "```\ncode", "```\ncode\n```"},
		{"open code with a longer fence", "~~~~\n~~~", "~~~~\n~~~\n~~~~"},
		{"fence in code", "~~~\n```\n    ~~~\n~~~ a\n~~~\n<b>", "~~~\n```\n    ~~~\n~~~ a\n~~~\n&lt;b>"},
		{"code in a list", "1. a\n   ```\n   <b>\n\n     c\n   ```\n2. b", "1. a\n   ```\n   <b>\n\n     c\n   ```\n2. b"},
		{"code in a deep list", "- a\n  - b\n    ```\n    <b>\n    ```", "- a\n  - b\n    ```\n    &lt;b>\n    ```"},
		{"no fence", "```a```\n<b>", "```a```\n&lt;b>"},
		{"open comment", "<!-- gone", "&lt;!-- gone"},
		{"code span", "`<b>` and <u>", "`<b>` and &lt;u>"},
		{"indented with a tab", "\t<b>", "    &lt;b>"},
		// Readers could differ about where code ends.
		{"item that ends within its code", "- a\n  ```\n<b>\n```\n<b>", "> - a\n>   ```\n> &lt;b>\n> ```\n> &lt;b>"},
		{"open code in a list", "- a\n  ```\n  b", "> - a\n>   ```\n>   b"},
		{"code that ends elsewhere", "- a\n  ```\n  b\n   ```", "> - a\n>   ```\n>   b\n>    ```"},
		{"item of code", "- ```\n  ```", "> - ```\n>   ```"},
		{"tab before a fence", "```\n\t```\nb", "> ```\n> \t```\n> b"},
		{"link definition", "[a]:\n```\n<b>", "> [a]:\n> ```\n> &lt;b>"},
	} {
		if got := section(test.content); got != test.want+"\n" {
			t.Errorf("%s: got\n%swant\n%s", test.name, got, test.want)
		}
		page := markdown.HTML(section(test.content) + "\n---\n\n## End\n")
		if !strings.HasSuffix(page, "<hr>\n<h4>End</h4>\n") || strings.Count(page, "<h4>") != 1 {
			t.Errorf("%s: the next message is not seen in\n%s", test.name, page)
		}
	}
}

func TestAReplyIsUnderTheNameOfItsModel(t *testing.T) {
	got := markdownMessage(parley.Message{
		Role: parley.RoleAssistant, Content: "Yes.", Details: parley.Details{Model: "large\n<b>"},
	})
	if want := "\n---\n\n## Assistant · large &lt;b> · 1970-01-01 00:00 UTC\n\nYes.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzSection(f *testing.F) {
	f.Add("a\n```\n<b>\r<!--")
	f.Add("- a\n  ~~~\n  b\n  ~~~\n===\n# a")
	f.Add("[a]:\n ~~~\n`<b>`\\`|")
	f.Fuzz(func(t *testing.T, content string) {
		got := section(content)
		if len(got) > 5*len(content)+8 {
			t.Errorf("%d bytes become %d", len(content), len(got))
		}
		if strings.Contains(got, "\r") || !strings.HasSuffix(got, "\n") {
			t.Errorf("%q becomes %q", content, got)
		}
		var block markdown.CodeBlock
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if !block.IsFence(line) && !block.Open() && strings.HasPrefix(line, "## ") {
				t.Errorf("%q has a heading in %q", content, got)
			}
		}
	})
}
