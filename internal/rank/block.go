package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wrapWidth is the smallest width of a wrapped line, in columns.
const wrapWidth = 40

// blocks returns the lines of a text. It joins wrapped lines and omits blank ones.
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

// isWrapped reports whether a line may continue on the next one.
func isWrapped(line string) bool {
	return !IsHeading(line) && !isRow(line) &&
		!strings.HasSuffix(line, ":") && !strings.HasSuffix(line, "：") && width(line) >= wrapWidth
}

// beginsBlock reports whether a line can't continue the one before.
func beginsBlock(line string) bool {
	for _, mark := range []string{"- ", "* ", "+ ", ">", "```", "---", "• "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return IsHeading(line) || isRow(line) || isNumbered(line)
}

// isNumbered reports whether a line starts with a number such as "1. " or "2) ". A year
// is too long.
func isNumbered(line string) bool {
	rest := strings.TrimLeftFunc(line, unicode.IsDigit)
	digits := len(line) - len(rest)
	return 1 <= digits && digits <= 3 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

// isRow reports whether a line is a table row: Markdown, or separated by tabs or commas.
func isRow(line string) bool {
	return strings.ContainsAny(line, "|\t") || strings.Count(line, ",") >= 2 && !strings.Contains(line, ", ")
}

// width returns the number of columns of a line, two for a character of a dense script.
// It stops counting at wrapWidth.
func width(line string) int {
	n := 0
	for _, r := range line {
		if n += columns(r); n >= wrapWidth {
			break
		}
	}
	return n
}

func columns(r rune) int {
	if r >= utf8.RuneSelf && isDenseScript(r) {
		return 2
	}
	return 1
}
