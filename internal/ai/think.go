package ai

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
	// thinkLead is how much white space may stand before the tag, so that little is
	// held back.
	thinkLead = 256
)

// thinkSplitter parts a text that begins with <think>…</think> into the thinking and
// the reply, however the text is cut into pieces. A little white space before the tag,
// and any at the beginning of either part, is dropped; a text without the tag passes
// unaltered.
type thinkSplitter struct {
	part thinkPart
	held string // what can't be told yet: white space or the beginning of a tag
	trim bool   // at the beginning of a part, where white space is dropped
}

type thinkPart int

const (
	atHead thinkPart = iota
	inThinking
	inReply
)

// add takes the next piece and returns what is now known to be thinking and reply.
func (s *thinkSplitter) add(piece string) (thinking, reply string) {
	if s.part == inReply && !s.trim {
		return "", piece
	}
	text := s.held + piece
	s.held = ""
	if s.part == atHead {
		if text = s.head(text); s.part == atHead {
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

// rest returns what is still held when the text has ended.
func (s *thinkSplitter) rest() (thinking, reply string) {
	held := s.held
	s.held = ""
	if s.part == inThinking {
		return held, ""
	}
	return "", held
}

// head decides whether text begins with the tag, if it is long enough to tell, and
// returns what follows the tag.
func (s *thinkSplitter) head(text string) string {
	body := strings.TrimLeft(text, " \t\r\n")
	switch {
	case len(text)-len(body) > thinkLead:
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

// think returns the thinking in text, and what follows it where it ends there.
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

// partial is the length of the longest end of text with which tag begins.
func partial(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasPrefix(tag, text[len(text)-n:]) {
			return n
		}
	}
	return 0
}
