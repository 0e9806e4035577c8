// Package rtf reads Rich Text documents.
package rtf

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
)

// Read reads the text of a Rich Text document.
func Read(out *prose.Output, file []byte) error {
	r := &reader{
		out:     out,
		in:      file,
		fonts:   make(map[int]*font),
		charset: charset.CodePage(charset.DefaultCodePage),
		lists:   listTables{numbering: prose.NewNumbering()},
	}
	out.Symbols = true
	r.groups = append(r.groups, groupState{skip: 1})
	for len(r.in) > 0 && !out.Full {
		r.next()
	}
	r.flush()
	r.notes.write(out)
	return nil
}

// maxGroups limits the depth of groups. Ordinary documents have a dozen.
const maxGroups = 1000

// groupState is the state within braces.
type groupState struct {
	font    *font // nil is one in the document's encoding
	skip    int   // number of fallback characters after \u
	hidden  bool
	raised  bool // a superscript
	unread  bool // a destination without text
	table   bool // the font table
	mark    bool // the label of a list item
	lists   bool // a table of lists
	level   bool // the text of a level of a list
	note    bool // a footnote or comment
	author  bool // the author of the next comment
	starred bool // the next word is a destination that may be ignored
	begun   bool // something of the group was read

	paragraph paragraphFormat
}

// paragraphFormat is the format of paragraphs.
type paragraphFormat struct {
	outline int  // level of a heading; 0 is none
	listed  bool // it is an item of a list
	list    int  // use of a list
	level   int  // level in the list
}

type reader struct {
	out     *prose.Output
	body    *prose.Output // the body's output while out is a note's; nil otherwise
	notes   noteReader
	in      []byte
	groups  []groupState
	deeper  int // groups beyond maxGroups
	charset encoding.Encoding
	fonts   map[int]*font
	font    int // the current font of the font table

	pending []byte // bytes that are not decoded yet
	high    rune   // the first half of a surrogate pair
	skip    int    // fallback characters that are still to be skipped after \u

	rowEnded bool // the last text was a table row

	begun bool            // the paragraph has text
	label strings.Builder // label of the paragraph as an item of a list
	lists listTables
}

func (r *reader) group() *groupState { return &r.groups[len(r.groups)-1] }

// next consumes one token of the input.
func (r *reader) next() {
	c := r.in[0]
	r.in = r.in[1:]
	switch c {
	case '{':
		r.open()
	case '}':
		r.close()
	case '\\':
		r.control()
	case '\r', '\n', 0:
	default:
		r.group().begun = true
		r.char(c)
	}
}

func (r *reader) open() {
	r.flush()
	r.skip = 0
	if len(r.groups) == maxGroups {
		r.deeper++
		return
	}
	group := *r.group()
	group.starred, group.begun = false, false
	r.group().begun = true
	r.groups = append(r.groups, group)
}

func (r *reader) close() {
	r.flush()
	r.skip = 0
	switch {
	case r.deeper > 0:
		r.deeper--
	case len(r.groups) > 1:
		closed := *r.group()
		r.groups = r.groups[:len(r.groups)-1]
		if closed.note && !r.group().note {
			r.endNote()
		}
		if closed.level && !r.group().level {
			r.lists.endText()
		}
	}
}

// char handles a byte of text.
func (r *reader) char(c byte) {
	switch {
	case r.skip > 0:
		r.skip--
	case r.group().table && !r.group().unread:
		r.fontNamed(c)
	case r.accepts():
		r.pending = append(r.pending, c)
	}
}

// accepts reports whether text is read: that of the document, of a label, or of an author.
func (r *reader) accepts() bool {
	group := r.group()
	return group.mark || group.level || group.author || !group.unread && !group.hidden && !group.table
}

// flush decodes the pending bytes.
func (r *reader) flush() {
	r.high = 0
	if len(r.pending) == 0 {
		return
	}
	if text, err := r.decode(r.pending); err == nil {
		r.write(text)
	}
	r.pending = r.pending[:0]
}

// control consumes a control word or symbol. Its backslash is consumed already.
func (r *reader) control() {
	if len(r.in) == 0 {
		return
	}
	if c := r.in[0]; !isLetter(c) {
		r.in = r.in[1:]
		r.symbol(c)
		return
	}
	name, number, given := r.word()
	r.group().begun = true
	if name == "u" {
		r.unicode(number)
		return
	}
	r.flush()
	if r.skip > 0 {
		r.skip--
		return
	}
	r.apply(name, number, given)
}

// word consumes the name of a control word and its optional number.
func (r *reader) word() (name string, number int, given bool) {
	n := 0
	for n < len(r.in) && isLetter(r.in[n]) {
		n++
	}
	name, r.in = string(r.in[:n]), r.in[n:]
	n = 0
	if len(r.in) > 0 && r.in[0] == '-' {
		n = 1
	}
	for n < len(r.in) && n < 12 && '0' <= r.in[n] && r.in[n] <= '9' {
		n++
	}
	number, err := strconv.Atoi(string(r.in[:n]))
	r.in = bytes.TrimPrefix(r.in[n:], []byte(" "))
	return name, number, err == nil
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// symbol handles a control symbol.
func (r *reader) symbol(c byte) {
	switch c {
	case '\'':
		r.hex()
	case '\\', '{', '}':
		r.char(c)
	case '*':
		r.group().starred = !r.group().begun // elsewhere it means nothing
	case '~':
		r.char(' ')
	case '_':
		r.char('-')
	case '\r', '\n':
		r.apply("par", 0, false)
	}
}

// hex consumes a byte, written as two hexadecimal digits.
func (r *reader) hex() {
	if len(r.in) < 2 {
		r.in = nil
		return
	}
	value, err := strconv.ParseUint(string(r.in[:2]), 16, 8)
	r.in = r.in[2:]
	if err == nil {
		r.char(byte(value))
	}
}

// unicode handles a \u character, which may be one half of a surrogate pair.
func (r *reader) unicode(number int) {
	high := r.high
	r.flush()
	r.skip = r.group().skip
	c := rune(number & 0xFFFF)
	switch {
	case !r.accepts():
	case !utf16.IsSurrogate(c):
		r.write(charset.Symbols(r.group().font.nameOf(), string(c)))
	case high == 0:
		r.high = c
	default:
		if whole := utf16.DecodeRune(high, c); whole != utf8.RuneError {
			r.write(string(whole))
		}
	}
}

// write adds text. The first text after a table starts a paragraph.
func (r *reader) write(text string) {
	switch {
	case r.group().mark:
		writeLabel(&r.label, text)
		return
	case r.group().level:
		writeLabel(&r.lists.text, text)
		return
	case r.group().author:
		writeLabel(&r.notes.author, text)
		return
	}
	r.begin()
	if r.rowEnded && r.out.Cells == 0 {
		r.out.Paragraph()
		r.rowEnded = false
	}
	if r.group().raised {
		text = prose.Superscript(text)
	}
	r.out.Write(text)
}
