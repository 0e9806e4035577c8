package client

import (
	"encoding/json"
	"fmt"

	"parley"
)

// Event is one event of a reply as it is made: a Start, Sources, Thinking, Delta,
// Restart or Done.
type Event interface{ event() }

// Start says that the turn has begun and gives the ids of its two messages.
type Start struct {
	UserMessageID string `json:"user_message_id"`
	MessageID     string `json:"message_id"`
}

// Sources are the web pages that the reply can draw on.
type Sources struct {
	Results []parley.Source `json:"results"`
}

// Thinking is the next piece of what the model thinks before it answers.
type Thinking struct {
	Text string `json:"text"`
}

// Delta is the next piece of the reply's text.
type Delta struct {
	Text string `json:"text"`
}

// Restart says that the reply is being made anew: what came so far is void.
type Restart struct{}

// Done is the finished reply, the last event.
type Done struct {
	parley.SendOutput
}

func (Start) event()    {}
func (Sources) event()  {}
func (Thinking) event() {}
func (Delta) event()    {}
func (Restart) event()  {}
func (Done) event()     {}

// failure is the data of the event that ends a stream which failed.
type failure struct {
	Error   parley.Code `json:"error"`
	Message string      `json:"message"`
}

// decodeEvent turns the data of an event into what its name says. A name that is not
// known gives nil: a later server may have more of them.
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
	var f failure
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("read the event %q: %w", "error", err)
	}
	return &Error{Code: f.Error, Message: f.Message}
}
