package ai

import "errors"

// delta is what one event of a stream, or a whole answer, says.
type delta struct {
	text     string
	thinking string
	finish   string // why the reply is complete, empty while it is not
	failed   bool   // the upstream reports an error
}

// errNotJSON is an event that holds no JSON object.
var errNotJSON = errors.New("not a JSON object")

// parseDelta reads an event in one pass with no allocation but the strings of the
// delta. It takes valid JSON as encoding/json would, and may pass over faults in the
// parts it doesn't need.
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
		}
		return s.skip()
	})
	if !ok || s.peek() != 0 {
		return delta{}, errNotJSON
	}
	return d, nil
}

// choices reads the first choice; only one is ever asked for.
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
			}
			return s.skip()
		})
	})
}

// message reads the text, and the thinking under any of its three names; some servers
// send it under two of them at once.
func (d *delta) message(s *scanner) bool {
	var content, reasoning, thinking string
	ok := s.object(func(key []byte) (ok bool) {
		switch string(key) {
		case "content":
			d.text, ok = s.str()
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
	for _, name := range [...]string{content, reasoning, thinking} {
		if name != "" {
			d.thinking = name
			break
		}
	}
	return ok
}
