// Package odf reads OpenDocument files: ODT, ODS and ODP.
package odf

import (
	"cmp"
	"strconv"
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// The media types of OpenDocument files.
const (
	ODT = "application/vnd.oasis.opendocument.text"
	ODS = "application/vnd.oasis.opendocument.spreadsheet"
	ODP = "application/vnd.oasis.opendocument.presentation"
)

// ReadODT reads an OpenDocument text: its headers, its body, with notes and comments after the
// paragraphs that refer to them, and its footers.
func ReadODT(out *prose.Output, a *zipxml.Archive) error {
	out.Symbols = true
	content, err := readContent(a)
	if err != nil {
		return err
	}
	styles, err := a.ReadIfAny("styles.xml")
	if err != nil {
		return err
	}
	return readTextBody(out, styles, content, newObjectReader(a))
}

// readTextBody reads a text of which the parts are known.
func readTextBody(out *prose.Output, styles, content []byte, objects *objectReader) error {
	if err := readEdges(out, styles, "header"); err != nil {
		return err
	}
	lists, err := readLists(styles, content)
	if err != nil {
		return err
	}
	r := &bodyReader{out: out, lists: lists, objects: objects}
	if err := cmp.Or(zipxml.Visit(content, inBody(r.visitor())), r.failed); err != nil {
		return err
	}
	return readEdges(out, styles, "footer")
}

// Manifest is the part that lists the others.
const Manifest = "META-INF/manifest.xml"

// readContent returns the content of an OpenDocument file, or prose.ErrEncrypted.
func readContent(a *zipxml.Archive) ([]byte, error) {
	encrypted, err := isEncrypted(a)
	if err != nil {
		return nil, err
	}
	if encrypted {
		return nil, prose.ErrEncrypted
	}
	return a.Read("content.xml")
}

// isEncrypted reports whether a document has a password.
func isEncrypted(a *zipxml.Archive) (bool, error) {
	manifest, err := a.ReadIfAny(Manifest)
	if err != nil {
		return false, err
	}
	encrypted := false
	err = zipxml.Visit(manifest, zipxml.Visitor{Start: func(e zipxml.Element) bool {
		encrypted = encrypted || e.Name == "encryption-data"
		return true
	}})
	return encrypted, err
}

// readEdges reads the headers or footers of all page styles.
func readEdges(out *prose.Output, styles []byte, kind string) error {
	r := &bodyReader{out: out}
	body := r.visitor()
	inside := 0
	return zipxml.Visit(styles, zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			if strings.HasPrefix(e.Name, kind) && e.Name != kind+"-style" {
				inside++
			}
			return inside == 0 || body.Start(e)
		},
		End: func(name string) {
			if inside > 0 {
				body.End(name)
			}
			if strings.HasPrefix(name, kind) && name != kind+"-style" {
				inside--
			}
		},
		Text: func(s string) {
			if inside > 0 {
				body.Text(s)
			}
		},
	})
}

type bodyReader struct {
	out       *prose.Output
	footnotes prose.Footnotes
	lists     *listReader // nil if lists have no numbers
	comments  commentReader
	later     bool          // comments are written by somebody else
	objects   *objectReader // nil if objects are not read here
	failed    error         // of an object
	raised    raisedSpans

	depth int           // depth of paragraphs and headings
	bare  bool          // within a list item, before its first paragraph
	title bool          // within the title of a slide, before its first paragraph
	cell  int           // index of the cell in its row
	row   []int         // cell indexes of the enclosing rows
	body  *prose.Output // the body's output while out is a note's; nil otherwise
}

func (o *bodyReader) visitor() zipxml.Visitor {
	return zipxml.Visitor{
		Start: o.start,
		End:   o.end,
		Text: func(s string) {
			switch {
			case o.comments.open != nil:
				o.comments.write(s)
			case o.depth > 0:
				o.out.Write(o.raised.text(s))
			}
		},
	}
}

// start handles the start of an element. It skips deleted text.
func (o *bodyReader) start(e zipxml.Element) bool {
	if o.comments.open != nil {
		return o.comments.start(e)
	}
	o.raised.start(e)
	switch e.Name {
	case "annotation":
		o.comments.begin(e)
	case "tracked-changes", "note-citation", "page-number", "page-count", "desc", "title", "binary-data":
		return false
	case "h":
		level, _ := strconv.Atoi(e.Attr("outline-level"))
		o.out.Heading(level)
		o.labelHeading(e)
		o.depth++
	case "p":
		o.begin()
	case "list":
		if o.lists != nil {
			o.lists.enter(e)
		}
	case "list-item":
		o.bare = true
		if o.lists != nil {
			o.lists.item(e)
		}
	case "object":
		o.failed = cmp.Or(o.failed, o.objects.read(o.out, e.Attr("href")))
	case "s":
		o.out.Write(" ")
	case "tab":
		o.out.Tab()
	case "line-break":
		o.out.Line()
	case "note":
		if o.body == nil {
			o.body, o.out = o.out, &prose.Output{Limit: o.out.Limit}
		}
	case "table-row":
		o.row = append(o.row, o.cell)
		o.cell = 0
		o.out.Line()
	case "table-cell", "covered-table-cell":
		o.out.EnterCell(o.cell == 0)
		o.cell++
	}
	return true
}

// begin starts a paragraph. The first paragraph of a list item gets its mark, and that of
// a slide's title is a heading.
func (o *bodyReader) begin() {
	o.depth++
	o.out.Paragraph()
	switch {
	case o.title:
		o.out.Heading(1)
	case o.bare && o.lists == nil:
		o.out.Item()
	case o.bare && o.lists.label != "":
		o.out.Numbered(o.lists.level, o.lists.label)
	}
	o.title, o.bare = false, false
}

// labelHeading writes the number of a heading: that of its list item, or of the outline.
func (o *bodyReader) labelHeading(e zipxml.Element) {
	if o.lists == nil {
		return
	}
	label := ""
	switch {
	case o.bare:
		label, o.bare = o.lists.label, false
	case len(o.lists.open) == 0:
		label = o.lists.heading(e)
	}
	if label != "" {
		o.out.HeadingLabel(label)
	}
}

func (o *bodyReader) end(name string) {
	if o.comments.open != nil {
		o.comments.end(name)
		return
	}
	o.raised.end(name)
	switch name {
	case "h", "p":
		o.depth--
		o.out.Paragraph()
		if o.depth == 0 {
			o.writeAside()
		}
	case "list":
		if o.lists != nil {
			o.lists.leave()
		}
	case "note":
		if o.body != nil {
			note := strings.Join(strings.Fields(o.out.String()), " ")
			o.out, o.body = o.body, nil
			o.footnotes.Refer(o.out, note)
		}
	case "table-cell", "covered-table-cell":
		o.out.LeaveCell()
	case "table-row":
		o.out.Line()
		if n := len(o.row); n > 0 {
			o.cell, o.row = o.row[n-1], o.row[:n-1]
		}
	case "table":
		o.out.Paragraph()
		o.writeAside()
	}
}

// writeAside writes the notes and comments of the paragraph or table that has ended.
func (o *bodyReader) writeAside() {
	o.footnotes.Write(o.out)
	if o.body == nil && !o.later {
		o.comments.flush(o.out)
	}
}
