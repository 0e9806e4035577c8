package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wrapWidth is how wide a line is at least that was wrapped, in columns.
const wrapWidth = 40

// blocks gives the lines of a text, with those that were wrapped put together again.
// Blank lines belong to none.
func blocks(text string) []Span {
	var all []Span
	open := false
	for start := 0; start < len(text); {
		end := start + len(firstLine(text[start:]))
		line := strings.TrimSpace(text[start:end])
		switch {
		case line == "":
			open = false
		case open && !beginsBlock(line):
			all[len(all)-1].End = end
			open = isWrapped(line)
		default:
			all = append(all, Span{start, end})
			open = isWrapped(line)
		}
		start = end
	}
	return all
}

func firstLine(text string) string {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	return text
}

// isWrapped reports whether a line may go on in the next one.
func isWrapped(line string) bool {
	return !IsHeading(line) && !isRow(line) && !strings.HasSuffix(line, ":") && !strings.HasSuffix(line, "：") && width(line) >= wrapWidth
}

// beginsBlock reports whether a line can't be the rest of the one before.
func beginsBlock(line string) bool {
	for _, mark := range []string{"- ", "* ", "+ ", ">", "```", "---", "• "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return IsHeading(line) || isRow(line) || isNumbered(line)
}

// isNumbered knows "1. " and "2) ", but not a year at the beginning of a line.
func isNumbered(line string) bool {
	rest := strings.TrimLeftFunc(line, unicode.IsDigit)
	digits := len(line) - len(rest)
	return 1 <= digits && digits <= 3 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

// isRow knows a row of a table: in Markdown, or with tabs or commas between its cells.
func isRow(line string) bool {
	return strings.ContainsAny(line, "|\t") || strings.Count(line, ",") >= 2 && !strings.Contains(line, ", ")
}

// width counts columns, two for a character of a script without spaces, as far as it
// matters here.
func width(line string) int {
	n := 0
	for _, r := range line {
		n++
		if r >= utf8.RuneSelf && isDenseScript(r) {
			n++
		}
		if n >= wrapWidth {
			break
		}
	}
	return n
}
