// Package formula writes formulas as linear text.
package formula

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// MathML returns a formula of MathML as linear text, such as "x = (a + b)/2" or "x_1^2".
func MathML(n *html.Node) string { return linear(n, 0) }

// linear returns a part of a formula as linear text. Deeper than maxFormula, it returns "".
func linear(n *html.Node, depth int) string {
	if depth > maxFormula {
		return ""
	}
	if n.Type == html.TextNode {
		return strings.Join(strings.Fields(n.Data), " ")
	}
	if n.Type != html.ElementNode {
		return ""
	}
	parts := formulaParts(n, depth)
	part := func(i int) string {
		if i < len(parts) {
			return parts[i]
		}
		return ""
	}
	switch n.Data {
	case "annotation", "annotation-xml":
		return ""
	case "semantics":
		return part(0)
	case "mfrac":
		return parenthesized(part(0)) + "/" + parenthesized(part(1))
	case "msqrt":
		return "√" + parenthesized(strings.Join(parts, ""))
	case "mroot":
		return "root(" + part(0) + ", " + part(1) + ")"
	case "msub", "munder":
		return parenthesized(part(0)) + "_" + parenthesized(part(1))
	case "msup", "mover":
		return parenthesized(part(0)) + "^" + parenthesized(part(1))
	case "msubsup", "munderover":
		return parenthesized(part(0)) + "_" + parenthesized(part(1)) + "^" + parenthesized(part(2))
	case "mo":
		return operator(part(0))
	case "mtable":
		return "[" + strings.Join(parts, "; ") + "]"
	case "mtr", "mlabeledtr":
		return strings.Join(parts, ", ")
	case "mspace":
		return " "
	case "mfenced":
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return strings.Join(parts, "")
}

// maxFormula limits the depth of a formula. The parser limits that of a page to more.
const maxFormula = 100

func formulaParts(n *html.Node, depth int) []string {
	var parts []string
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) == "" || child.Type == html.CommentNode {
			continue
		}
		parts = append(parts, linear(child, depth+1))
	}
	return parts
}

// operator returns an operator with the spaces that a reader expects around it.
func operator(sign string) string {
	switch sign {
	case "\u2061", "\u2062", "\u2063", "\u2064": // invisible
		return ""
	case "+", "-", "−", "=", "≠", "<", ">", "≤", "≥", "≈", "→", "⇒", "∈", "±", "·", "×", "∧", "∨", "∪", "∩", "≡":
		return " " + sign + " "
	case ",", ";":
		return sign + " "
	}
	return sign
}

// parenthesized puts a part of a formula in parentheses unless it is a single sign, word or number.
func parenthesized(part string) string {
	part = strings.TrimSpace(part)
	if utf8.RuneCountInString(part) <= 1 || !strings.ContainsAny(part, " +-−=/^_·×±,;") || IsGroup(part) {
		return part
	}
	return "(" + part + ")"
}

// IsGroup reports whether one pair of parentheses encloses a text.
func IsGroup(text string) bool {
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return r == ')' && i == len(text)-1
		}
	}
	return false
}
