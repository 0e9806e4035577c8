package main_test

import (
	"cmp"
	"regexp"
	"strings"
	"testing"
)

// TestTheReadmesAreInStep compares the parts of README.md and README.zh-CN.md that don't depend on the language: the
// levels of the headings, the commands, the tables, the links and the pictures. A page with a Chinese translation
// counts as the English page.
func TestTheReadmesAreInStep(t *testing.T) {
	t.Parallel()
	english, chinese := readReadme(t, "README.md"), readReadme(t, "README.zh-CN.md")
	if len(english.headings) < 8 || len(english.code) < 10 || len(english.rows) < 20 || len(english.links) < 25 {
		t.Fatalf("README.md: found only %d headings, %d lines of code, %d rows and %d links",
			len(english.headings), len(english.code), len(english.rows), len(english.links))
	}
	inStep(t, "headings", english.headings, chinese.headings)
	inStep(t, "commands", english.code, chinese.code)
	inStep(t, "rows of tables", english.rows, chinese.rows)
	inStep(t, "links and pictures", english.links, chinese.links)
	for name, other := range map[string]string{"README.md": "README.zh-CN.md", "README.zh-CN.md": "README.md"} {
		if !strings.Contains(repository(t, name), "]("+other+")") {
			t.Errorf("%s has no link to %s", name, other)
		}
	}
}

// readme holds the parts of a README that don't depend on its language.
type readme struct {
	headings []string // only their levels
	code     []string // lines without comments
	rows     []string // the names in the first two columns of tables
	links    []string // targets, pictures included, without those to the other README
}

var (
	comment   = regexp.MustCompile(`(^|\s+)# .*$`)
	codeWords = regexp.MustCompile("`[^`]*`")
	target    = regexp.MustCompile(`\]\(([^)]*)\)|src="([^"]*)"`)
)

func readReadme(t *testing.T, name string) (r readme) {
	t.Helper()
	inCode := false
	for line := range strings.Lines(repository(t, name)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "```") {
			inCode = !inCode
			r.code = append(r.code, line)
			continue
		}
		if inCode {
			if line = comment.ReplaceAllString(line, ""); line != "" {
				r.code = append(r.code, line)
			}
			continue
		}
		if level, _, found := strings.Cut(line, "# "); found && strings.Trim(level, "#") == "" {
			r.headings = append(r.headings, level+"#")
		}
		if columns := strings.Split(line, "|"); strings.HasPrefix(line, "|") {
			names := codeWords.FindAllString(columns[1]+columns[2], -1)
			r.rows = append(r.rows, strings.Join(names, " "))
		}
		for _, found := range target.FindAllStringSubmatch(line, -1) {
			if link := cmp.Or(found[1], found[2]); !strings.HasPrefix(link, "README") {
				r.links = append(r.links, strings.Replace(link, ".zh-CN.md", ".md", 1))
			}
		}
	}
	return r
}

// TestTheReadmesNameEveryCommand compares the READMEs with the help.
func TestTheReadmesNameEveryCommand(t *testing.T) {
	t.Parallel()
	_, list, _ := strings.Cut(works(t, nil, "--help"), "\nCommands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	commands := regexp.MustCompile(`(?m)^  ([a-z]+)( [a-z-]+)?`).FindAllStringSubmatch(list, -1)
	if len(commands) < 15 {
		t.Fatalf("the help lists only %d commands:\n%s", len(commands), list)
	}
	for _, name := range []string{"README.md", "README.zh-CN.md"} {
		text := repository(t, name)
		for _, command := range commands {
			row := regexp.MustCompile("(?m)^.*`parley " + command[1] + "[` ].*\\|$").FindString(text)
			if row == "" || !strings.Contains(row, strings.TrimSpace(command[2])) {
				t.Errorf("the table of %s has no parley %s", name, strings.TrimSpace(command[0]))
			}
		}
	}
}

// inStep reports the first difference between two lists.
func inStep(t *testing.T, what string, english, chinese []string) {
	t.Helper()
	at := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return "nothing"
	}
	for i := range max(len(english), len(chinese)) {
		if at(english, i) != at(chinese, i) {
			t.Errorf("the %s differ at number %d: README.md has %q, README.zh-CN.md has %q",
				what, i+1, at(english, i), at(chinese, i))
			return
		}
	}
}
