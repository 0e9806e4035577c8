// Package markdown turns Markdown that nobody has checked into safe HTML, in time that grows with its length only. It
// knows what replies use: headings, paragraphs, lists, quotes, tables, code, emphasis and links. Anything else, HTML
// included, is shown as text. Pictures are links: a page loads nothing. It also finds code blocks in a text.
package markdown

import (
	"html"
	"regexp"
	"strings"
)

const (
	// maxDepth is how deep lists and quotes can be nested. What is deeper is text.
	maxDepth = 8
	// maxCells is how many cells the tables of a text can have, with those that a short row lacks. What is larger is
	// shown as its source. The web client has the same limit.
	maxCells = 10_000
)

// HTML returns a text in Markdown as HTML. It has at most maxGrowth bytes for each byte of the text, and minRoom. A
// text that would become longer is shown as its source.
func HTML(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	lines := strings.Split(text, "\n")
	w := newWriter(len(text))
	if w.blocks(lines, 0); w.full {
		w = newWriter(len(text))
		w.source(lines)
	}
	return string(w.out)
}

var (
	headingLine = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	ruleLine    = regexp.MustCompile(`^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	itemLine    = regexp.MustCompile(`^( *)([-*+]|\d{1,9}[.)])(?:[ \t]+|$)`)
	quoteLine   = regexp.MustCompile(`^ {0,3}> ?`)
	fenceLine   = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$")
	tableLine   = regexp.MustCompile(`^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
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
	if len(lines) == 1 || itemLine.MatchString(lines[1]) {
		w.inline(text)
		w.write("\n")
		w.blocks(lines[1:], depth+1)
	} else {
		lines[0] = text
		w.blocks(lines, depth+1)
	}
	w.write("</li>\n")
}

// table writes a table, or its source if it is too large.
func (w *writer) table(lines []string) int {
	align := alignments(lines[1])
	n := 2
	for n < len(lines) && strings.Contains(lines[n], "|") {
		n++
	}
	if (n-1)*len(align) > w.cells {
		w.source(lines[:n])
		return n
	}
	w.cells -= (n - 1) * len(align)
	w.write("<table>\n<thead>")
	w.row("th", cells(lines[0]), align)
	w.write("</thead>\n<tbody>\n")
	for _, line := range lines[2:n] {
		w.row("td", cells(line), align)
	}
	w.write("</tbody>\n</table>\n")
	return n
}

// row writes a row with its own cells. Those that have no column are left out.
func (w *writer) row(tag string, texts, align []string) {
	w.write("<tr>")
	for i, text := range texts[:min(len(texts), len(align))] {
		w.write("<" + tag + align[i] + ">")
		w.inline(text)
		w.write("</" + tag + ">")
	}
	w.write("</tr>\n")
}

func alignments(line string) []string {
	all := cells(line)
	for i, cell := range all {
		left, right := strings.HasPrefix(cell, ":"), strings.HasSuffix(cell, ":")
		switch all[i] = ""; {
		case left && right:
			all[i] = ` class="center"`
		case right:
			all[i] = ` class="right"`
		}
	}
	return all
}

// cells returns the cells of a table's row. A backslash keeps a bar within its cell.
func cells(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = line[:len(line)-1]
	}
	var all []string
	begin := 0
	for i := range len(line) {
		if line[i] == '|' && (i == 0 || line[i-1] != '\\') {
			all = append(all, cellText(line[begin:i]))
			begin = i + 1
		}
	}
	return append(all, cellText(line[begin:]))
}

func cellText(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), `\|`, "|") }

// paragraph writes lines up to a blank one or to the beginning of another block.
func (w *writer) paragraph(lines []string, depth int) int {
	n := 1
	for n < len(lines) && !w.interrupts(lines[n], depth) {
		n++
	}
	w.write("<p>")
	w.inline(strings.Join(lines[:n], "\n"))
	w.write("</p>\n")
	return n
}

func (w *writer) interrupts(line string, depth int) bool {
	return strings.TrimSpace(line) == "" || fenceLine.MatchString(line) || headingLine.MatchString(line) ||
		ruleLine.MatchString(line) || depth < maxDepth && (quoteLine.MatchString(line) || itemLine.MatchString(line))
}
