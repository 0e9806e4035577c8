package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences splits a text into its sentences, in order and without the space around them.
// A heading, a list item, a table row and a short line are sentences; wrapped lines are
// joined.
func Sentences(text string) []Span {
	var all []Span
	for _, block := range blocks(text) {
		all = appendSentences(all, text, block)
	}
	return all
}

// IsHeading reports whether a line or sentence is a Markdown heading.
func IsHeading(line string) bool {
	marks := len(line) - len(strings.TrimLeft(line, "#"))
	return 1 <= marks && marks <= 6 && strings.HasPrefix(line[marks:], " ")
}

func appendSentences(all []Span, text string, block Span) []Span {
	start := block.Start
	for i := block.Start; i < block.End; {
		r, size := utf8.DecodeRuneInString(text[i:block.End])
		i += size
		if !isTerminator(r) {
			continue
		}
		i = afterTerminators(text, i, block.End)
		if endsSentence(text[block.Start:i], r, text[i:block.End]) {
			all = appendTrimmed(all, text, Span{start, i})
			start = i
		}
	}
	return appendTrimmed(all, text, Span{start, block.End})
}

// afterTerminators returns the offset after further terminators, quotes and brackets that
// close a sentence.
func afterTerminators(text string, i, end int) int {
	for i < end {
		r, size := utf8.DecodeRuneInString(text[i:end])
		if !isTerminator(r) && !strings.ContainsRune(`"')]}*_”’」』）】》`, r) {
			break
		}
		i += size
	}
	return i
}

func isTerminator(r rune) bool { return isWideTerminator(r) || strings.ContainsRune(".!?…", r) }

func isWideTerminator(r rune) bool { return strings.ContainsRune("。！？｡", r) }

// endsSentence reports whether a sentence ends between before, which includes the
// terminator, and after.
func endsSentence(before string, terminator rune, after string) bool {
	if isWideTerminator(terminator) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(after)
	if after != "" && !unicode.IsSpace(next) {
		return terminator != '.' && isDenseScript(next)
	}
	if terminator != '.' {
		return true
	}
	next, _ = utf8.DecodeRuneInString(strings.TrimSpace(after))
	return !unicode.IsLower(next) && !endsInAbbreviation(before, next)
}

// endsInAbbreviation reports whether the last period belongs to an abbreviation or to the
// number of a list item.
func endsInAbbreviation(before string, next rune) bool {
	word := before[strings.LastIndexFunc(before, unicode.IsSpace)+1:]
	if strings.Trim(word, "0123456789.") == "" {
		return len(word) == len(strings.TrimSpace(before))
	}
	word = strings.ToLower(strings.Trim(word, `.("'[*_`))
	if numbered[word] {
		return unicode.IsDigit(next)
	}
	return abbreviations[word] || utf8.RuneCountInString(word) == 1 && !unicode.IsDigit(rune(word[0]))
}

// abbreviations never end a sentence; numbered ones don't if a number follows.
var (
	abbreviations = set(`e.g i.e mr mrs ms dr prof st vs cf approx jr sr dept inc ltd viz z.b bzw usw`)
	numbered      = set(`no nr fig vol pp ch sec eq art`)
)

func appendTrimmed(all []Span, text string, s Span) []Span {
	piece := text[s.Start:s.End]
	start := s.Start + len(piece) - len(strings.TrimLeftFunc(piece, unicode.IsSpace))
	end := s.Start + len(strings.TrimRightFunc(piece, unicode.IsSpace))
	if start >= end {
		return all
	}
	return append(all, Span{start, end})
}
