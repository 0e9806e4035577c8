package export

import (
	"regexp"
	"strings"

	"parley/internal/markdown"
)

// section returns a text as it can stand below the heading of its message: as it is, but no heading in it is as high as
// that of a message, no code goes on after its end, and HTML outside of code is escaped. A text of which readers could
// differ about where its code ends is a block quote.
func section(text string) string {
	s := sectioner{}
	for line := range strings.SplitSeq(strings.TrimRight(lineFeeds(text), "\n"), "\n") {
		if !s.add(line) {
			return blockQuote(text)
		}
	}
	if s.fence != "" {
		if s.indent > 0 {
			return blockQuote(text)
		}
		s.lines = append(s.lines, s.fence)
	}
	return strings.Join(s.lines, "\n") + "\n"
}

var (
	heading   = regexp.MustCompile(`^ {0,3}#{1,6}(?:[ \t]|$)`)
	underline = regexp.MustCompile(`^ {0,3}(?:=+|-+)[ \t]*$`)
	// fencedItem matches an item of a list that begins with code. Where that ends depends on the width of its mark.
	fencedItem = regexp.MustCompile("^[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)+(?:`{3}|~{3})")
)

// sectioner takes the lines of a section.
type sectioner struct {
	lines  []string
	quoter quoter
	fence  string // that of the open code block; empty outside of blocks
	indent int    // of that fence
}

// add takes a line. It reports false if readers could differ about where code ends.
func (s *sectioner) add(line string) bool {
	text := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(text)]
	mark, rest := markdown.Fence(text)
	if s.fence != "" {
		return s.addCode(line, indent, mark, rest)
	}
	isFence := mark != "" && (mark[0] == '~' || !strings.Contains(rest, "`"))
	switch {
	case isFence && strings.Contains(indent, "\t"), fencedItem.MatchString(line),
		strings.HasSuffix(strings.TrimSpace(text), "]:"): // some take the address of a link from the next line
		return false
	case isFence:
		s.fence, s.indent, s.quoter.unpaired = mark, len(indent), false
	case text == "":
		s.quoter.unpaired = false
		line = ""
	case heading.MatchString(line):
		before, after, _ := strings.Cut(line, "#")
		level := 3 + len(after) - len(strings.TrimLeft(after, "#"))
		line = before + strings.Repeat("#", min(level, 6)) + s.quoter.escapeText(strings.TrimLeft(after, "#"))
	case underline.MatchString(line) && len(s.lines) > 0 && s.lines[len(s.lines)-1] != "":
		if text[0] == '=' {
			line = `\` + text
		} else {
			s.lines = append(s.lines, "") // it is a line between paragraphs now
		}
	default:
		line = strings.ReplaceAll(indent, "\t", "    ") + s.quoter.escapeText(text)
	}
	s.lines = append(s.lines, line)
	return true
}

// addCode takes a line of a code block. All of a block that is in a list has to be indented as its fences: then it ends
// where it ends, whatever list it is in.
func (s *sectioner) addCode(line, indent, mark, rest string) bool {
	isFence := strings.HasPrefix(mark, s.fence) && strings.TrimSpace(rest) == ""
	isBlank := len(indent) == len(line)
	switch {
	case isFence && strings.Contains(indent, "\t"),
		!isBlank && len(indent) < s.indent,
		isFence && s.indent > 0 && len(indent) != s.indent:
		return false
	case isFence && (s.indent > 0 || len(indent) < 4):
		s.fence = ""
	case s.indent > 3: // it may be the text of a paragraph
		line = escapeHTML(line)
	}
	s.lines = append(s.lines, line)
	return true
}
