package openai

import (
	"cmp"
	"errors"

	"parley"
)

// delta is the content of one event of a stream, or of a whole response.
type delta struct {
	text     string
	thinking string
	finish   string // why the reply is complete, or ""
	failed   bool   // the server reports an error
	usage    *parley.Usage
}

// errNotJSON means that an event is not a JSON object.
var errNotJSON = errors.New("not a JSON object")

// parseDelta parses an event in one pass and allocates nothing but the strings of the delta. It parses valid
// JSON as encoding/json does. It may ignore syntax errors in parts that it doesn't need.
func parseDelta(data []byte) (delta, error) {
	var d delta
	s := scanner{rest: data}
	ok := s.object(func(key []byte) bool {
		switch string(key) {
		case "choices":
			return d.choices(&s)
		case "error":
			d.failed = s.peek() != 'n'
		case "object":
			d.failed = d.failed || s.at(`"error"`)
		case "usage":
			return d.readUsage(&s)
		}
		return s.skip()
	})
	if !ok || s.peek() != 0 {
		return delta{}, errNotJSON
	}
	return d, nil
}

// choices parses the first choice and ignores the others.
func (d *delta) choices(s *scanner) bool {
	first := true
	return s.array(func() bool {
		if !first {
			return s.skip()
		}
		first = false
		return s.object(func(key []byte) (ok bool) {
			switch string(key) {
			case "delta", "message":
				return d.message(s)
			case "finish_reason":
				d.finish, ok = s.str()
				return ok
			case "usage": // from Moonshot
				return d.readUsage(s)
			}
			return s.skip()
		})
	})
}

// message parses the text and the thinking. Thinking beside the content has one of three names. Some servers send it
// under two names at once.
func (d *delta) message(s *scanner) bool {
	var content, reasoning, thinking, refusal string
	ok := s.object(func(key []byte) (ok bool) {
		switch string(key) {
		case "content":
			ok = d.content(s)
		case "refusal": // instead of the content, from OpenAI
			refusal, ok = s.str()
		case "reasoning_content":
			content, ok = s.str()
		case "reasoning":
			reasoning, ok = s.str()
		case "thinking":
			thinking, ok = s.str()
		default:
			ok = s.skip()
		}
		return ok
	})
	d.thinking += cmp.Or(content, reasoning, thinking)
	d.text += refusal
	return ok
}

// content parses the content of a message: a text, or an array of parts from Mistral.
func (d *delta) content(s *scanner) (ok bool) {
	if s.peek() != '[' {
		d.text, ok = s.str()
		return ok
	}
	return s.array(func() bool {
		return s.object(func(key []byte) bool {
			switch string(key) {
			case "text":
				return appendString(&d.text, s)
			case "thinking":
				return d.thinkingPart(s)
			}
			return s.skip()
		})
	})
}

// thinkingPart parses the thinking in a part of a content: a text, or an array of parts with a text.
func (d *delta) thinkingPart(s *scanner) bool {
	if s.peek() != '[' {
		return appendString(&d.thinking, s)
	}
	return s.array(func() bool {
		return s.object(func(key []byte) bool {
			if string(key) != "text" {
				return s.skip()
			}
			return appendString(&d.thinking, s)
		})
	})
}

func appendString(to *string, s *scanner) bool {
	text, ok := s.str()
	*to += text
	return ok
}
