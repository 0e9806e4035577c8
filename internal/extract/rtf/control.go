package rtf

import (
	"golang.org/x/text/encoding/charmap"

	"parley/internal/extract/charset"
)

// unreadGroups are the destinations without text of the document.
var unreadGroups = map[string]bool{
	"colortbl": true, "stylesheet": true, "info": true, "pict": true, "object": true, "listtable": true,
	"listoverridetable": true, "revtbl": true, "rsidtbl": true, "generator": true, "themedata": true,
	"colorschememapping": true, "datastore": true, "latentstyles": true, "xmlnstbl": true, "filetbl": true,
	"fldinst": true, "pntext": true, "pn": true, "listtext": true, "bkmkstart": true, "bkmkend": true,
	"atnid": true, "atnauthor": true, "sp": true, "shppict": true, "nonshppict": true,
	"falt": true, "panose": true, "private": true, "template": true, "userprops": true, "wgrffmtfilter": true,
	"mmathPr": true, "fontemb": true, "objdata": true,
}

// readStarred are the optional destinations that hold text.
var readStarred = map[string]bool{"shpinst": true, "shptxt": true, "footnote": true, "annotation": true}

// characters are the characters that are written as control words.
var characters = map[string]string{
	"emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
	"emspace": " ", "enspace": " ", "qmspace": " ",
}

// apply executes a control word.
func (r *reader) apply(name string, number int, given bool) {
	group := r.group()
	starred := group.starred
	group.starred = false
	if r.deeper > 0 {
		return
	}
	if starred && !readStarred[name] || unreadGroups[name] {
		r.destination(name)
		return
	}
	switch name {
	case "fonttbl":
		group.table = true
	case "f", "deff":
		r.setFont(name, number)
	case "fcharset":
		if group.table {
			r.newFont().setCharset(number)
		}
	case "ansicpg":
		r.charset = charset.CodePage(number)
	case "mac":
		r.charset = charmap.Macintosh
	case "pc":
		r.charset = charmap.CodePage437
	case "uc":
		group.skip = min(max(number, 0), 8)
	case "bin":
		r.in = r.in[min(len(r.in), max(number, 0)):]
	case "v", "deleted":
		group.hidden = !given || number != 0
	case "super":
		group.raised = !given || number != 0
	case "sub", "nosupersub":
		group.raised = false
	case "plain":
		group.hidden, group.raised, group.font = false, false, nil
	case "leveltext":
		group.level = group.lists
	default:
		switch {
		case group.lists:
			r.lists.apply(name, number)
		case !group.unread && r.format(name, number):
		case r.accepts():
			r.layout(name)
		}
	}
}

// format executes a control word for the format of a paragraph. It reports whether it is one.
func (r *reader) format(name string, number int) bool {
	paragraph := &r.group().paragraph
	switch name {
	case "pard":
		*paragraph = paragraphFormat{}
		return false // it ends a table too
	case "ls":
		paragraph.list, paragraph.listed = number, true
	case "ilvl":
		paragraph.level = number
	case "outlinelevel":
		paragraph.outline = number + 1
	default:
		return false
	}
	return true
}

// destination skips a group without text.
func (r *reader) destination(name string) {
	group := r.group()
	group.mark = !group.unread && (name == "listtext" || name == "pntext")
	group.lists = !group.unread && (name == "listtable" || name == "listoverridetable")
	group.unread, group.level = true, false
	switch {
	case group.mark:
		r.label.Reset()
	case name == "atnauthor":
		group.author = true
		r.notes.author.Reset()
	case name == "atnparent":
		r.notes.isReply = true
	}
}

func (r *reader) setFont(name string, number int) {
	group := r.group()
	switch {
	case name == "deff":
	case group.table:
		r.font = number
		r.newFont()
	default:
		group.font = r.fonts[number]
	}
}

// layout executes a control word for lines, rows and cells.
func (r *reader) layout(name string) {
	if text, ok := characters[name]; ok {
		r.write(text)
		return
	}
	if r.group().mark {
		return
	}
	switch name {
	case "par", "cell", "nestcell":
		r.endItem()
	}
	switch name {
	case "par", "sect", "page", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf":
		r.endParagraph()
		r.out.Paragraph()
		if r.body == nil {
			r.notes.write(r.out)
		}
	case "footnote", "annotation":
		r.beginNote(name)
	case "line":
		r.out.Line()
	case "tab":
		r.out.Tab()
	case "pard":
		r.out.Cells = 0
	case "intbl":
		r.out.Cells, r.rowEnded = 1, false
	case "cell", "nestcell":
		r.endParagraph()
		r.out.NextCell()
	case "row", "nestrow":
		r.out.Cells, r.rowEnded = 0, true
		r.out.Line()
	}
}
