package ooxml

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// ReadDOCX reads a Word document: its headers, its body, with footnotes and comments
// after the paragraphs that refer to them, and its footers.
func ReadDOCX(out *prose.Output, a *zipxml.Archive) error {
	_, main, err := MainPart(a)
	if err != nil {
		return err
	}
	relations, err := relationsOf(a, main)
	if err != nil {
		return err
	}
	out.Symbols = true
	w := &wordReader{
		out: out, archive: a, relations: relations, drawings: newDrawings(a),
		parts: make(map[string][]string), notes: make(map[string]string),
	}
	for _, id := range slices.Sorted(maps.Keys(relations)) {
		r := relations[id]
		w.parts[r.kind] = append(w.parts[r.kind], r.target)
	}
	if err := w.readReferences(); err != nil {
		return err
	}
	if err := w.edges("header"); err != nil {
		return err
	}
	if err := w.part(main); err != nil {
		return err
	}
	return w.edges("footer")
}

type wordReader struct {
	out       *prose.Output
	archive   *zipxml.Archive
	relations map[string]relation
	drawings  *drawings           // nil outside the body
	parts     map[string][]string // names of parts, by kind
	styles    wordStyles
	numbering *prose.Numbering
	notes     map[string]string // footnotes and endnotes, by kind and id

	footnotes prose.Footnotes
	comments  wordComments
	paragraph wordParagraph
	row       wordRow
	rows      []wordRow // the enclosing ones
	hidden    bool      // the run is hidden
	font      string    // of the run, if it names one
	raised    bool      // the run is a superscript
	props     bool      // within the properties of a paragraph
	failed    error     // of a drawing
}

// wordRow is the place in a row of a table.
type wordRow struct {
	cell    int // the index of the next cell
	skipped int // columns without a cell since the last one
}

// wordParagraph is what the properties of a paragraph say.
type wordParagraph struct {
	style string
	list  string // the use of a list; "" is that of the style, "0" is none
	level int    // the level in the list; -1 is not given
}

// readReferences reads what the body refers to: styles, lists, notes and comments.
func (w *wordReader) readReferences() error {
	if err := w.each("styles", "the styles", w.readStyles); err != nil {
		return err
	}
	if err := w.each("numbering", "the numbers of lists", w.readNumbering); err != nil {
		return err
	}
	if w.numbering != nil {
		link(w.numbering, w.styles)
	}
	for _, kind := range []string{"footnote", "endnote"} {
		err := w.each(kind+"s", "the "+kind+"s", func(content []byte) error { return w.readNotes(kind, content) })
		if err != nil {
			return err
		}
	}
	if err := w.each("commentsExtended", "the threads of comments", w.comments.readReplies); err != nil {
		return err
	}
	return w.each("comments", "the comments", func(content []byte) error {
		return w.comments.read(content, w.out.Limit)
	})
}

// each reads the parts of a kind, if there are any. Broken ones are noted by name.
func (w *wordReader) each(kind, name string, read func(content []byte) error) error {
	for _, part := range w.parts[kind] {
		err := w.out.Try(name, func() error {
			content, err := w.archive.ReadIfAny(part)
			if err != nil {
				return err
			}
			return read(content)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *wordReader) readStyles(content []byte) (err error) {
	w.styles, err = readWordStyles(content)
	return err
}

func (w *wordReader) readNumbering(content []byte) (err error) {
	w.numbering, err = readNumbering(content)
	return err
}

func (w *wordReader) readNotes(kind string, content []byte) error {
	body := &prose.Output{Limit: w.out.Limit}
	inner := &wordReader{out: body}
	id := ""
	v := inner.visitor()
	return zipxml.Visit(content, zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			if e.Name != kind {
				return v.Start(e)
			}
			id = e.Attr("id")
			return e.Attr("type") == "" // other types are separator lines
		},
		End: func(name string) {
			if name != kind {
				v.End(name)
				return
			}
			w.notes[kind+id] = strings.Join(strings.Fields(body.String()), " ")
			*body = prose.Output{Limit: w.out.Limit}
		},
		Text: v.Text,
	})
}

// edges reads the headers or footers. It skips repeated ones.
func (w *wordReader) edges(kind string) error {
	seen := make(map[string]bool)
	slices.Sort(w.parts[kind])
	return w.each(kind, "a "+kind, func(content []byte) error {
		edge := &prose.Output{Limit: w.out.Limit}
		err := zipxml.Visit(content, (&wordReader{out: edge}).visitor())
		if text := edge.String(); !seen[text] {
			seen[text] = true
			w.out.Paragraph()
			w.out.Verbatim(text)
		}
		return err
	})
}

func (w *wordReader) part(name string) error {
	content, err := w.archive.Read(name)
	if err != nil {
		return err
	}
	err = zipxml.Visit(content, w.visitor())
	return cmp.Or(w.failed, err)
}

func (w *wordReader) visitor() zipxml.Visitor {
	inText := false
	return withMath(zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			inText = e.Name == "t"
			return w.start(e)
		},
		End: func(name string) {
			inText = false
			w.end(name)
		},
		Text: func(s string) {
			if inText && !w.hidden {
				w.write(charset.Symbols(w.font, s))
			}
		},
	})
}

// describe writes the text that stands for a picture.
func (w *wordReader) describe(text string) {
	if text != "" && !w.hidden {
		w.out.Write(" " + text + " ")
	}
}

// write adds text of a run.
func (w *wordReader) write(text string) {
	if w.raised {
		text = prose.Superscript(text)
	}
	w.out.Write(text)
}

// start handles the start of an element. It skips deleted text, and the fallback copy of
// a drawing.
func (w *wordReader) start(e zipxml.Element) bool {
	switch e.Name {
	case "Fallback", "moveFrom", "del", "instrText", "sectPr", "pPrChange":
		return false
	case "p":
		w.out.Paragraph()
		w.paragraph = wordParagraph{level: -1}
	case "pStyle":
		w.paragraph.style = e.Attr("val")
	case "numId":
		w.paragraph.list = e.Attr("val")
	case "ilvl":
		w.paragraph.level, _ = strconv.Atoi(e.Attr("val"))
	case "r":
		w.hidden, w.font, w.raised = false, "", false
	case "rFonts":
		if !w.props {
			w.font = e.Attr("ascii")
		}
	case "vertAlign":
		w.raised = !w.props && e.Attr("val") == "superscript"
	case "sym":
		if code, err := strconv.ParseUint(e.Attr("char"), 16, 16); err == nil && !w.hidden {
			w.out.Write(string(charset.Symbol(e.Attr("font"), byte(code))))
		}
	case "pPr":
		w.props = true
	case "vanish":
		w.hidden = !w.props && e.Attr("val") != "0" && e.Attr("val") != "false"
	case "tab":
		if !w.props {
			w.out.Tab()
		}
	case "br", "cr":
		w.out.Line()
	case "docPr":
		w.describe(e.Attr("descr"))
	case "rt": // how the text is pronounced
		return false
	case "chart", "relIds":
		w.failed = cmp.Or(w.failed, w.drawings.read(w.out, e, w.relations))
	case "noBreakHyphen":
		w.out.Write("-")
	case "footnoteReference", "endnoteReference":
		w.footnotes.Refer(w.out, w.notes[strings.TrimSuffix(e.Name, "Reference")+e.Attr("id")])
	case "commentRangeStart":
		w.comments.begin(w.out, e.Attr("id"))
	case "commentReference":
		w.comments.refer(w.out, e.Attr("id"))
	case "tr":
		w.rows = append(w.rows, w.row)
		w.row = wordRow{}
		w.out.Line()
	case "gridBefore", "gridSpan":
		columns, _ := strconv.Atoi(e.Attr("val"))
		if e.Name == "gridSpan" {
			columns-- // the cell itself
		}
		w.row.skipped = columns
	case "tc":
		w.out.EnterCell(w.row.cell == 0)
		w.out.SkipCells(w.row.skipped)
		w.row.cell++
		w.row.skipped = 0
	}
	return true
}

// begin starts the text of a paragraph: a heading, an item of a list, or neither.
func (w *wordReader) begin() {
	p := w.paragraph
	heading := w.styles[p.style].heading
	if heading > 0 {
		w.out.Heading(heading)
	}
	list, level, owner := w.styles.list(p.style)
	if p.list != "" {
		list, owner = p.list, p.style
	}
	if p.level >= 0 {
		level = p.level
	}
	if list == "" || list == "0" {
		return
	}
	label := prose.Bullet
	if w.numbering != nil {
		if level < 0 {
			level = w.numbering.LevelOf(list, owner)
		}
		label = w.numbering.Next(list, level)
	}
	switch {
	case label == "":
	case heading > 0:
		w.out.HeadingLabel(label)
	default:
		w.out.Numbered(level, label)
	}
}

func (w *wordReader) end(name string) {
	switch name {
	case "pPr":
		w.props = false
		w.begin()
	case "p":
		w.out.Paragraph()
		w.footnotes.Write(w.out)
		w.comments.write(w.out)
	case "tc":
		w.out.LeaveCell()
	case "tr":
		w.out.Line()
		if n := len(w.rows); n > 0 {
			w.row, w.rows = w.rows[n-1], w.rows[:n-1]
		}
	case "tbl":
		w.out.Paragraph()
		w.footnotes.Write(w.out)
		w.comments.write(w.out)
	}
}
