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
	fence := strings.Repeat("`", max(3, longestRun(code, '`')+1))
	if strings.ContainsAny(language, " `\r\n") {
		language = ""
	}
	return fence + language + "\n" + strings.TrimRight(code, "\n") + "\n" + fence
}

// longestRun returns how often a byte follows itself in a text at most.
func longestRun(text string, of byte) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
