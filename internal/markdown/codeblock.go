package markdown

import "strings"

// CodeBlock follows the fenced code blocks of a Markdown text, line by line.
type CodeBlock struct {
	fence string // the backticks or tildes that opened the block; empty outside of blocks
}

// Open reports whether the last line is within a block.
func (b *CodeBlock) Open() bool { return b.fence != "" }

// IsFence reports whether a line opens or closes a block. It has to get every line.
func (b *CodeBlock) IsFence(line string) bool {
	mark, rest := Fence(line)
	switch {
	case mark == "":
		return false
	case !b.Open():
		if mark[0] == '`' && strings.Contains(rest, "`") { // this is code within a line
			return false
		}
		b.fence = mark
		return true
	case strings.HasPrefix(mark, b.fence) && strings.TrimSpace(rest) == "":
		b.fence = ""
		return true
	}
	return false
}

// Fence returns the backticks or tildes at the beginning of a line, if there are at least three, and the rest.
func Fence(line string) (mark, rest string) {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 { // this is an indented code block
		return "", line
	}
	for _, c := range []string{"`", "~"} {
		rest = strings.TrimLeft(text, c)
		if n := len(text) - len(rest); n >= 3 {
			return text[:n], rest
		}
	}
	return "", line
}
