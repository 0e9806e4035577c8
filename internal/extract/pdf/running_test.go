package pdf

import (
	"fmt"
	"strings"
	"testing"
)

func TestRunningHeadsAndFeetAreDropped(t *testing.T) {
	pages := func(count int, lines func(i int) []string) string {
		w := newWriter()
		for i := range count {
			w.lines(lines(i)...)
		}
		return readText(t, w.bytes()).Text
	}
	body := func(i int) string { return strings.Repeat(string(rune('a'+i)), 5) + " is what this page says" }
	tests := []struct {
		name  string
		pages int
		lines func(i int) []string
		line  string
		want  int
	}{
		{
			"a head", 5, func(i int) []string { return []string{"Annual report", body(i), "end of " + body(i)} },
			"Annual report", 1,
		},
		{
			"a foot with the page", 5, func(i int) []string {
				return []string{body(i), body(i + 9), fmt.Sprintf("Page %d of 5", i+1)}
			},
			"Page", 1,
		},
		{"a bare number", 5, func(i int) []string { return []string{body(i), body(i + 9), fmt.Sprint(i + 17)} }, "17", 0},
		{"two lines", 5, func(i int) []string {
			return []string{"Annual report", "Harbour Office", body(i), fmt.Sprint("- ", i+1, " -")}
		}, "Harbour Office", 1},
		{"left and right pages", 12, func(i int) []string {
			return []string{[]string{"Left head", "Right head"}[i%2], body(i), body(i + 12)}
		}, "Right head", 1},
		{"three pages", 3, func(i int) []string { return []string{"Annual report", body(i)} }, "Annual report", 3},
		{"half of the pages", 9, func(i int) []string {
			return []string{[]string{"Chapter one", body(i)}[i/5], body(i + 9), body(i + 1)}
		}, "Chapter one", 5},
		{"the middle of pages", 5, func(i int) []string {
			return []string{
				body(i), body(i + 1), body(i + 2), body(i + 3), "Sum carried over", body(i + 4),
				body(i + 5), body(i + 6), body(i + 7),
			}
		}, "Sum carried over", 5},
		{"a number that does not count", 5, func(i int) []string {
			return []string{body(i), fmt.Sprintf("The number of day %d is %d.", i+1, (i+1)*7919)}
		}, "The number of day", 5},
		{"invoices", 5, func(i int) []string {
			return []string{fmt.Sprint("Invoice No. ", 2042+i), body(i), body(i + 9)}
		}, "Invoice No.", 5},
		{"weeks", 7, func(i int) []string { return []string{body(i), body(i + 9), fmt.Sprint("Week ", i+2)} }, "Week", 7},
		{"rows of a table", 5, func(i int) []string {
			return []string{fmt.Sprint(i, " ", 7, " ", 9), body(i), body(i + 9)}
		}, "7 9", 5},
		{"a year on each page", 5, func(int) []string { return []string{"2025", body(1), body(2)} }, "2025", 1},
		{"the page of all", 5, func(i int) []string {
			return []string{body(i), body(i + 9), fmt.Sprint(i+1, " / 5")}
		}, "/ 5", 0},
		{
			"the head of a table", 5, func(i int) []string { return []string{"Island Price", body(i), body(i + 9)} },
			"Island Price", 1,
		},
	}
	for _, tt := range tests {
		text := pages(tt.pages, tt.lines)
		if got := strings.Count(text, tt.line); got != tt.want {
			t.Errorf("%s: %q stands %d times, not %d, in\n%s", tt.name, tt.line, got, tt.want, text)
		}
		for i := range tt.pages {
			if line := body(i); strings.Contains(strings.Join(tt.lines(i), "\n"), line) && !strings.Contains(text, line) {
				t.Errorf("%s: %q is missing", tt.name, line)
			}
		}
	}
}

func TestALineInLargerLettersIsNoRunningLine(t *testing.T) {
	w := newWriter()
	for i := range 5 {
		body := strings.Repeat(string(rune('a'+i)), 5)
		large := strings.Replace(drawn(50, 650, "Minutes"), "/F 12", "/F 16", 1)
		w.page(large+drawn(50, 600, body)+drawn(50, 500, body+"z"), "")
	}
	if text := readText(t, w.bytes()).Text; strings.Count(text, "Minutes") != 5 {
		t.Error(text)
	}
}

func TestTheNumberOfAPage(t *testing.T) {
	for line, want := range map[string]bool{
		"7": true, "- 7 -": true, "Page 7": true, "p. 7": true, "7 / 12": true, "Seite 7 von 12": true, "第7页 共12页": true,
		"第 7 頁": true, "7ページ": true, "Week 7": false, "7 12": false, "1 2 3": false, "Page": false, "2026-05-01": false,
		"第7章": false, "Annual report 7": false,
	} {
		if got := isPageNumber(line, len(numbers.FindAllString(line, 3))); got != want {
			t.Errorf("%q: got %v", line, got)
		}
	}
}

func TestDotsThatLeadToANumberAreDropped(t *testing.T) {
	for line, want := range map[string]string{
		"Chapter 1 ........ 7":    "Chapter 1 7",
		"Chapter 1 . . . . . . 7": "Chapter 1 7",
		"Preface.............iv":  "Preface iv",
		"第一章 总则………………………… 3":      "第一章 总则 3",
		"Wait... 7":          "Wait... 7",
		"Name: ............": "Name: ............",
		"1.2.3.4":            "1.2.3.4",
		"他说…… 3":             "他说…… 3",
	} {
		if got := withoutLeader(line); got != want {
			t.Errorf("%q: got %q", line, got)
		}
	}
}
