package markdown

import (
	"regexp"
	"strings"
)

// maxCells is how many cells the tables of a text can have, with those that a short row lacks. What is larger is shown
// as its source. The web client has the same limit.
const maxCells = 10_000

var tableLine = regexp.MustCompile(`^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)

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
