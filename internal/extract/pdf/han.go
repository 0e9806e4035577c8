package pdf

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// joinLines returns the text of lines. Chinese and Japanese have no spaces between words, and a
// line ends within a word: such line ends are left out. Korean has spaces.
func joinLines(lines []textLine) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 && !continues(lines, i) {
			b.WriteByte('\n')
		}
		b.WriteString(withoutLeader(line.text))
	}
	return b.String()
}

// Measures of a paragraph, in em.
const (
	ragged      = 2.2 // how far from the margin a full line may end
	indentation = 1.2
	narrow      = 10  // a paragraph is wider, a list of short items is not
	farBelow    = 2.6 // the next line of a paragraph is nearer
)

// continues reports whether a line goes on with the sentence of the line before it.
func continues(lines []textLine, i int) bool {
	before, line := lines[i-1], lines[i]
	last, _ := utf8.DecodeLastRuneInString(before.text)
	first, _ := utf8.DecodeRuneInString(line.text)
	if !isOneWord(last, first) || before.em <= 0 || line.em <= 0 {
		return false
	}
	em := max(before.em, line.em)
	if min(before.em, line.em) < 0.8*em { // a heading has another size
		return false
	}
	left, margin := columnOf(lines, i-1, em)
	if before.right < margin-ragged*em || margin-left < narrow*em {
		return false
	}
	down := before.bottom - line.bottom
	if !strings.ContainsRune(sentenceEnds, last) {
		return down < farBelow*em // or up, at the top of the next column
	}
	if down < 0 || down > farBelow*em || itemStart.MatchString(line.text) {
		return false
	}
	if i > 1 && down > 1.25*max(lines[i-2].bottom-before.bottom, em) { // a space between paragraphs
		return false
	}
	return line.left < left+indentation*em
}

const sentenceEnds = "。！？：；”’」』…"

// itemStart matches the start of a list item or a clause.
var itemStart = regexp.MustCompile(`^(第[一二三四五六七八九十百零〇\d]+[章节節条條款项項部编編]|` +
	`[一二三四五六七八九十]+[、．.]|[（(][一二三四五六七八九十\d]+[）)]|[\d０-９]+[、．.)）]|[①-⑳•●■◆▪※·○])`)

// columnOf returns the left and the right margin of the column that a line is in, from the lines around
// it. One line in eight may be wider than its column, such as a title above two.
func columnOf(lines []textLine, i int, em float32) (left, right float32) {
	const around, wider = 40, 8
	left = lines[i].left
	var ends []float32
	for _, other := range lines[max(0, i-around):min(len(lines), i+around)] {
		if distance := other.left - lines[i].left; other.em > 0 && distance > -4*em && distance < 4*em {
			left = min(left, other.left)
			ends = append(ends, other.right)
		}
	}
	slices.Sort(ends)
	return left, ends[len(ends)-1-len(ends)/wider]
}

// isOneWord reports whether nothing separates two characters that follow each other in a text: both
// are wide, or one is and the other is a mark that goes with it.
func isOneWord(a, b rune) bool {
	return isWide(a) && (isWide(b) || isSharedMark(b)) || isSharedMark(a) && isWide(b)
}

// isWide reports whether a character is one of Chinese or Japanese text.
func isWide(r rune) bool {
	switch {
	case r == '\u3000':
		return false
	case r > '\u3000' && r <= '\u303f', r >= '\u30fb' && r <= '\u30fc', r >= '\uff01' && r <= '\uff65':
		return !('０' <= r && r <= '９' || 'Ａ' <= r && r <= 'Ｚ' || 'ａ' <= r && r <= 'ｚ')
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo)
}

// isSharedMark reports whether a character is a mark of both Chinese and Latin texts.
func isSharedMark(r rune) bool { return strings.ContainsRune("“”‘’…—·", r) }
