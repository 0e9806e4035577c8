package markdown

import (
	"regexp"
	"strings"
)

var (
	noteLine      = regexp.MustCompile(`^\[\^([\w-]{1,32})\]:[ \t]*(.*)$`)
	noteContinued = regexp.MustCompile(`^(?: {2}|\t).`)
	noteReference = regexp.MustCompile(`^\[\^([\w-]{1,32})\]`)
)

// note writes a footnote, whose further lines are indented. It stays where it is in the text.
func (w *writer) note(lines []string) int {
	first := noteLine.FindStringSubmatch(lines[0])
	text := []string{first[2]}
	n := 1
	for ; n < len(lines) && noteContinued.MatchString(lines[n]); n++ {
		text = append(text, strings.TrimSpace(lines[n]))
	}
	w.write(`<p class="note"><sup>` + first[1] + "</sup> ")
	w.inline(strings.Join(text, "\n"))
	w.write("</p>\n")
	return n
}
