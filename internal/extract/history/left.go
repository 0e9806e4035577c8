package history

import "strings"

// orText returns a text, or what stands for a message without one.
func (l Left) orText(content string) string {
	switch {
	case strings.TrimSpace(content) != "":
		return content
	case l.Pictures > 0:
		return "[image]"
	case l.Others > 0:
		return "[file]"
	}
	return content
}

// fenced returns code as a block of Markdown. The fence is longer than any in the code.
func fenced(language, code string) string {
	if strings.TrimSpace(code) == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	if strings.ContainsAny(language, " `\r\n") {
		language = ""
	}
	return fence + language + "\n" + strings.TrimRight(code, "\n") + "\n" + fence
}
