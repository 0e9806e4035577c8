package extract

import "strings"

// readAuthors returns the names of the authors of a presentation's comments.
func readAuthors(out *output, a *archive, relations map[string]relation) (map[string]string, error) {
	names := make(map[string]string)
	for _, r := range relations {
		element := map[string]string{"commentAuthors": "cmAuthor", "authors": "author"}[r.kind]
		if element == "" {
			continue
		}
		err := out.try("the authors of comments", func() error {
			content, err := a.readIfAny(r.target)
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
func readSlideComments(out *output, content []byte, authors map[string]string) error {
	var all []comment
	var texts []*strings.Builder // by the index of the comment
	var open []int               // indexes of the comment and the reply that are being read
	inText := false
	add := func(s string) {
		if len(open) > 0 {
			texts[open[len(open)-1]].WriteString(s)
		}
	}
	err := visit(content, visitor{
		start: func(e element) bool {
			inText = e.name == "text" || e.name == "t"
			switch e.name {
			case "cm", "reply":
				open = append(open, len(all))
				all = append(all, comment{author: authors[e.attr("authorId")], reply: e.name == "reply"})
				texts = append(texts, &strings.Builder{})
			case "parentCm":
				if len(open) > 0 {
					all[open[len(open)-1]].reply = true
				}
			case "p", "br":
				add(" ")
			}
			return true
		},
		end: func(name string) {
			inText = false
			if name == "cm" || name == "reply" {
				open = open[:len(open)-1]
			}
		},
		text: func(s string) {
			if inText {
				add(s)
			}
		},
	})
	for i := range all {
		all[i].text = texts[i].String()
	}
	writeComments(out, all)
	return err
}
