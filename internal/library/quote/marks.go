package quote

import (
	"strings"
	"unicode/utf8"
)

// closing has the marks that end a quote, by the mark that begins it.
var closing = map[rune]string{'"': `"`, '“': "”", '「': "」", '『': "』", '«': "»", '„': "“”"}

// opening has all marks that begin a quote.
const opening = "\"“「『«„"

// span is where a text begins and ends in a paragraph.
type span struct{ start, end int }

// marked returns what stands between quotation marks in one line. It reads the text once for each kind of mark. A
// regular expression would read on to the end of the line after each mark that has no partner.
func marked(paragraph string) (found []span) {
	ends := map[rune]int{} // the next closing mark or end of a line, by the opening mark
	for at := 0; ; {
		next := strings.IndexAny(paragraph[at:], opening)
		if next < 0 {
			return found
		}
		mark, size := utf8.DecodeRuneInString(paragraph[at+next:])
		at += next + size
		end, known := ends[mark]
		if !known || end < at {
			end = len(paragraph)
			if i := strings.IndexAny(paragraph[at:], closing[mark]+"\n"); i >= 0 {
				end = at + i
			}
			ends[mark] = end
		}
		if end == at || end == len(paragraph) || paragraph[end] == '\n' {
			continue
		}
		found = append(found, span{at, end})
		_, size = utf8.DecodeRuneInString(paragraph[end:])
		at = end + size
	}
}
