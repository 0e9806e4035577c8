package markdown

import (
	"regexp"
	"strings"
)

const (
	// maxDetails is how many details elements of a text are looked for.
	maxDetails = 200
	// maxDetailsLength is how many bytes one may have. The web client has the same limits.
	maxDetailsLength = 20_000
)

var (
	detailsOpening = regexp.MustCompile(`(?i)^ {0,3}<details(?: open(?:="")?)?>`)
	summaryOpening = regexp.MustCompile(`(?i)^\s*<summary>`)
	summaryClosing = regexp.MustCompile(`(?i)</summary>`)
)

// details writes <details><summary>…</summary>…</details> with Markdown in it. What follows in the last line stays
// there: it returns how many lines are done, and false if there is no such element.
func (w *writer) details(lines []string, depth int) (n int, found bool) {
	opening := detailsOpening.FindString(lines[0])
	if opening == "" || depth >= maxDepth || w.detailsLeft == 0 {
		return 0, false
	}
	w.detailsLeft--
	n, begin, end := endDetails(lines)
	if end == 0 {
		return 0, false
	}
	inner := append([]string{}, lines[:n+1]...)
	inner[n] = inner[n][:begin]
	inner[0] = inner[0][len(opening):]
	summary, inner := cutSummary(inner)
	w.write("<details><summary>")
	w.inline(summary)
	w.write("</summary>\n")
	w.blocks(inner, depth+1)
	w.write("</details>\n")
	if lines[n] = lines[n][end:]; strings.TrimSpace(lines[n]) == "" {
		n++
	}
	return n, true
}

// endDetails returns the line of the tag that ends the element at the beginning of some lines, and where it begins and
// ends there. The end is 0 if there is none.
func endDetails(lines []string) (n, begin, end int) {
	depth, left := 0, maxDetailsLength
	for n, line := range lines {
		near := line[:min(len(line), left)]
		for at := 0; ; {
			begin, end, closes := nextDetails(near, at)
			if end == 0 {
				break
			}
			if at = end; !closes {
				depth++
			} else if depth--; depth == 0 {
				return n, begin, end
			}
		}
		if left -= len(line) + 1; left <= 0 {
			break
		}
	}
	return 0, 0, 0
}

// nextDetails returns where the next tag of a details element is in a line, and whether it closes one. The end is 0 if
// there is none. A regular expression would take memory for each tag.
func nextDetails(line string, from int) (begin, end int, closes bool) {
	const name = "details"
	for begin = from; ; begin++ {
		next := strings.IndexByte(line[begin:], '<')
		if next < 0 {
			return 0, 0, false
		}
		begin += next
		tag, closes := strings.CutPrefix(line[begin+1:], "/")
		if len(tag) <= len(name) || !strings.EqualFold(tag[:len(name)], name) || isWord(rune(tag[len(name)])) {
			continue
		}
		length := strings.IndexByte(tag, '>')
		if length < 0 {
			return 0, 0, false
		}
		return begin, len(line) - len(tag) + length + 1, closes
	}
}

// cutSummary returns the summary that some lines begin with, and the other lines.
func cutSummary(lines []string) (summary string, rest []string) {
	const none = "…"
	first := 0
	for first < len(lines)-1 && strings.TrimSpace(lines[first]) == "" {
		first++
	}
	opening := summaryOpening.FindString(lines[first])
	if opening == "" {
		return none, lines
	}
	var text strings.Builder
	for n := first; n < len(lines); n++ {
		line := lines[n]
		if n == first {
			line = line[len(opening):]
		}
		end := summaryClosing.FindStringIndex(line)
		if end == nil {
			text.WriteString(line + " ")
			continue
		}
		text.WriteString(line[:end[0]])
		lines[n] = line[end[1]:]
		if summary = strings.TrimSpace(text.String()); summary == "" {
			summary = none
		}
		return summary, lines[n:]
	}
	return none, lines
}
