package export

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"parley"
	"parley/internal/markdown"
)

// Markdown returns a session as a Markdown document.
func Markdown(session parley.Export) Document {
	return Document{
		Name: fileName(session.Title, ".md"), Type: "text/markdown; charset=utf-8",
		Begin: markdownTitle(session.Title), Message: markdownMessage,
	}
}

// markdownTitle returns the heading of a session's Markdown document.
func markdownTitle(title string) string {
	return "# " + escapeHTML(oneLine(title)) + "\n"
}

// markdownMessage returns a message as a section of a Markdown document. Only the headings of messages are of the
// second level.
func markdownMessage(m parley.Message) string {
	who := "User"
	if m.Role == parley.RoleAssistant {
		who = "Assistant"
		if m.Model != "" {
			who += " · " + escapeHTML(oneLine(m.Model))
		}
	}
	var b strings.Builder
	sent := time.Unix(m.Timestamp, 0).UTC().Format("2006-01-02 15:04 MST")
	fmt.Fprintf(&b, "\n---\n\n## %s · %s\n\n%s", who, sent, section(m.Content))
	if len(m.Images) > 0 {
		fmt.Fprintf(&b, "\n*%s*\n", notIncluded(len(m.Images)))
	}
	for n, source := range m.Sources {
		address := strings.NewReplacer("<", "%3C", ">", "%3E", " ", "%20").Replace(oneLine(source.URL))
		fmt.Fprintf(&b, "\n\\[%d\\] %s <%s>\n", n+1, escapeHTML(oneLine(source.Title)), address)
	}
	return b.String()
}

// lineFeeds returns a text with line feeds for all its line ends.
func lineFeeds(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// blockQuote returns a text as a Markdown block quote: nothing in it can continue after its end. HTML outside of code
// is escaped, since it could hide what follows.
func blockQuote(text string) string {
	var b strings.Builder
	q := quoter{}
	for line := range strings.SplitSeq(strings.TrimRight(lineFeeds(text), "\n"), "\n") {
		if line = q.line(line); line != "" {
			line = " " + line
		}
		b.WriteString(">" + line + "\n")
	}
	return b.String()
}

// quoter escapes HTML line by line. It leaves code as it is only where every Markdown reader sees code.
type quoter struct {
	block markdown.CodeBlock
	// unsure is set by an ambiguous line. From then on everything is escaped.
	unsure bool
	// unpaired is set by a backtick that has no partner in its line, until the paragraph ends.
	unpaired bool
}

func (q *quoter) line(line string) string {
	text := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(text)]
	if q.unsure = q.unsure || q.ambiguous(indent, text); q.unsure {
		return escapeHTML(line)
	}
	if fence := q.block.IsFence(line); fence || q.block.Open() {
		q.unpaired = false
		return line
	}
	if text == "" {
		q.unpaired = false
		return ""
	}
	return strings.ReplaceAll(indent, "\t", "    ") + q.escapeText(text)
}

// ambiguous reports whether a line can make readers differ about where code begins or ends: a fence that may be in a
// list, and the address of a link definition, which some take from the next line.
func (q *quoter) ambiguous(indent, text string) bool {
	mark, _ := markdown.Fence(text)
	if q.block.Open() {
		return mark != "" && strings.Contains(indent, "\t")
	}
	inList := indent != "" && (len(indent) < 4 || strings.Contains(indent, "\t"))
	return mark != "" && inList || strings.HasSuffix(strings.TrimSpace(text), "]:")
}

// escapeText escapes a line except its code spans. It trusts them only if all backticks of the line have a partner, and
// not in the row of a table, since a span does not go beyond its cell.
func (q *quoter) escapeText(text string) string {
	spans := codeSpans(text)
	if q.unpaired = q.unpaired || spans == nil; q.unpaired || strings.Contains(text, "|") {
		return escapeHTML(text)
	}
	var b strings.Builder
	for i, part := range spans {
		if i%2 == 0 {
			part = escapeHTML(part)
		}
		b.WriteString(part)
	}
	return b.String()
}

var (
	backticks = regexp.MustCompile("`+")
	// notCode matches a text after which a backtick need not begin code.
	notCode = regexp.MustCompile(`(?i)(\\|(//|www\.)\S*)$`)
)

// codeSpans splits a line into text and code, in turns. It returns nil if a backtick has no partner, is escaped, or may
// be a part of an address.
func codeSpans(line string) []string {
	var parts []string
	for {
		at := backticks.FindStringIndex(line)
		if at == nil {
			return append(parts, line)
		}
		if notCode.MatchString(line[:at[0]]) {
			return nil
		}
		end := at[1]
		for mark := line[at[0]:at[1]]; ; {
			next := backticks.FindStringIndex(line[end:])
			if next == nil {
				return nil
			}
			found := line[end+next[0] : end+next[1]]
			if end += next[1]; found == mark {
				break
			}
		}
		parts = append(parts, line[:at[0]], line[at[0]:end])
		line = line[end:]
	}
}

// htmlStart matches what can begin HTML in Markdown: a tag, a comment, a declaration or an instruction.
var htmlStart = regexp.MustCompile(`<([A-Za-z][A-Za-z0-9-]*([\s/>]|$)|/[A-Za-z]|[!?])`)

// escapeHTML writes &lt; in place of each < that can begin HTML. A backslash would not do: at the end of an address it
// is a part of the address.
func escapeHTML(text string) string {
	var b strings.Builder
	for {
		at := htmlStart.FindStringIndex(text)
		if at == nil {
			return b.String() + text
		}
		before := text[:at[0]]
		if slashes := len(before) - len(strings.TrimRight(before, `\`)); slashes%2 == 1 {
			before = strings.TrimSuffix(before, `\`) // it would escape the &
		}
		b.WriteString(before + "&lt;")
		text = text[at[0]+1:]
	}
}
