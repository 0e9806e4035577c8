// Package html reads web pages, and what is made of them: EPUB and SVG.
package html

import (
	"io"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/internal/extract/charset"
	"parley/internal/extract/formula"
	"parley/internal/extract/prose"
)

// Read reads the visible text of a page.
func Read(out *prose.Output, file []byte) error {
	return ReadDecoded(out, charset.Decode(file))
}

// ReadDecoded reads the visible text of a page in UTF-8.
func ReadDecoded(out *prose.Output, page io.Reader) error {
	return readPage(&pageReader{out: out, titled: true}, page)
}

func readPage(h *pageReader, page io.Reader) error {
	root, err := nethtml.Parse(page)
	if err != nil {
		return prose.ErrBroken.WithCause(err)
	}
	h.node(root)
	return nil
}

type pageReader struct {
	out    *prose.Output
	titled bool                   // include the title
	pre    int                    // depth of preformatted elements
	skip   map[*nethtml.Node]bool // elements to leave out
	tables []tableGrid            // those that are open
}

// node reads a subtree. The parser limits its depth.
func (h *pageReader) node(n *nethtml.Node) {
	switch {
	case n.Type == nethtml.TextNode && h.pre > 0:
		h.out.Verbatim(n.Data)
	case n.Type == nethtml.TextNode:
		h.out.Write(n.Data)
	case n.Type == nethtml.ElementNode && isHidden(n), n.DataAtom == atom.Title && !h.titled, h.skip[n], h.out.Full:
		return
	}
	switch {
	case n.DataAtom == atom.Svg:
		h.out.Paragraph()
		h.drawing(n)
		h.out.Paragraph()
	case n.DataAtom == atom.Math:
		h.out.Write(formula.MathML(n))
	case n.DataAtom == atom.Sup && isText(n.FirstChild):
		h.out.Write(prose.Superscript(n.FirstChild.Data))
	case n.DataAtom == atom.Rt:
		h.out.Write("(")
		h.content(n)
		h.out.Write(")")
	case n.DataAtom == atom.Rp: // parentheses for programs that show no readings beside the text
	case isNoteLink(n):
		h.out.Write("[" + noteNumber(n) + "]")
	default:
		h.enter(n)
		h.content(n)
		h.leave(n)
	}
}

func (h *pageReader) content(n *nethtml.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		h.node(child)
	}
}

func (h *pageReader) enter(n *nethtml.Node) {
	switch n.DataAtom {
	case atom.Title, atom.H1:
		h.out.Heading(1)
	case atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		h.out.Heading(int(n.Data[1] - '0'))
	case atom.Li:
		h.out.Item()
	case atom.Br:
		h.out.Line()
	case atom.Table:
		h.out.Paragraph()
		h.tables = append(h.tables, tableGrid{})
	case atom.Tr:
		h.out.Line()
		if t := h.table(); t != nil {
			t.nextRow()
		}
	case atom.Td, atom.Th:
		h.out.EnterCell(isFirstCell(n))
		if t := h.table(); t != nil {
			h.out.SkipCells(t.place(span(n, "colspan"), span(n, "rowspan")))
		}
	case atom.Pre, atom.Textarea:
		h.out.Paragraph()
		h.pre++
	case atom.Img:
		h.out.Write(attribute(n, "alt"))
	case atom.Dt, atom.Dd, atom.Option:
		h.out.Line()
	default:
		if isBlock(n.DataAtom) {
			h.out.Paragraph()
		}
	}
}

func (h *pageReader) leave(n *nethtml.Node) {
	switch n.DataAtom {
	case atom.Table:
		h.out.Paragraph()
		h.tables = h.tables[:len(h.tables)-1]
	case atom.Td, atom.Th:
		h.out.LeaveCell()
	case atom.Pre, atom.Textarea:
		h.pre--
		h.out.Paragraph()
	case atom.Li, atom.Dt, atom.Dd, atom.Tr, atom.Option:
		h.out.Line()
	default:
		if isBlock(n.DataAtom) {
			h.out.Paragraph()
		}
	}
}

// isText reports whether a node is a text, without others beside it.
func isText(n *nethtml.Node) bool {
	return n != nil && n.Type == nethtml.TextNode && n.NextSibling == nil
}

func isBlock(name atom.Atom) bool {
	switch name {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside,
		atom.Address, atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Caption, atom.Figure,
		atom.Figcaption, atom.Form, atom.Fieldset, atom.Hr, atom.Title, atom.H1, atom.H2, atom.H3, atom.H4,
		atom.H5, atom.H6, atom.Details, atom.Summary:
		return true
	}
	return false
}

// isHidden reports whether an element is not visible on the page.
func isHidden(n *nethtml.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Object, atom.Datalist:
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "style":
			style := strings.ToLower(strings.ReplaceAll(a.Val, " ", ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}

func isFirstCell(n *nethtml.Node) bool {
	for before := n.PrevSibling; before != nil; before = before.PrevSibling {
		if before.Type == nethtml.ElementNode {
			return false
		}
	}
	return true
}

func attribute(n *nethtml.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
