package extract

import (
	"strings"

	"golang.org/x/net/html"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
)

// readSVG reads the words of a drawing: its title, its descriptions and its texts.
func readSVG(out *prose.Output, file []byte) error {
	return readPage(&htmlReader{out: out, titled: true}, charset.Decode(file))
}

// drawing reads the words of a drawing in a page. Each text starts a line.
func (h *htmlReader) drawing(n *html.Node) {
	switch {
	case h.out.Full, n.Type == html.ElementNode && isHidden(n):
		return
	case n.Type == html.ElementNode && strings.EqualFold(n.Data, "foreignObject"):
		h.content(n)
		return
	case n.Type == html.ElementNode && isWords(n.Data):
		h.out.Line()
		h.out.Write(strings.Join(strings.Fields(wordsOf(n)), " "))
		h.out.Line()
		return
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		h.drawing(child)
	}
}

func isWords(name string) bool { return name == "title" || name == "desc" || name == "text" }

// wordsOf returns all text within an element.
func wordsOf(n *html.Node) string {
	var words strings.Builder
	for child := range n.Descendants() {
		switch {
		case child.Type == html.TextNode:
			words.WriteString(child.Data)
		case child.Type == html.ElementNode && child.Data == "tspan":
			words.WriteByte(' ')
		}
	}
	return words.String()
}
