package html

import (
	"strings"
	"unicode"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
)

const (
	// minArticle is the shortest text that may be left of a page, in characters. If less is left, the rules did not fit
	// it.
	minArticle = 80
	// A block is a menu if it has at least manyLinks links, and these have more than denseLinks percent of its text.
	manyLinks  = 3
	denseLinks = 70
	// mainShare is the least share of a page's text in its main element: one part of so many.
	mainShare = 4
)

// ReadArticle reads the text of a web page without its menus, headers, footers, forms and notices. If hardly anything
// is left, it reads all of the visible text.
func ReadArticle(out *prose.Output, file []byte) error {
	root, err := nethtml.Parse(charset.Decode(file))
	if err != nil {
		return prose.ErrBroken.WithCause(err)
	}
	a := &article{sizes: make(map[*nethtml.Node]textSize), dropped: make(map[*nethtml.Node]bool)}
	all := a.measure(root, false)
	a.page = all.text
	kept := a.drop(root, false)
	reader := &pageReader{out: out, skip: a.dropped}
	switch {
	case kept < min(minArticle, all.text):
		reader.skip = nil
	case len(a.mains) == 1 && a.mainText*mainShare >= kept && a.mainText >= min(minArticle, kept):
		root = a.mains[0]
	}
	reader.node(root)
	return nil
}

// article decides which elements of a page do not belong to its content.
type article struct {
	sizes    map[*nethtml.Node]textSize
	page     int // characters of the page
	dropped  map[*nethtml.Node]bool
	mains    []*nethtml.Node
	mainText int // characters that are left of the main elements
}

// textSize is the visible text of an element: its characters without spaces, those in links, and the number of links.
type textSize struct {
	text, linked, links int
	heading             bool // the element has the heading of the page, or the page's main part
}

func (a *article) measure(n *nethtml.Node, inLink bool) textSize {
	var size textSize
	switch n.Type {
	case nethtml.TextNode:
		size.text = visibleLength(n.Data)
		if inLink {
			size.linked = size.text
		}
		return size
	case nethtml.ElementNode:
		if isHidden(n) || n.DataAtom == atom.Title {
			return size
		}
		if n.DataAtom == atom.A && !inLink {
			inLink, size.links = true, 1
		}
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		c := a.measure(child, inLink)
		size.text, size.linked, size.links = size.text+c.text, size.linked+c.linked, size.links+c.links
		size.heading = size.heading || c.heading
	}
	if n.Type == nethtml.ElementNode {
		a.sizes[n] = size
	}
	switch n.DataAtom {
	case atom.H1, atom.Main, atom.Article:
		size.heading = true
	}
	return size
}

// visibleLength counts the characters of a text without spaces. A Han character says as much as three letters.
func visibleLength(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			n += 3
		case !unicode.IsSpace(r):
			n++
		}
	}
	return n
}

// drop drops the elements below n that are not content, and returns how many characters are left. In the main part of a
// page a header belongs to an article.
func (a *article) drop(n *nethtml.Node, inMain bool) int {
	switch n.Type {
	case nethtml.TextNode:
		return visibleLength(n.Data)
	case nethtml.ElementNode:
		if isHidden(n) || n.DataAtom == atom.Title {
			return 0
		}
		if a.isExtra(n, inMain) {
			a.dropped[n] = true
			return 0
		}
	}
	isMain := n.DataAtom == atom.Main || attribute(n, "role") == "main"
	left := 0
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		left += a.drop(child, inMain || isMain || n.DataAtom == atom.Article)
	}
	if isMain {
		a.mains, a.mainText = append(a.mains, n), a.mainText+left
	}
	return left
}

// isExtra reports whether an element is not part of the page's content.
func (a *article) isExtra(n *nethtml.Node, inMain bool) bool {
	size := a.sizes[n]
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.H1:
		return false
	case atom.Nav, atom.Dialog, atom.Menu, atom.Button, atom.Select, atom.Input, atom.Label:
		return true
	case atom.Footer:
		return !a.isMost(size)
	case atom.Header, atom.Aside:
		return !inMain && !a.isMost(size) || a.isMenu(size)
	case atom.Form: // some pages are one form
		return !a.isMost(size) && !size.heading
	}
	if extraRoles[attribute(n, "role")] {
		return !a.isMost(size)
	}
	if !isContainer(n.DataAtom) {
		return false
	}
	return a.isMenu(size) || isNamedExtra(n) && !a.isMost(size) && !size.heading
}

// isMost reports whether an element has at least half of the page's text.
func (a *article) isMost(size textSize) bool { return 2*size.text >= a.page }

// isMenu reports whether an element is a list of links, and not most of the page.
func (a *article) isMenu(size textSize) bool {
	return size.links >= manyLinks && 100*size.linked > denseLinks*size.text && !a.isMost(size) && !size.heading
}

func isContainer(name atom.Atom) bool {
	switch name {
	case atom.Div, atom.Section, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Td, atom.Tr, atom.P, atom.Center:
		return true
	}
	return false
}

var extraRoles = set(`navigation banner contentinfo search complementary ` +
	`dialog alertdialog menu menubar toolbar tablist`)

// extraNames are words in the class or id of an element that mark it as something beside the content.
var extraNames = set(`nav navbar navigation menu menubar breadcrumb breadcrumbs sidebar footer cookie cookies consent
gdpr ad ads advert advertisement sponsored promo newsletter subscribe signup login share sharing social related
recommended recommendations popup modal toolbar pagination pager skip copyright colophon masthead topbar offcanvas`)

// isNamedExtra reports whether the class or id of an element says that it is not content.
func isNamedExtra(n *nethtml.Node) bool {
	for _, names := range []string{attribute(n, "class"), attribute(n, "id")} {
		for word := range strings.FieldsFuncSeq(splitCamel(names), isNoLetter) {
			if extraNames[strings.ToLower(word)] {
				return true
			}
		}
	}
	return false
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) }

// splitCamel separates words such as siteFooter by a space.
func splitCamel(names string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range names {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

func set(words string) map[string]bool {
	all := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}
