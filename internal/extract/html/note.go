package html

import (
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isNoteLink reports whether an element is the number of a footnote: it leads from the text to the note, or back.
func isNoteLink(n *nethtml.Node) bool {
	return n.DataAtom == atom.A && strings.Contains(attribute(n, "href"), "#") && noteNumber(n) != ""
}

// noteNumber returns the text of an element if it is a short number.
func noteNumber(n *nethtml.Node) string {
	for n.FirstChild != nil && n.FirstChild.NextSibling == nil {
		n = n.FirstChild
	}
	number := strings.TrimSpace(n.Data)
	if n.Type != nethtml.TextNode || number == "" || len(number) > 3 || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return number
}
