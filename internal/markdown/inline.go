package markdown

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits that keep the time of an inline text linear.
const (
	maxOpen  = 8    // emphasis within emphasis
	maxLabel = 500  // bytes of a link's text
	maxURL   = 2048 // bytes of an address
)

// inline writes a text without blocks.
func (w *writer) inline(text string) {
	p := inlineParser{writer: w, text: text}
	for p.at < len(p.text) && !w.full {
		p.next()
	}
}

// inlineParser reads a text once. Marks of emphasis are written as text and replaced when their partner is found.
type inlineParser struct {
	*writer
	text string
	at   int
	open []emphasis
	last map[int]int // where the last run of backticks of a length begins; nil until it is needed
}

// emphasis is a mark that may begin an emphasis, and its place in the output.
type emphasis struct {
	mark  string
	place int
}

var tags = map[string]string{"**": "strong", "__": "strong", "*": "em", "_": "em", "~~": "del"}

func (p *inlineParser) next() {
	switch c := p.text[p.at]; c {
	case '\\':
		p.escape()
	case '`':
		p.code()
	case '*', '_', '~':
		p.mark(c)
	case '!', '[', '<':
		p.link(c)
	case 'h':
		p.address()
	case '\n':
		p.write("<br>\n")
		p.at++
	default:
		p.plain()
	}
}

// plain writes text up to the next character that may mean something.
func (p *inlineParser) plain() {
	end := strings.IndexAny(p.text[p.at+1:], "\\`*_~![<h\n")
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

func (p *inlineParser) escape() {
	if p.at+1 < len(p.text) && strings.IndexByte("\\`*_~[]()<>#+-.!|{}", p.text[p.at+1]) >= 0 {
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
	size := min(len(run), 2)
	mark := run[:size]
	if len(run) > 3 || tags[mark] == "" {
		p.take(run)
		return
	}
	if top := len(p.open) - 1; len(run) == 3 && top >= 0 && p.open[top].mark[0] == c { // ***: the inner one ends first
		mark = p.open[top].mark
		size = len(mark)
	}
	before, _ := utf8.DecodeLastRuneInString(p.text[:p.at])
	after, _ := utf8.DecodeRuneInString(p.text[p.at+size:])
	inWord := c == '_' && isWord(before) && isWord(after)
	if !isSpace(before) && !inWord && p.close(mark) {
		p.at += size
		return
	}
	if !isSpace(after) && !inWord && len(p.open) < maxOpen {
		p.open = append(p.open, emphasis{mark, len(p.out)})
	}
	p.take(mark)
}

// close ends the emphasis that a mark has begun, and reports whether there is one. The content is moved. Each byte is
// moved at most maxOpen times.
func (p *inlineParser) close(mark string) bool {
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].mark == mark {
			p.replace(p.open[i].place, len(mark), "<"+tags[mark]+">")
			p.write("</" + tags[mark] + ">")
			p.open = p.open[:i]
			return true
		}
	}
	return false
}

// isSpace reports whether there is no character, or white space.
func isSpace(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

var (
	linkText = regexp.MustCompile(
		`^!?\[([^\[\]\n]*)\]\([ \t]*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:[ \t]+"[^"\n]*")?[ \t]*\)`)
	autoLink = regexp.MustCompile(`^<(https?://[^\s<>]+|mailto:[^\s<>]+)>`)
	bareLink = regexp.MustCompile(`^https?://[^\s<>"'` + "`" + `，。；！？、）】」』]+`)
)

// link writes a link or a picture, which becomes a link, or the character.
func (p *inlineParser) link(c byte) {
	rest := p.text[p.at:min(len(p.text), p.at+maxLabel+maxURL)]
	if c == '<' {
		if found := autoLink.FindStringSubmatch(rest); found != nil {
			p.anchor(found[0], strings.TrimPrefix(found[1], "mailto:"), found[1])
			return
		}
	} else if hasLabel(rest) {
		if found := linkText.FindStringSubmatch(rest); found != nil {
			p.anchor(found[0], found[1], found[2])
			return
		}
	}
	p.take(string(c))
}

// hasLabel reports whether a text may begin with a link. It spares most brackets the regular expression, which is slow
// on a long text.
func hasLabel(text string) bool {
	text, found := strings.CutPrefix(strings.TrimPrefix(text, "!"), "[")
	if !found {
		return false
	}
	end := strings.IndexAny(text, "[]\n")
	return end >= 0 && strings.HasPrefix(text[end:], "](")
}

// address writes an address without the marks of a link.
func (p *inlineParser) address() {
	before, _ := utf8.DecodeLastRuneInString(p.text[:p.at])
	if isWord(before) {
		p.plain()
		return
	}
	rest := p.text[p.at:min(len(p.text), p.at+maxURL)]
	found := strings.TrimRight(bareLink.FindString(rest), ".,:;!?*_~)]}")
	if len(found) < len("https://a") {
		p.plain()
		return
	}
	p.anchor(found, found, found)
}

// anchor writes a link in place of the source, if its address is one of the web or of mail.
func (p *inlineParser) anchor(source, text, address string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto" {
		p.take(source)
		return
	}
	if strings.TrimSpace(text) == "" {
		text = address
	}
	p.write(`<a href="` + html.EscapeString(u.String()) + `" rel="noopener noreferrer nofollow">`)
	p.write(html.EscapeString(text))
	p.write("</a>")
	p.at += len(source)
}
