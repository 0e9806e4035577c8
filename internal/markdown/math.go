package markdown

import (
	"html"
	"regexp"
	"strings"
)

const (
	// maxFormula is how many bytes a formula may have. It also bounds the search for its end. The web client has the same
	// limit.
	maxFormula = 3000
	// maxUnclosed is for how many formulas of a text the end is looked for in vain.
	maxUnclosed = 500
)

var displayMark = regexp.MustCompile(`\$\$|\\\[`)

// formula is a formula of its own, $$…$$ or \[…\], which ends its line.
type formula struct {
	tex   string
	at    int // where it begins in its line
	lines int // how many it has
}

// findFormula returns the first formula that begins in the first line.
func (w *writer) findFormula(lines []string) (formula, bool) {
	line := lines[0]
	for at := 0; ; at += 2 {
		mark := displayMark.FindStringIndex(line[at:])
		if mark == nil || w.unclosedLeft == 0 {
			return formula{}, false
		}
		at += mark[0]
		if tex, length := w.endFormula(lines, at); length > 0 {
			return formula{tex: tex, at: at, lines: length}, true
		}
	}
}

// endFormula returns the TeX of the formula that a mark of the first line begins, and how many lines it has: 0 if there
// is none.
func (w *writer) endFormula(lines []string, at int) (tex string, length int) {
	closer := "$$"
	if lines[0][at] == '\\' {
		closer = `\]`
	}
	left := maxFormula
	for n, line := range lines {
		from := 0
		if n == 0 {
			from = min(at+3, len(line)) // a formula is not empty
		}
		if end := strings.Index(line[from:min(len(line), from+left)], closer); end >= 0 {
			end += from
			if strings.TrimLeft(line[end+2:], " ") != "" {
				return "", 0
			}
			if n == 0 {
				return line[at+2 : end], 1
			}
			return lines[0][at+2:] + "\n" + strings.Join(append(lines[1:n:n], line[:end]), "\n"), n + 1
		}
		if left -= len(line) - from + 1; left <= 0 {
			break
		}
	}
	w.unclosedLeft--
	return "", 0
}

// formula writes a formula of its own as its TeX.
func (w *writer) formula(tex string) {
	w.write(`<p><span class="math math-display">` + html.EscapeString(strings.TrimSpace(tex)) + "</span></p>\n")
}

// formula writes the formula that begins here as its TeX, and reports whether there is one.
func (p *inlineParser) formula() bool {
	tex, length := inlineFormula(p.text[p.at:])
	if length == 0 {
		return false
	}
	p.write(`<span class="math">` + html.EscapeString(strings.TrimSpace(tex)) + "</span>")
	p.at += length
	return true
}

// inlineFormula returns the TeX of the formula that a text begins with, and its length with the marks, or 0 if there is
// none. A dollar sign before a space begins none, and one before a digit ends none: those are amounts of money.
func inlineFormula(text string) (tex string, length int) {
	switch {
	case strings.HasPrefix(text, `\(`):
		near := text[min(3, len(text)):min(len(text), maxFormula+4)]
		end := strings.Index(near, `\)`)
		if end < 0 || strings.Contains(text[:3+end], "\n") {
			return "", 0
		}
		return text[2 : 3+end], 3 + end + 2
	case strings.HasPrefix(text, "$$"):
		end := strings.IndexAny(text[2:], "$\n")
		if end < 1 || !strings.HasPrefix(text[2+end:], "$$") {
			return "", 0
		}
		return text[2 : 2+end], 2 + end + 2
	case strings.HasPrefix(text, "$"):
		end := strings.IndexAny(text[1:], "$\n")
		if end < 1 || text[1+end] == '\n' {
			return "", 0
		}
		tex = text[1 : 1+end]
		if strings.TrimSpace(tex) != tex || strings.HasSuffix(tex, `\`) || isDigit(text[2+end:]) {
			return "", 0
		}
		return tex, 1 + end + 1
	}
	return "", 0
}

// isDigit reports whether a text begins with a digit.
func isDigit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }
