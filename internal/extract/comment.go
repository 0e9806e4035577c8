package extract

import "strings"

// comment is what a reader of a document wrote beside it.
type comment struct {
	place  string // a cell or a few words that it is about; may be ""
	author string // may be ""
	text   string
	reply  bool // to the comment before it
}

// String returns a comment as a line, such as "Comment on B2 by Ada: Too high."
func (c comment) String() string {
	var b strings.Builder
	b.WriteString("Comment")
	if c.reply {
		b.Reset()
		b.WriteString("Reply")
	}
	if c.place != "" {
		b.WriteString(" on " + c.place)
	}
	if author := strings.TrimSpace(c.author); author != "" {
		b.WriteString(" by " + author)
	}
	return b.String() + ": " + c.text
}

// writeComments writes comments as a paragraph with a line for each.
func writeComments(out *output, comments []comment) {
	out.paragraph()
	for _, c := range comments {
		if c.text = strings.Join(strings.Fields(c.text), " "); c.text != "" {
			out.write(c.String())
			out.line()
		}
	}
	out.paragraph()
}

// readNames returns the names of authors by their ids, from the elements of this name.
func readNames(content []byte, name, attr string) (map[string]string, error) {
	names := make(map[string]string)
	err := visit(content, visitor{start: func(e element) bool {
		if e.name == name {
			names[e.attr("id")] = e.attr(attr)
		}
		return true
	}})
	return names, err
}
