package ocr

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Join joins the lines of each paragraph of a recognized text. They end where the lines on the page end. It keeps the
// lines of a narrow paragraph, such as a table, a list or an address, and a line end after a line with a colon at its
// end, or a short one for its paragraph. It removes the spaces between Chinese characters.
func Join(text string) string {
	var out strings.Builder
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(text, "\f", "\n\n"), "\n\n") {
		joined := joinParagraph(strings.Split(paragraph, "\n"))
		if joined == "" {
			continue
		}
		if out.Len() > 0 {
			out.WriteString("\n\n")
		}
		out.WriteString(joined)
	}
	return out.String()
}

// narrow is the width of a paragraph that probably has no running text.
const narrow = 40

func joinParagraph(lines []string) string {
	longest := 0
	for i, line := range lines {
		lines[i] = closeHan(strings.TrimSpace(line))
		longest = max(longest, width(lines[i]))
	}
	var out strings.Builder
	last := "" // the line before
	for _, line := range lines {
		if line == "" {
			continue
		}
		switch {
		case last == "":
		case longest < narrow, width(last) < longest*3/4, strings.HasSuffix(last, ":"), strings.HasSuffix(last, "："):
			out.WriteByte('\n')
		case hyphenated(last, line):
			whole := strings.TrimSuffix(out.String(), "-")
			out.Reset()
			out.WriteString(whole)
		case !meet(lastRune(last), firstRune(line)):
			out.WriteByte(' ')
		}
		out.WriteString(line)
		last = line
	}
	return out.String()
}

// closeHan removes the spaces between Chinese characters and their punctuation.
func closeHan(line string) string {
	words := strings.Fields(line)
	var out strings.Builder
	for i, word := range words {
		if i > 0 && !meet(lastRune(words[i-1]), firstRune(word)) {
			out.WriteByte(' ')
		}
		out.WriteString(word)
	}
	return out.String()
}

// meet reports whether there is no space between two characters: both are Chinese, or Japanese.
func meet(left, right rune) bool { return isHan(left) && isHan(right) }

func isHan(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef // punctuation, and full-width forms
}

// hyphenated reports whether a word is divided between two lines.
func hyphenated(line, next string) bool {
	before := strings.TrimSuffix(line, "-")
	return before != line && unicode.IsLetter(lastRune(before)) && unicode.IsLower(firstRune(next))
}

// width is the length of a line, with Chinese characters twice as wide as others.
func width(line string) int {
	n := 0
	for _, r := range line {
		if n++; isHan(r) {
			n++
		}
	}
	return n
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
