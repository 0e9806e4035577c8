package chat

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTitleIsTheFirstLineThatSaysSomething(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, test := range []struct{ name, content, want string }{
		{"short", "Which ferry goes to Capri?", "Which ferry goes to Capri?"},
		{"first line", "Ferries\nI'd like to know which one goes to Capri.", "Ferries"},
		{"blank lines first", "\n \t\n  Ferries  \n", "Ferries"},
		{"white space within", "a\t\tb   c", "a b c"},
		{"Markdown", "## Ferries\n\ntext", "Ferries"},
		{"quote", "> - Ferries", "Ferries"},
		{"a rule first", "---\nFerries", "Ferries"},
		{"only marks", "***", "***"},
		{"Windows lines", "Ferries\r\nto Capri", "Ferries"},
		{"cut between words", long, strings.TrimSuffix(strings.Repeat("word ", 12), " ") + "…"},
		{"no words", strings.Repeat("渡", 100), strings.Repeat("渡", 60) + "…"},
		{"just fits", strings.Repeat("渡", 60), strings.Repeat("渡", 60)},
		{"one long word at the end", "a " + strings.Repeat("x", 100), "a " + strings.Repeat("x", 58) + "…"},
		{"a code block first", "```go\nfunc main() {}\n```\nWhat does this do?", "What does this do?"},
		{"a block of tildes", "~~~\n```\ncode\n~~~~\nWhat is it?", "What is it?"},
		{"an indented fence", "  ````\n```\n  ````\nWhat is it?", "What is it?"},
		{"only code", "```c\n\n  #include  <stdio.h>\nint x;\n```", "#include <stdio.h>"},
		{"an open block", "```\nx := 1", "x := 1"},
		{"only a fence", "```", "```"},
		{"code in a line", "```x``` is what?", "```x``` is what?"},
		{"a fence in an indented block", "    ```\nWhat is it?", "What is it?"},
		{"family", strings.Repeat("x", 57) + "👨‍👩‍👧‍👦 and more", strings.Repeat("x", 57) + "…"},
		{"skin tone", strings.Repeat("x", 59) + "👍🏽x", strings.Repeat("x", 59) + "…"},
		{"flags", strings.Repeat("x", 59) + "🇮🇹🇫🇷", strings.Repeat("x", 59) + "…"},
		{"a second flag", strings.Repeat("x", 57) + "🇮🇹🇫🇷", strings.Repeat("x", 57) + "🇮🇹" + "…"},
		{"flag of tags", strings.Repeat("x", 58) + "🏴󠁧󠁢󠁳󠁣󠁴󠁿", strings.Repeat("x", 58) + "…"},
		{"keycap", strings.Repeat("x", 59) + "1️⃣", strings.Repeat("x", 59) + "…"},
		{"accent", strings.Repeat("x", 59) + "e\u0301x", strings.Repeat("x", 59) + "…"},
		{"Hangul", strings.Repeat("x", 59) + "\u1112\u1161\u11ab", strings.Repeat("x", 59) + "…"},
		{"Devanagari", strings.Repeat("x", 58) + "क्षि", strings.Repeat("x", 58) + "…"},
		{"one character without end", "a" + strings.Repeat("\u0301", 99), "a" + strings.Repeat("\u0301", 59) + "…"},
		{"four-byte characters", strings.Repeat("😀", 61), strings.Repeat("😀", 60) + "…"},
	} {
		if got := TitleFrom(test.content); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func FuzzTitle(f *testing.F) {
	f.Add("Which ferry goes to Capri?")
	f.Add("# \n***\n渡")
	f.Fuzz(func(t *testing.T, content string) {
		if !utf8.ValidString(content) || strings.TrimSpace(content) == "" {
			t.Skip("refused before")
		}
		title := TitleFrom(content)
		if title == "" || utf8.RuneCountInString(title) > 61 || !utf8.ValidString(title) ||
			strings.ContainsAny(title, "\n\r\t") {
			t.Errorf("got %q for %q", title, content)
		}
	})
}
