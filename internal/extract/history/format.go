package history

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// format reads a conversation. If it finds values of another type than expected, it leaves them out, and returns the
// rest with an error that is not a *parley.Error.
type format func(raw []byte) (Conversation, error)

// shape is the kind of a JSON value: its first byte.
type shape byte

// UnmarshalJSON implements json.Unmarshaler.
func (s *shape) UnmarshalJSON(raw []byte) error {
	*s = shape(raw[0])
	return nil
}

// probe has the keys by which formats are told apart.
type probe struct {
	Mapping        shape `json:"mapping"`
	Chat           shape `json:"chat"`
	History        shape `json:"history"`
	ConversationID shape `json:"conversationId"`
	Messages       shape `json:"messages"`
	MessagesTree   shape `json:"messagesTree"`
	SessionID      shape `json:"session_id"`
	Body           shape `json:"body"`
	Success        shape `json:"success"`
}

// formatOf returns the format of a conversation, or nil if it is not a conversation.
func formatOf(raw []byte) format {
	var p probe
	if raw[0] != '{' || json.Unmarshal(raw, &p) != nil {
		return nil
	}
	switch {
	case p.Mapping == '{':
		return readChatGPT
	case p.Chat == '{':
		return readOpenWebUI
	case p.History == '{':
		return readOpenWebUIChat
	case p.ConversationID == '"' && (p.Messages == '[' || p.MessagesTree == '['):
		return readLibreChat
	case p.SessionID == '"' && p.Messages == '[':
		return readOwn
	case p.Body == '{' && p.Success == 't':
		return unwrap(raw)
	}
	return nil
}

// unwrap returns the format of our export in its envelope.
func unwrap(raw []byte) format {
	var envelope struct {
		Body json.RawMessage `json:"body"`
	}
	var p probe
	if json.Unmarshal(raw, &envelope) != nil || json.Unmarshal(envelope.Body, &p) != nil {
		return nil
	}
	if p.SessionID != '"' || p.Messages != '[' {
		return nil
	}
	return func([]byte) (Conversation, error) { return readOwn(envelope.Body) }
}

// looksKnown reports whether the beginning of a large object has the keys of a format.
func looksKnown(head []byte) bool {
	for _, key := range []string{`"mapping"`, `"chat"`, `"history"`, `"conversationId"`, `"session_id"`} {
		if bytes.Contains(head, []byte(key)) {
			return true
		}
	}
	return false
}

// text is a JSON string. Any other value is an empty one.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(raw []byte) error {
	*t = ""
	if raw[0] != '"' {
		return nil
	}
	return json.Unmarshal(raw, (*string)(t))
}

// flag is true for the JSON value true only.
type flag bool

// UnmarshalJSON implements json.Unmarshaler.
func (f *flag) UnmarshalJSON(raw []byte) error {
	*f = string(raw) == "true"
	return nil
}

// stamp is a time in microseconds: a number, of seconds or a part of them, or a text. Any other value is 0.
type stamp int64

// UnmarshalJSON implements json.Unmarshaler.
func (s *stamp) UnmarshalJSON(raw []byte) error {
	*s = 0
	value := strings.Trim(string(raw), `"`)
	if at, err := time.Parse(time.RFC3339Nano, value); err == nil {
		*s = stamp(at.UnixMicro())
		return nil
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(number) || number <= 0 {
		return nil
	}
	const nanoseconds, microseconds, milliseconds = 1e17, 1e14, 1e11 // smallest plausible values
	switch {
	case number >= nanoseconds:
		number /= 1e3
	case number >= microseconds:
	case number >= milliseconds:
		number *= 1e3
	default:
		number *= 1e6
	}
	if number < math.MaxInt64/2 {
		*s = stamp(number)
	}
	return nil
}
