package client

import (
	"encoding/json"
	"fmt"

	"parley"
)

// Event is an event of a streamed reply: a Start, Sources, Thinking, Delta, Restart or Done.
type Event interface{ event() }

// Start is the first event. It has the ids of the question and the reply.
type Start struct {
	UserMessageID string `json:"user_message_id"`
	MessageID     string `json:"message_id"`
}

// Sources are the web pages given to the model.
type Sources struct {
	Results []parley.Source `json:"results"`
}

// Thinking is the next piece of the model's thinking.
type Thinking struct {
	Text string `json:"text"`
}

// Delta is the next piece of the reply's text.
type Delta struct {
	Text string `json:"text"`
}

// Restart means that the reply starts again: discard the text so far.
type Restart struct{}

// Done is the last event. It has the finished reply.
type Done struct {
	parley.SendOutput
}

func (Start) event()    {}
func (Sources) event()  {}
func (Thinking) event() {}
func (Delta) event()    {}
func (Restart) event()  {}
func (Done) event()     {}

// decodeEvent decodes the data of an event. It returns nil for an unknown name: newer servers may
// send more kinds of events.
func decodeEvent(name string, data []byte) (Event, error) {
	switch name {
	case "start":
		return decodeAs[Start](name, data)
	case "sources":
		return decodeAs[Sources](name, data)
	case "thinking":
		return decodeAs[Thinking](name, data)
	case "delta":
		return decodeAs[Delta](name, data)
	case "restart":
		return decodeAs[Restart](name, data)
	case "done":
		return decodeAs[Done](name, data)
	case "error":
		return nil, decodeFailure(data)
	}
	return nil, nil
}

func decodeAs[E Event](name string, data []byte) (Event, error) {
	var e E
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, fmt.Errorf("read the event %q: %w", name, err)
	}
	return e, nil
}

func decodeFailure(data []byte) error {
	var f parley.StreamError
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("read the event %q: %w", "error", err)
	}
	e := &Error{Code: f.Error, Message: f.Message}
	if f.Reason != "" {
		body, err := json.Marshal(parley.AIFailure{Reason: f.Reason})
		if err != nil {
			return fmt.Errorf("keep the reason: %w", err)
		}
		e.Body = body
	}
	return e
}
