package openai

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
	// maxThinkIndent limits the white space before the tag, and so how much text is held back.
	maxThinkIndent = 256
)

// thinkSplitter splits a text that begins with <think>…</think> into the thinking and the reply. The text may
// arrive in any pieces. White space before the tag and at the beginning of either part is dropped. A text
// without the tag passes unaltered.
type thinkSplitter struct {
	part thinkPart
	held string // white space, or what may be the beginning of a tag
	trim bool   // at the beginning of a part, where white space is dropped
}

type thinkPart int

const (
	atStart thinkPart = iota
	inThinking
	inReply
)

// add adds a piece of the text. It returns the thinking and the reply that are recognized so far and were not returned
// before.
func (s *thinkSplitter) add(piece string) (thinking, reply string) {
	if s.part == inReply && !s.trim {
		return "", piece
	}
	text := s.held + piece
	s.held = ""
	if s.part == atStart {
		if text = s.start(text); s.part == atStart {
			return "", ""
		}
	}
	if s.part == inThinking {
		thinking, text = s.think(text)
	}
	if s.part == inReply {
		reply = s.trimmed(text)
	}
	return thinking, reply
}

// rest returns what is held at the end of the text.
func (s *thinkSplitter) rest() (thinking, reply string) {
	held := s.held
	s.held = ""
	if s.part == inThinking {
		return held, ""
	}
	return "", held
}

// start determines whether text begins with the tag, if it is long enough, and returns what follows the tag.
func (s *thinkSplitter) start(text string) string {
	body := strings.TrimLeft(text, " \t\r\n")
	switch {
	case len(text)-len(body) > maxThinkIndent:
		s.part = inReply
	case strings.HasPrefix(body, thinkOpen):
		s.part, s.trim = inThinking, true
		return body[len(thinkOpen):]
	case strings.HasPrefix(thinkOpen, body):
		s.held = text
	default:
		s.part = inReply
	}
	return text
}

// think returns the thinking in text, and what follows if the thinking ends there.
func (s *thinkSplitter) think(text string) (thinking, after string) {
	text = s.trimmed(text)
	if end := strings.Index(text, thinkClose); end >= 0 {
		s.part, s.trim = inReply, true
		return text[:end], text[end+len(thinkClose):]
	}
	cut := len(text) - partial(text, thinkClose)
	s.held = text[cut:]
	return text[:cut], ""
}

func (s *thinkSplitter) trimmed(text string) string {
	if s.trim {
		text = strings.TrimLeft(text, " \t\r\n")
		s.trim = text == ""
	}
	return text
}

// partial returns the length of the longest suffix of text that begins tag.
func partial(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasPrefix(tag, text[len(text)-n:]) {
			return n
		}
	}
	return 0
}
