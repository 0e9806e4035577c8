package openai

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bareThinking looks for a </think> without a <think>: some templates put the opening tag into the prompt. A reply may
// mention the tag. So the tag counts only outside of code, in a text without a <think>. It must begin a line, or follow
// a word or the end of a sentence without a space, which mentions of a tag rarely do. The text may arrive in any
// pieces.
type bareThinking struct {
	over    bool   // found, or no longer looked for
	trim    bool   // right behind the tag, where white space is dropped
	held    string // what may be the beginning of a tag, or of the fence of a code block
	midLine bool
	fenced  bool // inside a code block
	quoted  bool // behind an odd number of backticks of the line
	opened  bool // there was a <think>
	last    rune // of the text before
}

const fence = "```"

// add adds a piece of the text. It returns the text up to the tag, and if it found the tag, the text behind it.
func (b *bareThinking) add(piece string) (text, after string, found bool) {
	if b.over {
		return b.trimmed(piece), "", false
	}
	text = b.held + piece
	b.held = ""
	for at := 0; at < len(text); {
		if !b.midLine && !b.beginLine(text[at:]) {
			b.held = text[at:]
			return text[:at], "", false
		}
		next := strings.IndexAny(text[at:], "\n`<")
		if next < 0 {
			b.passed(text)
			return text, "", false
		}
		at += next
		switch rest := text[at:]; {
		case strings.HasPrefix(rest, thinkClose) && b.mayEnd(text[:at]):
			b.over, b.trim = true, true
			return text[:at], b.trimmed(rest[len(thinkClose):]), true
		case rest != thinkClose && strings.HasPrefix(thinkClose, rest), strings.HasPrefix(thinkOpen, rest):
			b.held = rest
			b.passed(text[:at])
			return text[:at], "", false
		case strings.HasPrefix(rest, thinkOpen):
			b.midLine, b.opened = true, true
		case rest[0] == '<':
			b.midLine = true
		case rest[0] == '`':
			b.quoted = !b.quoted
		default: // the end of a line
			b.midLine, b.quoted = false, false
		}
		at++
		b.passed(text[:at])
	}
	return text, "", false
}

// beginLine notes the fence of a code block at the beginning of a line. It returns false if the line is too short to
// tell.
func (b *bareThinking) beginLine(line string) bool {
	if line != fence && strings.HasPrefix(fence, line) {
		return false
	}
	if strings.HasPrefix(line, fence) {
		b.fenced = !b.fenced
	}
	b.midLine = line[0] != '\n' && line[0] != '<'
	return true
}

// mayEnd reports whether a tag behind a text is more than a mention.
func (b *bareThinking) mayEnd(before string) bool {
	switch {
	case b.fenced:
		return false
	case !b.midLine:
		return true
	case b.quoted || b.opened:
		return false
	}
	last := b.last
	if before != "" {
		last, _ = utf8.DecodeLastRuneInString(before)
	}
	return !unicode.IsSpace(last) && !strings.ContainsRune(`"'“‘«「『（([{<|\/=`, last)
}

// passed remembers what the tag needs to know about the text before it.
func (b *bareThinking) passed(text string) {
	if text != "" {
		b.last, _ = utf8.DecodeLastRuneInString(text)
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
