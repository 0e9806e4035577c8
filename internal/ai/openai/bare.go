package openai

import "strings"

// bareThinking looks for a </think> whose <think> is missing: some templates put the opening tag into the prompt. The
// tag must begin a line outside of a code block, since a reply may mention it. The text may arrive in any pieces.
type bareThinking struct {
	over    bool   // found, or no longer looked for
	trim    bool   // right behind the tag, where white space is dropped
	held    string // the beginning of a line that may be a tag or the fence of a code block
	midLine bool
	fenced  bool // inside a code block
}

const fence = "```"

// add adds a piece of the text. It returns the text up to the tag, and if it found the tag, the text behind it.
func (b *bareThinking) add(piece string) (text, after string, found bool) {
	if b.over {
		return b.trimmed(piece), "", false
	}
	text = b.held + piece
	b.held = ""
	for at := 0; ; {
		if !b.midLine {
			switch line := text[at:]; {
			case !b.fenced && strings.HasPrefix(line, thinkClose):
				b.over, b.trim = true, true
				return text[:at], b.trimmed(line[len(thinkClose):]), true
			case strings.HasPrefix(fence, line) && line != fence, !b.fenced && strings.HasPrefix(thinkClose, line):
				b.held = line
				return text[:at], "", false
			case strings.HasPrefix(line, fence):
				b.fenced = !b.fenced
			}
			b.midLine = true
		}
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return text, "", false
		}
		at += end + 1
		b.midLine = false
	}
}

// rest returns what is held at the end of the text.
func (b *bareThinking) rest() string {
	held := b.held
	b.held = ""
	return held
}

func (b *bareThinking) trimmed(text string) string {
	if b.trim {
		text = strings.TrimLeft(text, " \t\r\n")
		b.trim = text == ""
	}
	return text
}
