package prose

import "strings"

// Comment is what a reader of a document wrote beside it.
type Comment struct {
	Place  string // a cell or a few words that it is about; may be ""
	Author string // may be ""
	Text   string
	Reply  bool // to the comment before it
}

// String returns a comment as a line, such as "Comment on B2 by Ada: Too high."
func (c Comment) String() string {
	var b strings.Builder
	b.WriteString("Comment")
	if c.Reply {
		b.Reset()
		b.WriteString("Reply")
	}
	if c.Place != "" {
		b.WriteString(" on " + c.Place)
	}
	if author := strings.TrimSpace(c.Author); author != "" {
		b.WriteString(" by " + author)
	}
	return b.String() + ": " + c.Text
}

// WriteComments writes comments as a paragraph with a line for each.
func WriteComments(out *Output, comments []Comment) {
	out.Paragraph()
	for _, c := range comments {
		if c.Text = strings.Join(strings.Fields(c.Text), " "); c.Text != "" {
			out.Write(c.String())
			out.Line()
		}
	}
	out.Paragraph()
}
