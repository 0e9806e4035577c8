package history

import (
	"encoding/json"

	"parley"
)

// readOwn reads an export of this service.
func readOwn(raw []byte) (Conversation, error) {
	var export parley.Export
	odd := json.Unmarshal(raw, &export)
	c := Conversation{SessionID: export.SessionID, Title: export.Title, CreatedAt: micros(export.CreatedAt)}
	if export.Title == parley.DefaultTitle {
		c.Title = ""
	}
	for _, m := range export.Messages {
		made := Message{
			Role: m.Role, Content: m.Content, At: micros(m.Timestamp),
			Model: m.Model, Thinking: m.Thinking, Sources: m.Sources, left: Left{Pictures: len(m.Images)},
		}
		switch m.Status {
		case "": // complete
		case parley.StatusStopped:
			made.Status = parley.StatusStopped
		default:
			made.Status = parley.StatusInterrupted
		}
		c.Messages = append(c.Messages, made)
	}
	return c, odd
}

func micros(seconds int64) int64 {
	const largest = 1 << 40 // seconds, far in the future
	if seconds <= 0 || seconds > largest {
		return 0
	}
	return seconds * 1_000_000
}
