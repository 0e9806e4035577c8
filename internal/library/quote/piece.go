package quote

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// minPiece is how many bytes of letters a part of a quote has at least to be looked for.
	minPiece = 6
	// maxGap is how many bytes of letters may stand between two lines of a quote: the foot of
	// a page and the head of the next.
	maxGap = 400
	// maxBreaks is how many such gaps a quote may have.
	maxBreaks = 3
	// maxEffort bounds what is compared in all, in bytes, since texts and quotes may be made to repeat
	// themselves. Beyond it a piece counts as found.
	maxEffort = 32 << 20

	omitted = "\x00"
)

var (
	omissions = strings.NewReplacer("…", omitted, "...", omitted, "⋯", omitted, ". . .", omitted)
	insertion = regexp.MustCompile(`[\[［【][^\]］】\n]{0,80}[\]］】]`)
)

// find returns where a piece of a quote begins and ends in l.text. It may go on in a later line
// if it reaches the end of one: between two pages there are numbers and running heads.
func (l *letters) find(piece []byte) (start, end int, found bool) {
	if i := bytes.Index(l.text, piece); i >= 0 {
		return i, i + len(piece), true
	}
	head := piece[:min(len(piece), minPiece)]
	for from := 0; ; {
		i := bytes.Index(l.text[from:], head)
		if i < 0 {
			return 0, 0, false
		}
		if l.effort < 0 {
			return from + i, from + i + len(head), true
		}
		if end, ok := l.continued(from+i, piece, maxBreaks); ok {
			return from + i, end, true
		}
		from += i + 1
	}
}

// continued reports whether a piece begins at start, with gaps between its lines.
func (l *letters) continued(start int, piece []byte, breaks int) (end int, found bool) {
	same := 0
	for same < len(piece) && start+same < len(l.text) && l.text[start+same] == piece[same] {
		same++
	}
	l.effort -= same + 1
	if same == len(piece) {
		return start + same, true
	}
	// The next line may begin with the same letter as the rest of the piece, so several ends count.
	for i := l.lineAfter(start); i < len(l.lines) && breaks > 0 && int(l.lines[i]) <= start+same; i++ {
		at := int(l.lines[i])
		for _, next := range l.lines[i+1:] {
			if int(next) > at+maxGap || l.effort < 0 {
				break
			}
			if end, ok := l.continued(int(next), piece[at-start:], breaks-1); ok {
				return end, true
			}
		}
	}
	return 0, false
}

// lineAfter returns the number of the first line that begins after a place.
func (l *letters) lineAfter(place int) int {
	i, found := slices.BinarySearch(l.lines, int32(place))
	if found {
		return i + 1
	}
	return i
}

// Locate returns where the first part of a quote begins and ends in a text, in bytes.
func Locate(text, quote string) (start, end int, found bool) {
	parts := pieces(quote)
	if len(parts) == 0 {
		return 0, 0, false
	}
	l := letters{effort: maxEffort}
	l.read(text)
	first, last, found := l.find([]byte(parts[0]))
	if !found {
		return 0, 0, false
	}
	start, end = int(l.places[first]), int(l.places[last-1])
	_, size := utf8.DecodeRuneInString(text[end:])
	return start, end + size, true
}
