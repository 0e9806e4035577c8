package ooxml

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// readComments reads the comments of a sheet. A thread has an older comment too, which only
// says that there is a thread.
func (w *workbook) readComments(out *prose.Output, sheet worksheet, relations map[string]relation) error {
	for _, id := range slices.Sorted(maps.Keys(relations)) {
		r := relations[id]
		if r.kind != "comments" && r.kind != "threadedComment" || w.drawings.seen[r.target] {
			continue
		}
		w.drawings.seen[r.target] = true
		err := out.Try("the comments of sheet "+sheet.name, func() error {
			content, err := w.archive.ReadIfAny(r.target)
			if err != nil {
				return err
			}
			comments, err := readCellComments(content, w.people)
			prose.WriteComments(out, comments)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readPeople reads the names of those who wrote threads of comments.
func (w *workbook) readPeople(out *prose.Output) error {
	for _, r := range w.relations {
		if r.kind != "person" {
			continue
		}
		err := out.Try("the authors of comments", func() error {
			content, err := w.archive.ReadIfAny(r.target)
			if err != nil {
				return err
			}
			w.people, err = readNames(content, "person", "displayName")
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readCellComments reads a part with comments, of the older kind or threaded.
func readCellComments(content []byte, people map[string]string) ([]prose.Comment, error) {
	var all []prose.Comment
	var authors []string
	within := ""
	var text strings.Builder
	err := zipxml.Visit(content, zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			within = e.Name
			switch e.Name {
			case "rPh": // how the text is pronounced
				return false
			case "author":
				text.Reset()
			case "comment":
				i, _ := strconv.Atoi(e.Attr("authorId"))
				one := prose.Comment{Place: e.Attr("ref")}
				if 0 <= i && i < len(authors) {
					one.Author = authors[i]
				}
				all = append(all, one)
				text.Reset()
			case "threadedComment":
				author := people[e.Attr("personId")]
				all = append(all, prose.Comment{Place: e.Attr("ref"), Author: author, Reply: e.Attr("parentId") != ""})
				text.Reset()
			}
			return true
		},
		End: func(name string) {
			within = ""
			switch name {
			case "author":
				authors = append(authors, text.String())
			case "comment", "threadedComment":
				all[len(all)-1].Text = text.String()
			}
		},
		Text: func(s string) {
			switch within {
			case "author", "t", "text":
				text.WriteString(s)
			}
		},
	})
	return slices.DeleteFunc(all, func(c prose.Comment) bool { return strings.HasPrefix(c.Author, "tc=") }), err
}
