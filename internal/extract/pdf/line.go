package pdf

import (
	"strings"
	"unicode"

	"parley/internal/extract/charset"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// textLine is a line of a page and its place, in points from the left and the bottom of the page.
type textLine struct {
	text                     string
	left, right, bottom, top float32
	em                       float32 // width of a wide character; 0 if the place is unknown
	running                  bool    // it is at the edge of most pages, and this one keeps it
}

// readLayer calls read with the text of a page, unless it has none.
func (d openDocument) readLayer(page references.FPDF_PAGE, read func(textLayer)) error {
	text, err := d.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: byHandle(page)})
	if err != nil {
		return err
	}
	//nolint:errcheck // the engine is closed soon
	defer d.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage})
	count, err := d.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text.TextPage})
	if err != nil || count.Count <= 0 {
		return err
	}
	content, err := d.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: text.TextPage, Count: count.Count})
	if err != nil {
		return err
	}
	layer := textLayer{openDocument: d, handle: text.TextPage, text: []rune(content.Text)}
	// The engine leaves characters without a meaning out of the text. Then it is shorter.
	layer.placed = len(layer.text) == count.Count
	layer.nameSymbols()
	read(layer)
	return nil
}

// textLayer is the text of an open page.
type textLayer struct {
	openDocument
	handle references.FPDF_TEXTPAGE
	text   []rune
	placed bool // the engine knows the place of text[i] by the number i
}

// nameSymbols replaces the characters for private use that stand for those of fonts of symbols.
func (l textLayer) nameSymbols() {
	if !l.placed {
		return
	}
	for i, r := range l.text {
		if !charset.IsSymbol(r) {
			continue
		}
		found, err := l.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: l.handle, Index: i})
		if err == nil && isSymbolFont(found.FontName) {
			l.text[i] = charset.Symbol(found.FontName, byte(r))
		}
	}
}

// isSymbolFont reports whether a font is one of those that documents take their symbols from. Others have signs of
// their own, such as those of a web site.
func isSymbolFont(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "symbol") || strings.Contains(name, "dings")
}

// lines returns the lines of the text, without blank ones.
func (l textLayer) lines() []textLine {
	var lines []textLine
	for _, chars := range l.split() {
		lines = append(lines, l.line(chars))
	}
	return lines
}

// split returns the indexes of the characters of each line, without blank lines. The engine marks a hyphen that only
// the layout needs: the word is joined.
func (l textLayer) split() [][]int {
	var lines [][]int
	var line []int
	hyphen := false
	end := func() {
		if chars := l.trim(line); len(chars) > 0 {
			lines = append(lines, chars)
		}
		line = nil
	}
	for i, r := range l.text {
		switch {
		case r == '\ufffe' || r == '\x02':
			hyphen = true
		case r != '\r' && r != '\n':
			line = append(line, i)
			hyphen = false
		case !hyphen:
			end()
		}
	}
	end()
	return lines
}

// trim returns characters without the spaces around them.
func (l textLayer) trim(chars []int) []int {
	for len(chars) > 0 && unicode.IsSpace(l.text[chars[0]]) {
		chars = chars[1:]
	}
	for len(chars) > 0 && unicode.IsSpace(l.text[chars[len(chars)-1]]) {
		chars = chars[:len(chars)-1]
	}
	return chars
}

// line returns the line of these characters, which must not be none.
func (l textLayer) line(chars []int) textLine {
	line := textLine{text: l.join(chars)}
	if l.placed {
		first, last := l.box(chars[0]), l.box(chars[len(chars)-1])
		line.left, line.right = first.Left, last.Right
		line.bottom, line.top = min(first.Bottom, last.Bottom), max(first.Top, last.Top)
		line.em = max(first.Right-first.Left, last.Right-last.Left)
	}
	return line
}

// join returns the text of a line without spaces that only the layout has put between wide characters.
func (l textLayer) join(chars []int) string {
	var b strings.Builder
	for i := 0; i < len(chars); i++ {
		if r := l.text[chars[i]]; !unicode.IsSpace(r) || i == 0 {
			b.WriteRune(r)
			continue
		}
		next := i
		for unicode.IsSpace(l.text[chars[next]]) {
			next++
		}
		if !l.isLayout(chars, i-1, next) {
			b.WriteString(string(l.text[chars[i]]))
		}
		i = next - 1
	}
	return b.String()
}

// Gaps between wide characters, in em. A space of the author is at least a fifth.
const (
	noGap     = 0.15
	wordGap   = 0.6 // at most, in a justified line with all characters apart
	letterGap = 1.2 // at most, in a spaced heading
)

// isLayout reports whether the space between two characters of a line is not part of the text.
func (l textLayer) isLayout(chars []int, before, after int) bool {
	if !isOneWord(l.text[chars[before]], l.text[chars[after]]) {
		return false
	}
	first := before == 0 || unicode.IsSpace(l.text[chars[before-1]])
	last := after == len(chars)-1 || unicode.IsSpace(l.text[chars[after+1]])
	if !l.placed {
		return first && last
	}
	gap := l.gap(chars[before], chars[after])
	switch {
	case first && last: // single characters
		return gap < letterGap
	case !l.isGenerated(chars[before+1]):
		return false
	case gap < noGap:
		return true
	}
	var around float32
	if !first {
		around = l.gap(chars[before-1], chars[before])
	}
	if !last {
		around = max(around, l.gap(chars[after], chars[after+1]))
	}
	return gap < wordGap && gap < 1.5*around
}

// gap returns the space between two characters of a line, in em.
func (l textLayer) gap(before, after int) float32 {
	a, b := l.box(before), l.box(after)
	em := max(a.Right-a.Left, b.Right-b.Left)
	if em <= 0 {
		return 0
	}
	return (b.Left - a.Right) / em
}

// isGenerated reports whether a character is not in the file: the engine has added it for a gap.
func (l textLayer) isGenerated(index int) bool {
	found, err := l.FPDFText_IsGenerated(&requests.FPDFText_IsGenerated{TextPage: l.handle, Index: index})
	return err == nil && found.IsGenerated
}

// box returns the place of a character with the space that its font gives it.
func (l textLayer) box(index int) structs.FPDF_FS_RECTF {
	found, err := l.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: l.handle, Index: index})
	if err != nil {
		return structs.FPDF_FS_RECTF{}
	}
	return found.Rect
}
