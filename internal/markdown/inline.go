package markdown

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxOpen is how deep emphasis can be nested. It keeps the time of an inline text linear.
const maxOpen = 8

// inline writes a text without blocks.
func (w *writer) inline(text string) {
	p := inlineParser{writer: w, text: text}
	p.all()
}

// inlineParser reads a text once. Marks of emphasis are written as text and replaced when their partner is found.
type inlineParser struct {
	*writer
	text    string
	at      int
	open    []emphasis
	last    map[int]int // where the last run of backticks of a length begins; nil until it is needed
	isLabel bool        // the text is that of a link, so it has no links
	isPlain bool        // the text has no marks at all
}

// emphasis is a run of marks that may begin or end an emphasis.
type emphasis struct {
	mark   byte
	length int
	left   int  // how many have no partner
	isBoth bool // it may begin and end one
	place  int  // in the output
}

var tags = map[string]string{"**": "strong", "__": "strong", "*": "em", "_": "em", "~~": "del"}

func (p *inlineParser) all() {
	if p.isPlain {
		p.take(p.text)
	}
	for p.at < len(p.text) && !p.full {
		p.next()
	}
}

func (p *inlineParser) next() {
	c := p.text[p.at]
	switch c {
	case '$':
		if !p.formula() {
			p.plain()
		}
	case '\\':
		p.escape()
	case '`':
		p.code()
	case '*', '_', '~':
		p.mark(c)
	case '!', '[', '<', 'h':
		switch {
		case p.isLabel:
			p.plain()
		case c == 'h':
			p.address()
		default:
			p.link(c)
		}
	case '\n':
		p.write("<br>\n")
		p.at++
	default:
		p.plain()
	}
}

// plain writes text up to the next character that may mean something.
func (p *inlineParser) plain() {
	end := strings.IndexAny(p.text[p.at+1:], "\\`*_~$![<h\n")
	if end < 0 {
		end = len(p.text) - p.at - 1
	}
	p.take(p.text[p.at : p.at+1+end])
}

// take writes the next characters as they are and goes on after them.
func (p *inlineParser) take(text string) {
	p.write(html.EscapeString(text))
	p.at += len(text)
}

// escape writes the character after a backslash as it is, or a formula that the backslash begins.
func (p *inlineParser) escape() {
	if p.formula() {
		return
	}
	if p.at+1 < len(p.text) && strings.IndexByte("\\`*_~[]()<>#+-.!|{}$", p.text[p.at+1]) >= 0 {
		p.at++
	}
	p.take(p.text[p.at : p.at+1])
}

func (p *inlineParser) code() {
	size := ticks(p.text[p.at:])
	begin := p.at + size
	if p.last == nil {
		p.last = lastTicks(p.text)
	}
	if p.last[size] < begin { // they have no partner
		p.take(p.text[p.at:begin])
		return
	}
	end := begin
	for ; ; end++ {
		if run := ticks(p.text[end:]); run == size {
			break
		} else if run > 0 {
			end += run - 1
		}
	}
	p.write("<code>")
	p.write(html.EscapeString(strings.TrimSpace(p.text[begin:end])))
	p.write("</code>")
	p.at = end + size
}

// ticks returns how many backticks a text begins with.
func ticks(text string) (n int) {
	for n < len(text) && text[n] == '`' {
		n++
	}
	return n
}

// lastTicks returns where the last run of backticks of each length begins.
func lastTicks(text string) map[int]int {
	last := map[int]int{}
	for i := 0; i < len(text); i++ {
		if n := ticks(text[i:]); n > 0 {
			last[n] = i
			i += n
		}
	}
	return last
}

// mark begins or ends an emphasis.
func (p *inlineParser) mark(c byte) {
	run := p.text[p.at:]
	run = run[:len(run)-len(strings.TrimLeft(run, string(c)))]
	if len(run) > 3 || c == '~' && len(run) != 2 {
		p.take(run)
		return
	}
	begins, ends := p.flanks(c, len(run))
	this := emphasis{mark: c, length: len(run), left: len(run), isBoth: begins && ends, place: len(p.out)}
	if ends {
		if size := p.close(this); size > 0 {
			p.at += size
			return
		}
	}
	if begins && len(p.open) < maxOpen {
		p.open = append(p.open, this)
	}
	p.take(run)
}

// flanks reports whether the marks here, which may be the rest of a run, can begin and end an emphasis. CommonMark
// decides it by the characters beside the run. Chinese, Japanese and Korean have no spaces between words, so their
// characters count as letters in an emphasis and as spaces outside of it.
func (p *inlineParser) flanks(c byte, length int) (begins, ends bool) {
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(p.text[:p.at], string(c)))
	after, _ := utf8.DecodeRuneInString(p.text[p.at+length:])
	begins = !isSpace(after) && (!isPunctuation(after) || !isLetter(before))
	ends = !isSpace(before) && (!isPunctuation(before) || !isLetter(after))
	if c == '_' && begins && ends {
		begins, ends = !isWord(before), !isWord(after)
	}
	return begins, ends
}

// close ends the emphasis that some marks have begun, and returns how many of these it takes: 0 if there is none. The
// content is moved. Each byte is moved at most twice for each mark that is open.
func (p *inlineParser) close(end emphasis) int {
	for i := len(p.open) - 1; i >= 0; i-- {
		begin := &p.open[i]
		if begin.mark != end.mark || !begin.fits(end) {
			continue
		}
		size := min(2, begin.left, end.left)
		name := tags[strings.Repeat(string(end.mark), size)]
		begin.left -= size
		p.replace(begin.place+begin.left, size, "<"+name+">")
		p.write("</" + name + ">")
		p.open = p.open[:i+min(1, begin.left)]
		return size
	}
	return 0
}

// fits reports whether marks may be the partner of others of the same character. If one of them could also be the other
// kind, CommonMark looks at their number: in *a**b*, the two in the middle are neither.
func (e emphasis) fits(end emphasis) bool {
	return !e.isBoth && !end.isBoth || (e.length+end.length)%3 != 0 || e.length%3 == 0
}

// isSpace reports whether there is no character, or white space.
func isSpace(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// eastAsian are the blocks of Chinese, Japanese and Korean characters, and of their punctuation. The web client has the
// same.
var eastAsian = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x11ff, 1},
		{0x2e80, 0x9fff, 1},
		{0xac00, 0xd7af, 1},
		{0xf900, 0xfaff, 1},
		{0xfe30, 0xfe4f, 1},
		{0xff00, 0xffef, 1},
	},
	R32: []unicode.Range32{{0x20000, 0x3ffff, 1}},
}

// isPunctuation reports whether a character is punctuation or a symbol, but none of an East Asian script.
func isPunctuation(r rune) bool {
	return (unicode.IsPunct(r) || unicode.IsSymbol(r)) && !unicode.Is(eastAsian, r)
}

// isLetter reports whether a character is neither a space nor punctuation, nor of an East Asian script.
func isLetter(r rune) bool {
	return !isSpace(r) && !unicode.IsPunct(r) && !unicode.IsSymbol(r) && !unicode.Is(eastAsian, r)
}
