package ooxml

import (
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// readAuthors returns the names of the authors of a presentation's comments.
func readAuthors(out *prose.Output, a *zipxml.Archive, relations map[string]relation) (map[string]string, error) {
	names := make(map[string]string)
	for _, r := range relations {
		element := map[string]string{"commentAuthors": "cmAuthor", "authors": "author"}[r.kind]
		if element == "" {
			continue
		}
		err := out.Try("the authors of comments", func() error {
			content, err := a.ReadIfAny(r.target)
			if err != nil {
				return err
			}
			found, err := readNames(content, element, "name")
			for id, name := range found {
				names[id] = name
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// readSlideComments reads the comments of a slide, of the older kind or threaded.
func readSlideComments(out *prose.Output, content []byte, authors map[string]string) error {
	var all []prose.Comment
	var texts []*strings.Builder // by the index of the comment
	var open []int               // indexes of the comment and the reply that are being read
	inText := false
	add := func(s string) {
		if len(open) > 0 {
			texts[open[len(open)-1]].WriteString(s)
		}
	}
	err := zipxml.Visit(content, zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			inText = e.Name == "text" || e.Name == "t"
			switch e.Name {
			case "cm", "reply":
				open = append(open, len(all))
				all = append(all, prose.Comment{Author: authors[e.Attr("authorId")], Reply: e.Name == "reply"})
				texts = append(texts, &strings.Builder{})
			case "parentCm":
				if len(open) > 0 {
					all[open[len(open)-1]].Reply = true
				}
			case "p", "br":
				add(" ")
			}
			return true
		},
		End: func(name string) {
			inText = false
			if name == "cm" || name == "reply" {
				open = open[:len(open)-1]
			}
		},
		Text: func(s string) {
			if inText {
				add(s)
			}
		},
	})
	for i := range all {
		all[i].Text = texts[i].String()
	}
	prose.WriteComments(out, all)
	return err
}
