package pdf

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A line is a running one if it stands at the same edge of so many pages.
const (
	runningPages = 4
	runningShare = 0.6
	runningDepth = 3 // lines at an edge
)

// dropRunningLines removes the heads and feet that are the same on most pages, or the same but for
// the number of the page. The first page that has one keeps it, unless it is a bare number: the
// line may be the head of a table. Each page keeps at least a line.
func dropRunningLines(pages []pageText) {
	for _, edge := range []func([]textLine) int{topmost, lowest} {
		for range runningDepth {
			if !dropRunningEdge(pages, edge) {
				break
			}
		}
	}
}

// dropRunningEdge removes the running lines among the outermost lines of all pages, and reports
// whether there were any.
func dropRunningEdge(pages []pageText, edge func([]textLine) int) bool {
	keys := make([][]string, len(pages))
	counts, sides := map[string]int{}, map[string]int{}
	for i, page := range pages {
		sides[sideOf(page.index)]++
		if at := edge(page.lines); at >= 0 && len(page.lines) > 1 && placed(page.lines) {
			keys[i] = runningKeys(page.lines[at].text, page.index)
		}
		for _, key := range keys[i] {
			counts[key]++
			counts[sideOf(page.index)+key]++
		}
	}
	seen := map[string]bool{}
	for i := range pages {
		side := sideOf(pages[i].index)
		for _, key := range keys[i] {
			if isRunning(counts[key], len(pages)) || isRunning(counts[side+key], sides[side]) {
				pages[i].dropRunning(edge(pages[i].lines), seen[key] || !strings.ContainsFunc(key, unicode.IsLetter))
				seen[key] = true
				break
			}
		}
	}
	return len(seen) > 0
}

// dropRunning removes a running line, or keeps it and marks it as one.
func (p *pageText) dropRunning(at int, again bool) {
	if again {
		p.lines = slices.Delete(p.lines, at, at+1)
	} else {
		p.lines[at].running = true
	}
}

func isRunning(count, pages int) bool {
	return count >= runningPages && float64(count) >= runningShare*float64(pages)
}

// sideOf returns a name for the left or the right pages of a book, which can have different heads.
func sideOf(index int) string { return fmt.Sprintf("%d\x00", index%2) }

// runningKeys returns what a line of a page has in common with those of other pages: its text, and
// its text with one number relative to the page.
func runningKeys(line string, index int) []string {
	keys := []string{line}
	for _, place := range numbers.FindAllStringIndex(line, 4) {
		n, err := strconv.Atoi(line[place[0]:place[1]])
		if err == nil {
			keys = append(keys, fmt.Sprintf("%s\x01%d\x01%s", line[:place[0]], n-index, line[place[1]:]))
		}
	}
	return keys
}

var numbers = regexp.MustCompile(`\d{1,6}`)

func placed(lines []textLine) bool {
	for _, line := range lines {
		if line.em <= 0 {
			return false
		}
	}
	return true
}

// topmost returns the index of the line at the top of a page, or -1. It ignores known running lines. The order of lines
// in a file is not always the one on the page.
func topmost(lines []textLine) int {
	at := -1
	for i, line := range lines {
		if !line.running && (at < 0 || line.bottom > lines[at].bottom) {
			at = i
		}
	}
	return at
}

// lowest is topmost for the bottom of a page.
func lowest(lines []textLine) int {
	at := -1
	for i, line := range lines {
		if !line.running && (at < 0 || line.bottom <= lines[at].bottom) {
			at = i
		}
	}
	return at
}

// withoutLeader replaces the dots that lead to a page number, as in a table of contents.
func withoutLeader(line string) string { return leader.ReplaceAllString(line, " $1") }

var leader = regexp.MustCompile(`\s*(?:[.…·․‥・．]\s?){4,}\s*(\d{1,5}|[ivxlcIVXLC]{1,8})$`)
