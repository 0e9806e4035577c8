package blob

import (
	"encoding/json"
	"fmt"
)

// MarkState is how far a move is, seen from the marked place.
type MarkState string

// The states of a move.
const (
	// Leaving means that the data is being copied to another place.
	Leaving MarkState = "leaving"
	// Left means that all of the data was moved to another place.
	Left MarkState = "left"
	// Arriving means that the data is being copied to this place and is not complete.
	Arriving MarkState = "arriving"
)

// Mark is the note that a move of data leaves in a database or a place of files. It keeps servers from using a place
// while its data is being moved, or after.
type Mark struct {
	// ID is the move's id, the same in both places.
	ID    string    `json:"id"`
	State MarkState `json:"state"`
	// Other is the other place, for people. It has no password.
	Other string `json:"other"`
}

// ParseMark reads the text of a mark.
func ParseMark(text string) (Mark, error) {
	var m Mark
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return m, fmt.Errorf("read the mark of a move: %w", err)
	}
	return m, nil
}

// Text returns what ParseMark reads.
func (m Mark) Text() string {
	text, _ := json.Marshal(m) // strings can always be encoded
	return string(text)
}

// Refusal returns why a server does not use the marked place, which is called what.
func (m Mark) Refusal(what string) error {
	switch m.State {
	case Leaving:
		return fmt.Errorf("%s is being moved to %s: run parley move again to finish that, or parley move --undo to stay here",
			what, m.Other)
	case Left:
		return fmt.Errorf("%s was moved to %s: start the server with the settings of that place, "+
			"or run parley move --undo to use this old copy again", what, m.Other)
	default:
		return fmt.Errorf("%s is being moved here from %s and is not complete: run parley move there again",
			what, m.Other)
	}
}
