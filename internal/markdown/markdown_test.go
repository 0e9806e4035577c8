package markdown

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"parley/internal/testtier"
)

// link returns a link as HTML.
func link(address, text string) string {
	return `<a href="` + address + `" rel="noopener noreferrer nofollow">` + text + "</a>"
}

func TestHTML(t *testing.T) {
	for text, want := range map[string]string{ // without ends of lines
		"":                         "",
		"a\nb":                     "<p>a<br>b</p>",
		"# A\n\nb\n## C #":         "<h3>A</h3><p>b</p><h4>C</h4>",
		"**a** *b* ~~c~~ `d*`":     "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d*</code></p>",
		"2 * 3 * 4, a_b_c, **open": "<p>2 * 3 * 4, a_b_c, **open</p>",
		"***a***":                  "<p><em><strong>a</strong></em></p>",
		"``a`b`` `c":               "<p><code>a`b</code> `c</p>",
		"- a\n- b\n  - c\n- d":     "<ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul>",
		"- a\n\n  b":               "<ul><li><p>a</p><p>b</p></li></ul>",
		"3. a\n4. b":               `<ol start="3"><li>a</li><li>b</li></ol>`,
		"- [x] a":                  `<ul><li class="task">☑ a</li></ul>`,
		"> a\n> b\n\nc":            "<blockquote><p>a<br>b</p></blockquote><p>c</p>",
		"```go\n<b>\n```\nx":       "<pre><code>&lt;b&gt;</code></pre><p>x</p>",
		"---":                      "<hr>",
		"|a|b|\n|-|-:|\n|1|": `<table><thead><tr><th>a</th><th class="right">b</th></tr></thead>` +
			`<tbody><tr><td>1</td></tr></tbody></table>`,
		"|a|\n|-|\n|1|2|":              "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>",
		`\*a\* & "b"`:                  "<p>*a* &amp; &#34;b&#34;</p>",
		"[a](https://b.c/d_e)":         "<p>" + link("https://b.c/d_e", "a") + "</p>",
		"![a](https://b.c/d.png)":      "<p>" + link("https://b.c/d.png", "a") + "</p>",
		"See https://b.c/d.":           "<p>See " + link("https://b.c/d", "https://b.c/d") + ".</p>",
		"[a](javascript:alert(1))":     "<p>[a](javascript:alert(1))</p>",
		"[a](JaVaScRiPt:alert)":        "<p>[a](JaVaScRiPt:alert)</p>",
		"[a](data:text/html,b)":        "<p>[a](data:text/html,b)</p>",
		`[a](https://b.c/"onclick="d)`: "<p>" + link("https://b.c/%22onclick=%22d", "a") + "</p>",
		"<script>alert(1)</script>":    "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
		"渡船**很快**。":                    "<p>渡船<strong>很快</strong>。</p>",
	} {
		if got := strings.ReplaceAll(HTML(text), "\n", ""); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

// TestEmphasis reads texts in which emphasis is hard to see, most of them in Chinese. The web client reads the same.
func TestEmphasis(t *testing.T) {
	attributes := regexp.MustCompile(`<a [^>]*>`)
	for text, want := range meanings(t, "emphasis.json", 200) {
		got := strings.NewReplacer("<p>", "", "</p>", "", "<br>", "", "&#34;", `"`).Replace(HTML(text))
		got = strings.TrimSpace(attributes.ReplaceAllString(got, "<a>"))
		if got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

// TestBlocks reads texts with formulas, footnotes and details. The web client reads the same.
func TestBlocks(t *testing.T) {
	for text, want := range meanings(t, "blocks.json", 50) {
		got := strings.NewReplacer("\n", "", "&#34;", `"`).Replace(HTML(text))
		if got != strings.ReplaceAll(want, "\n", "") {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

// meanings returns the texts of a file, of which there are at least some, with their HTML.
func meanings(t *testing.T, name string, least int) map[string]string {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]string
	if err := json.Unmarshal(file, &all); err != nil || len(all) < least {
		t.Fatalf("%d texts, %v", len(all), err)
	}
	return all
}

var (
	tag     = regexp.MustCompile(`<[^>]*>`)
	safeTag = regexp.MustCompile(`^</?(p|h[1-6]|hr|br|ul|ol( start="\d+")?|li( class="task")?|blockquote|pre|code|` +
		`table|thead|tbody|tr|t[hd]( class="(center|right)")?|strong|em|del|a|` +
		`details|summary|p class="note"|sup( class="note-reference")?|span|span class="math( math-display)?"|` +
		`a href="(https?|mailto):[^"<>]*" rel="noopener noreferrer nofollow")>$`)
)

// checkSafe fails the test if there is a tag that this package does not write.
func checkSafe(t *testing.T, text, out string) {
	t.Helper()
	for _, found := range tag.FindAllString(out, -1) {
		if !safeTag.MatchString(found) {
			t.Fatalf("%q has the tag %s", text, found)
		}
	}
	if rest := tag.ReplaceAllString(out, ""); strings.ContainsAny(rest, "<>\"") {
		t.Fatalf("%q has %q outside of tags", text, rest)
	}
}

// TestHostileTextIsReadOnce reads texts that slow down other readers. It compares no times: if the time grew with the
// square of the length, reading would not end within the time limit of the tests.
func TestHostileTextIsReadOnce(t *testing.T) {
	testtier.Slow(t)
	const size = 256 << 10
	for name, text := range hostileTexts() {
		if source := text(size); HTML(source) == "" && strings.TrimSpace(source) != "" {
			t.Errorf("nothing is left of %s", name)
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, text := range []string{"# a", "- **b**\n  c", "|a|\n|-|", "[a](https://b)", "> `c`", "<i>", "1. x\n\n   y"} {
		f.Add(text)
	}
	for _, text := range []string{
		"$a$ $$b$$", "\\(a\\)\\[b\\]", "a $$\nb\n\n$$", "[^a] b\n\n[^a]: c\n  d", "<details open>\n<summary>a</summary>\n- b",
		"<details><summary>a\n\n</summary><details>b</details></details> c", "- <details>\n  $$a$$\n  </details>\n",
	} {
		f.Add(text)
	}
	f.Add(table(30, 30, "a"))
	f.Add(">>>>>>>>\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		out := HTML(text)
		checkSafe(t, text, out)
		checkLength(t, text, out)
	})
}
