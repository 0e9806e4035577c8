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

// dropRunningLines removes the heads and feet that are the same on most pages, and the numbers of pages. The first page
// that has a line keeps it, unless it is a bare number: the line may be the head of a table. Lines that count, such as
// the numbers of invoices, stay, and so do lines in larger letters. Each page keeps at least a line.
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
		if at := edge(page.lines); at >= 0 && len(page.lines) > 1 && placed(page.lines) && !isLarge(page.lines, at) {
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
				pages[i].dropRunning(edge(pages[i].lines), seen[key] || isBareNumber(key))
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

// runningKeys returns what a line of a page has in common with those of other pages: its text, and if it is the number
// of the page, its text with that relative to the page.
func runningKeys(line string, index int) []string {
	keys := []string{line}
	places := numbers.FindAllStringIndex(line, 3)
	if !isPageNumber(line, len(places)) {
		return keys
	}
	for _, place := range places {
		n, err := strconv.Atoi(line[place[0]:place[1]])
		if err == nil {
			keys = append(keys, fmt.Sprintf("%s\x01%d\x01%s", line[:place[0]], n-index, line[place[1]:]))
		}
	}
	return keys
}

var numbers = regexp.MustCompile(`\d{1,6}`)

// isBareNumber reports whether what lines have in common is only that they are the number of the page.
func isBareNumber(key string) bool {
	return strings.Contains(key, "\x01") && !strings.ContainsFunc(key, unicode.IsLetter)
}

// isPageNumber reports whether a line says no more than the number of its page, and perhaps how many there are.
func isPageNumber(line string, count int) bool {
	words := wordsOf(line)
	for _, word := range words {
		if !strings.Contains(pageWords, " "+word+" ") {
			return false
		}
	}
	return count == 1 || count == 2 && (len(words) > 0 || strings.Contains(line, "/"))
}

// pageWords are the words beside the number of a page.
const pageWords = " page pages p pg of seite von página pagina de di sur стр страница из 第 页 共 頁 ページ 쪽 "

// wordsOf returns the words of a line in lower case. Each Han character is one.
func wordsOf(line string) []string {
	spaced := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || r == 'ー' {
			return unicode.ToLower(r)
		}
		return ' '
	}, line)
	for _, han := range []string{"第", "页", "共", "頁"} {
		spaced = strings.ReplaceAll(spaced, han, " "+han+" ")
	}
	return strings.Fields(spaced)
}

// largeLine is how much higher than most lines of its page a line in larger letters is.
const largeLine = 1.15

// isLarge reports whether a line has larger letters than most of its page.
func isLarge(lines []textLine, at int) bool {
	heights := make([]float32, len(lines))
	for i, line := range lines {
		heights[i] = line.top - line.bottom
	}
	slices.Sort(heights)
	return lines[at].top-lines[at].bottom > largeLine*heights[len(heights)/2]
}

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
