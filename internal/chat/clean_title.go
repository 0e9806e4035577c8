package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxModelTitle is the length limit of a title that a model makes, in characters. A line of more than twice as
	// much is not a title.
	maxModelTitle = 60
	thinkClose    = "</think>"
)

// cleanTitle returns the title in a model's reply: its first line, without markup, quotation marks and a period at the
// end. It returns "" if the reply has no title.
func cleanTitle(reply string) string {
	if end := strings.LastIndex(reply, thinkClose); end >= 0 {
		reply = reply[end+len(thinkClose):]
	}
	title := ""
	for line := range strings.Lines(strings.ToValidUTF8(reply, "")) {
		if title = cleanLine(line); title != "" && !introduces(title) {
			break
		}
	}
	if strings.HasPrefix(title, "<think") || introduces(title) || utf8.RuneCountInString(title) > 2*maxModelTitle {
		return ""
	}
	return shorten(title)
}

// introduces reports whether a line announces what follows, such as "Here is a title:".
func introduces(line string) bool {
	return strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：")
}

// cleanLine removes what is not part of a title from a line.
func cleanLine(line string) string {
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, line)
	line = oneLine(strings.NewReplacer("**", "", "`", "").Replace(line))
	for {
		before := line
		line = strings.TrimLeft(line, "#>*- ")
		line = strings.TrimSpace(withoutLabel(line))
		line = withoutQuotes(strings.Trim(line, "*_ "))
		if !strings.HasSuffix(line, "..") {
			line = strings.TrimSuffix(strings.TrimSuffix(line, "."), "。")
		}
		if line == before {
			return line
		}
	}
}

// withoutLabel removes a label such as "Title:" from the beginning of a line, unless nothing follows it.
func withoutLabel(line string) string {
	for _, label := range []string{"title:", "title：", "标题:", "标题："} {
		if len(line) > len(label) && strings.EqualFold(line[:len(label)], label) {
			return line[len(label):]
		}
	}
	return line
}

// withoutQuotes removes quotation marks around a whole line.
func withoutQuotes(line string) string {
	for _, pair := range []string{`""`, `''`, "“”", "‘’", "«»", "「」", "『』", "《》", "„“"} {
		first, size := utf8.DecodeRuneInString(pair)
		inner, found := strings.CutPrefix(line, string(first))
		if !found {
			continue
		}
		inner, found = strings.CutSuffix(inner, pair[size:])
		if found && !strings.ContainsAny(inner, pair) {
			return strings.TrimSpace(inner)
		}
	}
	return line
}

// shorten cuts a long title, between words if it can.
func shorten(title string) string {
	line := []rune(title)
	if len(line) <= maxModelTitle {
		return title
	}
	cut := string(line[:characterEnd(line, maxModelTitle-1)])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return cut + "…"
}
