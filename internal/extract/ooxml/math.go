package ooxml

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/extract/formula"
	"parley/internal/extract/zipxml"
)

// maxMathDepth limits the nesting of a formula. What is deeper is read without its form.
const maxMathDepth = 50

// withMath returns a visitor that gives v the formulas of a document as linear text, such
// as "x=(a+b)/2", in place of their elements.
func withMath(v zipxml.Visitor) zipxml.Visitor {
	m := &mathReader{}
	return zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			if len(m.open) == 0 && e.Name != "oMath" {
				return v.Start(e)
			}
			return m.start(e)
		},
		End: func(name string) {
			if len(m.open) == 0 {
				v.End(name)
				return
			}
			if formula, done := m.end(name); done {
				v.Start(zipxml.Element{Name: "t"})
				v.Text(formula)
				v.End("t")
			}
		},
		Text: func(s string) {
			switch {
			case len(m.open) == 0:
				v.Text(s)
			case m.inText:
				m.top().text.WriteString(s)
			}
		},
	}
}

type mathReader struct {
	open   []*mathNode
	deeper int // depth of the nodes below maxMathDepth
	inText bool
}

// mathNode is a form, such as a fraction, or a part of one.
type mathNode struct {
	name  string
	text  strings.Builder
	parts []mathPart
	marks map[string]string // characters that its properties give, by element
}

type mathPart struct{ name, text string }

func (m *mathReader) top() *mathNode { return m.open[len(m.open)-1] }

func (m *mathReader) start(e zipxml.Element) bool {
	m.inText = e.Name == "t"
	switch e.Name {
	case "rPr", "ctrlPr", "del", "moveFrom", "instrText":
		return false
	case "br":
		m.top().text.WriteByte(' ')
	case "chr", "begChr", "endChr", "sepChr":
		m.top().marks[e.Name] = e.Attr("val")
	}
	switch {
	case !isMathNode(e.Name):
	case len(m.open) == maxMathDepth:
		m.deeper++
	default:
		m.open = append(m.open, &mathNode{name: e.Name, marks: make(map[string]string)})
	}
	return true
}

// end handles the end of an element. At the end of a formula it returns its text.
func (m *mathReader) end(name string) (formula string, done bool) {
	m.inText = false
	switch {
	case !isMathNode(name):
		return "", false
	case m.deeper > 0:
		m.deeper--
		return "", false
	}
	node := m.top()
	m.open = m.open[:len(m.open)-1]
	text := node.linear()
	if len(m.open) == 0 {
		return text, true
	}
	if isMathPart(name) {
		m.top().parts = append(m.top().parts, mathPart{name, text})
	} else {
		m.top().text.WriteString(text)
	}
	return "", false
}

func isMathNode(name string) bool {
	switch name {
	case "oMath", "f", "sSup", "sSub", "sSubSup", "sPre", "rad", "nary", "d", "func", "limLow", "limUpp",
		"m", "eqArr", "acc", "bar", "box", "borderBox", "groupChr", "phant":
		return true
	}
	return isMathPart(name)
}

func isMathPart(name string) bool {
	switch name {
	case "num", "den", "e", "sub", "sup", "deg", "fName", "lim", "mr":
		return true
	}
	return false
}

// linear returns a form as text. Only a part has text of its own, and what is too deep.
func (n *mathNode) linear() string { return n.text.String() + n.form() }

func (n *mathNode) form() string {
	switch n.name {
	case "f":
		return grouped(n.part("num")) + "/" + grouped(n.part("den"))
	case "sSup", "sSub", "sSubSup", "limLow", "limUpp":
		return base(n.part("e")) + n.scripts()
	case "sPre":
		return n.scripts() + grouped(n.part("e"))
	case "rad":
		return "√" + bracketed("[", n.part("deg"), "]") + "(" + n.part("e") + ")"
	case "nary":
		return n.mark("chr", "∫") + n.scripts() + " " + n.part("e")
	case "d":
		return n.mark("begChr", "(") + n.join(n.mark("sepChr", "|")) + n.mark("endChr", ")")
	case "func":
		return n.part("fName") + " " + n.part("e")
	case "m":
		return "[" + n.join("; ") + "]"
	case "mr":
		return n.join(", ")
	case "eqArr":
		return n.join("; ")
	case "acc":
		return n.part("e") + n.mark("chr", "\u0302")
	case "bar":
		return n.part("e") + "\u0305"
	}
	return n.join(" ")
}

// scripts returns the subscript and the superscript, if there are any.
func (n *mathNode) scripts() string {
	sub, sup := n.part("sub"), n.part("sup")
	switch n.name {
	case "limLow":
		sub = n.part("lim")
	case "limUpp":
		sup = n.part("lim")
	}
	text := ""
	if sub != "" {
		text += "_" + grouped(sub)
	}
	if sup != "" {
		text += "^" + grouped(sup)
	}
	return text
}

// part returns the text of the first part of this name.
func (n *mathNode) part(name string) string {
	for _, p := range n.parts {
		if p.name == name {
			return p.text
		}
	}
	return ""
}

// join returns the texts of all parts.
func (n *mathNode) join(separator string) string {
	texts := make([]string, 0, len(n.parts))
	for _, p := range n.parts {
		texts = append(texts, p.text)
	}
	return strings.Join(texts, separator)
}

// mark returns a character that the properties give, which may be none.
func (n *mathNode) mark(name, usual string) string {
	if mark, ok := n.marks[name]; ok {
		return mark
	}
	return usual
}

// base returns a text that has a script. A name such as "lim" needs no parentheses.
func base(text string) string {
	text = strings.TrimSpace(text)
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return text
	}
	return grouped(text)
}

// grouped returns a text in parentheses unless it is a number or a single character.
func grouped(text string) string {
	text = strings.TrimSpace(text)
	isNumber := !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' })
	if isNumber || utf8.RuneCountInString(text) == 1 || formula.IsGroup(text) {
		return text
	}
	return "(" + text + ")"
}

// bracketed returns a text in brackets, or nothing if it is empty.
func bracketed(begin, text, end string) string {
	if text == "" {
		return ""
	}
	return begin + text + end
}
