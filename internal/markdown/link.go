package markdown

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Limits that keep the time of a link linear.
const (
	maxLabel = 500  // bytes of a link's text
	maxURL   = 2048 // bytes of an address
)

var (
	linkText = regexp.MustCompile(
		`^!?\[([^\[\]\n]*)\]\([ \t]*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:[ \t]+"[^"\n]*")?[ \t]*\)`)
	autoLink = regexp.MustCompile(`^<(https?://[^\s<>]+|mailto:[^\s<>]+)>`)
	bareLink = regexp.MustCompile(`^https?://[^\s<>"'` + "`" + `，。；！？、）】」』]+`)
)

// link writes a link, a picture, which becomes a link, or the reference of a footnote, or the character.
func (p *inlineParser) link(c byte) {
	rest := p.text[p.at:min(len(p.text), p.at+maxLabel+maxURL)]
	if c == '<' {
		if found := autoLink.FindStringSubmatch(rest); found != nil {
			p.anchor(found[0], found[1], inlineParser{text: strings.TrimPrefix(found[1], "mailto:"), isPlain: true})
			return
		}
	} else if strings.HasPrefix(rest, "[^") {
		if found := noteReference.FindStringSubmatch(rest); found != nil {
			p.write(`<sup class="note-reference">` + found[1] + "</sup>")
			p.at += len(found[0])
			return
		}
	} else if hasLabel(rest) {
		if found := linkText.FindStringSubmatch(rest); found != nil {
			p.anchor(found[0], found[2], inlineParser{text: found[1]})
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
	p.anchor(found, found, inlineParser{text: found, isPlain: true})
}

// anchor writes a link in place of the source, if its address is one of the web or of mail.
func (p *inlineParser) anchor(source, address string, label inlineParser) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto" {
		p.take(source)
		return
	}
	if strings.TrimSpace(label.text) == "" {
		label = inlineParser{text: address, isPlain: true}
	}
	label.writer, label.isLabel = p.writer, true
	p.write(`<a href="` + html.EscapeString(u.String()) + `" rel="noopener noreferrer nofollow">`)
	label.all()
	p.write("</a>")
	p.at += len(source)
}
