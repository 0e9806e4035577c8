// Package markdown turns Markdown that nobody has checked into safe HTML, in time that grows with its length only. It
// knows what replies use: headings, paragraphs, lists, quotes, tables, code, emphasis, links, footnotes, and the HTML
// elements details and summary. Formulas are shown as their TeX. Anything else, other HTML included, is shown as text.
// Pictures are links: a page loads nothing. It also finds code blocks in a text.
package markdown

import (
	"html"
	"regexp"
	"strings"
)

// maxDepth is how deep lists, quotes and details can be nested. What is deeper is text.
const maxDepth = 8

// HTML returns a text in Markdown as HTML. It has at most maxGrowth bytes for each byte of the text, and minRoom. A
// text that would become longer is shown as its source.
func HTML(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	w := newWriter(len(text))
	if w.blocks(strings.Split(text, "\n"), 0); w.full {
		w = newWriter(len(text))
		w.source(strings.Split(text, "\n"))
	}
	return string(w.out)
}

var (
	headingLine = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	ruleLine    = regexp.MustCompile(`^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	itemLine    = regexp.MustCompile(`^( *)([-*+]|\d{1,9}[.)])(?:[ \t]+|$)`)
	quoteLine   = regexp.MustCompile(`^ {0,3}> ?`)
	fenceLine   = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$")
)

// blocks writes the blocks of some lines. Each line is read a fixed number of times at each depth.
func (w *writer) blocks(lines []string, depth int) {
	for len(lines) > 0 && !w.full {
		lines = lines[w.block(lines, depth):]
	}
}

// block writes the first block and returns how many lines it has.
func (w *writer) block(lines []string, depth int) int {
	first := lines[0]
	if n, found := w.details(lines, depth); found {
		return n
	}
	switch {
	case strings.TrimSpace(first) == "":
		return 1
	case fenceLine.MatchString(first):
		return w.code(lines)
	case headingLine.MatchString(first):
		parts := headingLine.FindStringSubmatch(first)
		level := string('0' + byte(min(len(parts[1])+2, 6))) // h1 and h2 are the page's
		w.write("<h" + level + ">")
		w.inline(parts[2])
		w.write("</h" + level + ">\n")
		return 1
	case ruleLine.MatchString(first):
		w.write("<hr>\n")
		return 1
	case depth < maxDepth && quoteLine.MatchString(first):
		return w.quote(lines, depth)
	case depth < maxDepth && itemLine.MatchString(first):
		return w.list(lines, depth)
	case len(lines) > 1 && strings.Contains(first, "|") && tableLine.MatchString(lines[1]) &&
		len(cells(first)) == len(cells(lines[1])):
		return w.table(lines)
	case noteLine.MatchString(first):
		return w.note(lines)
	default:
		return w.paragraph(lines, depth)
	}
}

func (w *writer) code(lines []string) int {
	fence := fenceLine.FindStringSubmatch(lines[0])[1]
	n, end := 1, len(lines)
	for ; n < len(lines); n++ {
		line := strings.TrimSpace(lines[n])
		if strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "" {
			end = n
			n++
			break
		}
	}
	w.source(lines[1:end])
	return n
}

// source writes lines as they are.
func (w *writer) source(lines []string) {
	w.write("<pre><code>")
	for _, line := range lines {
		w.write(html.EscapeString(line))
		w.write("\n")
	}
	w.write("</code></pre>\n")
}

func (w *writer) quote(lines []string, depth int) int {
	var inner []string
	n := 0
	for ; n < len(lines) && quoteLine.MatchString(lines[n]); n++ {
		inner = append(inner, quoteLine.ReplaceAllString(lines[n], ""))
	}
	w.write("<blockquote>\n")
	w.blocks(inner, depth+1)
	w.write("</blockquote>\n")
	return n
}

// list writes a list. An item has its line and what is indented below it.
func (w *writer) list(lines []string, depth int) int {
	mark := itemLine.FindStringSubmatch(lines[0])
	tag := "ul"
	if isNumber(mark[2]) {
		tag = "ol"
	}
	w.write("<" + tag)
	if start := strings.TrimLeft(mark[2][:len(mark[2])-1], "0"); tag == "ol" && start != "1" && start != "" {
		w.write(` start="` + start + `"`)
	}
	w.write(">\n")
	n := 0
	for n < len(lines) {
		item := itemLine.FindStringSubmatch(lines[n])
		if item == nil || len(item[1]) != len(mark[1]) || isNumber(item[2]) != (tag == "ol") ||
			ruleLine.MatchString(lines[n]) {
			break
		}
		inner := []string{lines[n][len(item[0]):]}
		indent := len(mark[1]) + 2
		for n++; n < len(lines) && belongs(lines, n, indent); n++ {
			inner = append(inner, unindent(lines[n], len(item[0])))
		}
		w.item(inner, depth)
	}
	w.write("</" + tag + ">\n")
	return n
}

func isNumber(mark string) bool { return len(mark) > 1 }

// belongs reports whether a line continues the item before it: it is indented, or blank with such a line after it.
func belongs(lines []string, n, indent int) bool {
	if strings.TrimSpace(lines[n]) == "" {
		return n+1 < len(lines) && strings.TrimSpace(lines[n+1]) != "" && indentOf(lines[n+1]) >= indent
	}
	return indentOf(lines[n]) >= indent
}

func indentOf(line string) int {
	for i, c := range line {
		if c == '\t' {
			return i + 4
		}
		if c != ' ' {
			return i
		}
	}
	return len(line)
}

// unindent removes up to count spaces, or a tab.
func unindent(line string, count int) string {
	if strings.HasPrefix(line, "\t") {
		return line[1:]
	}
	rest := strings.TrimLeft(line, " ")
	return line[min(count, len(line)-len(rest)):]
}

// item writes an item of a list. If it is one line, it needs no paragraph.
func (w *writer) item(lines []string, depth int) {
	text := lines[0]
	start, box := "<li>", ""
	for mark, state := range map[string]string{"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "} {
		if rest, found := strings.CutPrefix(text, mark); found {
			text, start, box = rest, `<li class="task">`, state
		}
	}
	w.write(start + box)
	_, isFormula := w.findFormula([]string{text})
	if !isFormula && (len(lines) == 1 || itemLine.MatchString(lines[1])) {
		w.inline(text)
		w.write("\n")
		w.blocks(lines[1:], depth+1)
	} else {
		lines[0] = text
		w.blocks(lines, depth+1)
	}
	w.write("</li>\n")
}

// paragraph writes lines up to a blank one or to the beginning of another block, and the formula that ends it, if any.
func (w *writer) paragraph(lines []string, depth int) int {
	n := 0
	for {
		if found, isFormula := w.findFormula(lines[n:]); isFormula {
			w.lines(append(lines[:n:n], lines[n][:found.at]))
			w.formula(found.tex)
			return n + found.lines
		}
		if n++; n == len(lines) || w.interrupts(lines[n], depth) {
			w.lines(lines[:n])
			return n
		}
	}
}

// lines writes a paragraph of some lines, unless they are blank.
func (w *writer) lines(lines []string) {
	if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
		w.write("<p>")
		w.inline(text)
		w.write("</p>\n")
	}
}

func (w *writer) interrupts(line string, depth int) bool {
	return strings.TrimSpace(line) == "" || fenceLine.MatchString(line) || headingLine.MatchString(line) ||
		ruleLine.MatchString(line) || depth < maxDepth &&
		(quoteLine.MatchString(line) || itemLine.MatchString(line) || detailsOpening.MatchString(line))
}
