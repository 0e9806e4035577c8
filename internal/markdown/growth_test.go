package markdown

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// hostile has texts that take other readers time or room that grows with the square, by their length.
var hostile = map[string]func(length int) string{
	"a table of short rows": func(length int) string { return table(length/6, length/6, "a") },
	"a table of empty rows without a header": func(length int) string {
		line := "|" + strings.Repeat(":-:|", length/8) + "\n"
		return line + line + strings.Repeat("|\n", length/8)
	},
	"many tables": func(length int) string {
		return strings.Repeat(table(30, 30, "a")+"\n\n", length/180)
	},
	"tables that end in a heading": func(length int) string {
		return strings.Repeat("|a|b|\n|-|-|\n# |\n", length/16)
	},
	"quotes that grow deeper": func(length int) string {
		return growing(length, func(i int) string { return strings.Repeat(">", i) + " a\n" })
	},
	"lists that grow deeper": func(length int) string {
		return growing(length, func(i int) string { return strings.Repeat("  ", i) + "- a\n" })
	},
	"lists that grow flatter": func(length int) string {
		return growing(length, func(i int) string { return strings.Repeat(" ", 1000-min(i, 1000)) + "- a\n" })
	},
	"runs of backticks that grow": func(length int) string {
		return growing(length, func(i int) string { return strings.Repeat("`", i) + "a " })
	},
	"brackets around brackets": func(length int) string { return nested(length, "[", "]") },
	"links in links":           func(length int) string { return nested(length, "[", "](https://a.b)") },
	"emphasis in emphasis":     func(length int) string { return nested(length, "*a ", " a*") },
	"strong emphasis in emphasis": func(length int) string {
		return nested(length, "**a *b ", " c* d**")
	},
	"long emphasis in emphasis": func(length int) string {
		return strings.Repeat("**a ", 7) + strings.Repeat("*b* ", length/4) + strings.Repeat(" c**", 7)
	},
	"details in details": func(length int) string { return nested(length, "<details>\n\n", "</details>\n") },
	"details in one line": func(length int) string {
		return nested(length, "<details><summary>", "</summary></details>")
	},
	"one formula before spaces": func(length int) string { return "$$a$$" + strings.Repeat(" ", length) + "b" },
	"formulas before spaces": func(length int) string {
		return strings.Repeat("$$a$$ ", length/12) + strings.Repeat(" ", length/2) + "b"
	},
	"a formula of lines": func(length int) string { return "$$\n" + strings.Repeat("a\n", length/2) + "$$" },
	"one long link":      func(length int) string { return "[a](https://" + strings.Repeat("a&", length/2) + ")" },
	"one long address":   func(length int) string { return "https://" + strings.Repeat("a&", length/2) },
}

// hostilePieces become hostile if they are repeated.
var hostilePieces = []string{
	"$$a", "**a_", "*a", "*a *b ", "***a", "*_", "a_", `\[a`, "[a]: <", "[a]: b\n", "[", "![", "[a](", "[](", "[](a[",
	`[](a "`, "[a](b)", "<!--", "<a ", "<http://", "<http://a>", "[](mailto:)", ">", "> ", "> a\n", ">\n\n",
	">>>>>>>>\n\n", "> - ", "> - a\n", "*a ", "a**b", "_ a", "1. ", "2.\n-\n", "- ", "- a\n", "-\n", "+ + + + + + + + a\n",
	"~~a", "www.a ", "http://a", "http://a&b ", "https://a(", "http://!", "[^a] ", "[x][y", "]", "&", `"`, "`", "``a`",
	"`a`", "|", "|-", "|\n|-\n", "|a|b|\n", "||||\n", "\t", "\n", "\\", "# ", "#\n", "```\n", "~~~\n", "> ```\n",
	"  - a\n", "a\n\n", "a\n", "---\n", "***", "h", "渡*", "<details>\n", "\r", "\xff",
	"$", "$a", "$a$", "$$a$$", "$$a$$\n", "$$\n", `\(a`, `\(a\)`, "\\[\n", "\\[a\n\n", "a\\[a",
	"[^a]", "[^a]: b\n", "[^a]:\n  b\n",
	"<details>", "<details></details>", "<details>\n\n", "<details><summary>",
	"<details>\n\n</details>\n\n", "</details>\n",
}

// hostileTexts returns all hostile texts by their name.
func hostileTexts() map[string]func(length int) string {
	all := map[string]func(int) string{}
	for name, text := range hostile {
		all[name] = text
	}
	for _, piece := range hostilePieces {
		all[fmt.Sprintf("%q", piece)] = func(length int) string { return strings.Repeat(piece, length/len(piece)+1) }
	}
	return all
}

// table returns a table with rows that have one cell each.
func table(columns, rows int, text string) string {
	return strings.Repeat("|"+text, columns) + "|\n" + strings.Repeat("|-", columns) + "|" + strings.Repeat("\n|", rows)
}

func growing(length int, part func(i int) string) string {
	var b strings.Builder
	for i := 1; b.Len() < length; i++ {
		b.WriteString(part(i))
	}
	return b.String()
}

func nested(length int, before, after string) string {
	depth := length / len(before+after)
	return strings.Repeat(before, depth) + strings.Repeat(after, depth)
}

// allocated returns how many bytes of memory a function takes in all.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// checkLength fails the test if a page is longer than its text allows.
func checkLength(t *testing.T, text, out string) {
	t.Helper()
	if limit := maxGrowth*len(text) + minRoom; len(out) > limit {
		t.Errorf("%d bytes become %d, more than %d", len(text), len(out), limit)
	}
}

// TestAPageGrowsWithItsText compares what texts of two lengths take. Four times the length takes four times as much,
// and less than eight times with the slack of buffers that grow. With the square it would be sixteen times.
func TestAPageGrowsWithItsText(t *testing.T) {
	const short, slack = 8 << 10, 32 << 10
	for name, text := range hostileTexts() {
		t.Run(name, func(t *testing.T) {
			checkSafe(t, name, HTML(text(1000)))
			size, memory := [2]int{}, [2]uint64{}
			for i, length := range []int{short, 4 * short} {
				source, out := text(length), ""
				memory[i] = allocated(func() { out = HTML(source) })
				checkLength(t, source, out)
				size[i] = len(out)
			}
			if size[1] > 8*size[0]+slack {
				t.Errorf("the page grows from %d to %d bytes", size[0], size[1])
			}
			if memory[1] > 8*memory[0]+slack {
				t.Errorf("the memory grows from %d to %d bytes", memory[0], memory[1])
			}
		})
	}
}

// TestALargeTableIsShownAsItsSource checks the limit, which all tables of a text share, and that a row has only its own
// cells.
func TestALargeTableIsShownAsItsSource(t *testing.T) {
	for _, c := range []struct {
		text   string
		tables int
		cells  int
	}{
		{table(100, 99, "a"), 1, 199},
		{table(100, 100, "a"), 0, 0},
		{table(50, 99, "a") + "\n\nb\n\n" + table(50, 99, "a"), 2, 298},
		{table(50, 99, "a") + "\n\nb\n\n" + table(51, 99, "a"), 1, 149},
		{"- " + table(101, 99, "a"), 0, 0},
		{table(4000, 4000, "a"), 0, 0},
	} {
		out := HTML(c.text)
		if got := strings.Count(out, "<table>"); got != c.tables {
			t.Errorf("%.20q has %d tables, want %d", c.text, got, c.tables)
		}
		if got := strings.Count(out, "<td") + strings.Count(out, "<th>"); got != c.cells {
			t.Errorf("%.20q has %d cells, want %d", c.text, got, c.cells)
		}
	}
	out := HTML("b\n\n" + table(101, 100, "<i>") + "\n\nc")
	if !strings.HasPrefix(out, "<p>b</p>\n<pre><code>|&lt;i&gt;|") ||
		!strings.HasSuffix(out, "|\n|\n</code></pre>\n<p>c</p>\n") {
		t.Errorf("got %.40q…", out)
	}
}

// TestATextThatGrowsTooMuchIsShownAsItsSource has a page of quotes in quotes with nothing in them.
func TestATextThatGrowsTooMuchIsShownAsItsSource(t *testing.T) {
	text := strings.Repeat(">>>>>>>>\n\n", 10_000)
	out := HTML(text)
	checkLength(t, text, out)
	if !strings.HasPrefix(out, "<pre><code>&gt;&gt;") || strings.Contains(out, "<blockquote>") {
		t.Errorf("got %.40q…", out)
	}
}
