package html

import (
	"strings"

	nethtml "golang.org/x/net/html"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
)

// ReadSVG reads the words of a drawing: its title, its descriptions and its texts.
func ReadSVG(out *prose.Output, file []byte) error {
	return ReadDecoded(out, charset.Decode(file))
}

// drawing reads the words of a drawing in a page. Each text starts a line.
func (h *pageReader) drawing(n *nethtml.Node) {
	switch {
	case h.out.Full, n.Type == nethtml.ElementNode && isHidden(n):
		return
	case n.Type == nethtml.ElementNode && strings.EqualFold(n.Data, "foreignObject"):
		h.content(n)
		return
	case n.Type == nethtml.ElementNode && isWords(n.Data):
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
func wordsOf(n *nethtml.Node) string {
	var words strings.Builder
	for child := range n.Descendants() {
		switch {
		case child.Type == nethtml.TextNode:
			words.WriteString(child.Data)
		case child.Type == nethtml.ElementNode && child.Data == "tspan":
			words.WriteByte(' ')
		}
	}
	return words.String()
}
