package turn

import (
	"fmt"
	"strconv"
	"strings"

	"parley"
)

// Position is how far a client has read a reply: the attempt, and how many code points of thinking and of text. It is
// the id of an event: any replica can resume from it without a log of events.
type Position struct {
	Attempt, Thinking, Text int64
}

// String returns the form that ParsePosition reads.
func (p Position) String() string { return fmt.Sprintf("%d.%d.%d", p.Attempt, p.Thinking, p.Text) }

// ParsePosition reads the id of an event. It returns false if s is not one.
func ParsePosition(s string) (Position, bool) {
	var p Position
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return p, false
	}
	for i, number := range []*int64{&p.Attempt, &p.Thinking, &p.Text} {
		var err error
		if *number, err = strconv.ParseInt(parts[i], 10, 64); err != nil {
			return Position{}, false
		}
	}
	if p.Attempt < 1 || p.Thinking < 0 || p.Text < 0 || p.String() != s {
		return Position{}, false
	}
	return p, true
}

// Event is one event of a reply's stream.
type Event struct {
	At   Position
	Name string
	Data any // encoded as JSON
}

// Data of the events; that of done is parley.SendOutput, and that of error is parley.StreamError.
type (
	startData struct {
		UserMessageID string `json:"user_message_id"`
		MessageID     string `json:"message_id"`
	}
	sourcesData struct {
		Results []parley.Source `json:"results"`
	}
	textData struct {
		Text string `json:"text"`
	}
)

// Text returns the piece of text or thinking of an event, or "".
func (e Event) Text() string {
	data, _ := e.Data.(textData)
	return data.Text
}
