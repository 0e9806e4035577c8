package ooxml

import (
	"strconv"
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// wordStyle is what a paragraph gets from its style.
type wordStyle struct {
	heading int    // level of a heading; 0 is none
	based   string // the style that this one is based on
	list    string // the use of a list; "" is that of based, "0" is none
	level   int    // the level in the list; -1 is not given
}

// wordStyles are the styles of a document, by id.
type wordStyles map[string]wordStyle

// maxStyles limits how many styles a style is based on. Ordinary documents have three.
const maxStyles = 20

func readWordStyles(content []byte) (wordStyles, error) {
	styles := make(wordStyles)
	id, style := "", wordStyle{}
	err := zipxml.Visit(content, zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			value := e.Attr("val")
			switch e.Name {
			case "style":
				id, style = e.Attr("styleId"), wordStyle{level: -1}
			case "name":
				if level, ok := strings.CutPrefix(strings.ToLower(value), "heading "); ok {
					style.heading, _ = strconv.Atoi(level)
				}
			case "basedOn":
				style.based = value
			case "numId":
				style.list = value
			case "ilvl":
				style.level, _ = strconv.Atoi(value)
			case "pPrChange":
				return false
			}
			return true
		},
		End: func(name string) {
			if name == "style" {
				styles[id] = style
			}
		},
	})
	return styles, err
}

// list returns the list and the level of a style, which may be those of a style that it is
// based on. owner is the style that has the list.
func (s wordStyles) list(id string) (list string, level int, owner string) {
	level = -1
	for range maxStyles {
		style, ok := s[id]
		if !ok {
			return "", level, ""
		}
		if level < 0 {
			level = style.level
		}
		if style.list != "" {
			return style.list, level, id
		}
		id = style.based
	}
	return "", level, ""
}

// link makes lists that are defined by a numbering style use the list of that style.
func link(n *prose.Numbering, styles wordStyles) {
	for _, use := range n.Uses {
		l := n.Lists[use.List]
		if l == nil || l.Style == "" {
			continue
		}
		if linked := n.Uses[styles[l.Style].list]; linked != nil {
			use.List = linked.List
		}
	}
}
