package door

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat/turn"
)

// sessionHeader names the session in which a chat completion becomes a turn.
const sessionHeader = "Parley-Session"

// sessionFields are the fields that a turn of a session can honor, or that ask for nothing.
var sessionFields = []string{
	"model", "messages", "stream", "stream_options", "reasoning_effort", "web_search_options", "n", "user", "metadata",
	"safety_identifier", "prompt_cache_key",
}

// errRestarted means that a reply is being generated anew after its beginning was sent.
var errRestarted = &Error{
	Status: http.StatusServiceUnavailable, Text: "the reply is being generated anew; read it in the session",
}

// completeInSession makes the last user message of a call a turn of a session.
func (d *Door) completeInSession(
	w http.ResponseWriter, r *http.Request, who Caller, sessionID string, call ai.Call,
) error {
	input, err := sendInput(sessionID, call)
	if err != nil {
		return err
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	if call.Stream {
		return d.streamTurn(w, r, who, call, input, key)
	}
	out, err := d.chat.Send(r.Context(), who.UserID, input, key)
	if err != nil {
		return err
	}
	reply := out.AIResponse
	if !who.Hold.Resize(int64(len(reply.Content) + len(reply.Thinking))) {
		return parley.ErrOverloaded
	}
	call.ID = "chatcmpl-" + reply.ID
	finish := cmp.Or(reply.Finish, "stop")
	return writeJSON(w, ai.NewCompletion(call, reply.Content, reply.Thinking, finish, usageOf(reply, input)))
}

// sendInput returns the send that a call stands for.
func sendInput(sessionID string, call ai.Call) (in parley.SendInput, err error) {
	body := fields(call.Body)
	for name := range body {
		if !slices.Contains(sessionFields, name) {
			return in, &Error{
				Status: http.StatusBadRequest, Code: "unsupported_parameter", Param: name,
				Text: name + " is not supported with " + sessionHeader,
			}
		}
	}
	choices := 1
	if err := body.take("n", &choices); err != nil || choices != 1 {
		return in, invalid("n", "must be 1 with "+sessionHeader)
	}
	effort, err := body.text("reasoning_effort")
	if err != nil {
		return in, err
	}
	var messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(body["messages"], &messages) != nil || messages[len(messages)-1].Role != parley.RoleUser {
		return in, invalid("messages", "must end with a message of the user")
	}
	text, ok := ai.TextOf(messages[len(messages)-1].Content)
	if !ok {
		return in, invalid("messages", "can only have text with "+sessionHeader+"; upload files to the session")
	}
	if utf8.RuneCountInString(text) > parley.MaxContent || strings.ContainsRune(text, 0) {
		return in, invalid("messages", "must end with a text of at most 100,000 characters, without NUL")
	}
	_, search := body["web_search_options"]
	return parley.SendInput{SessionID: sessionID, Content: text, ReplyOptions: parley.ReplyOptions{
		Model: call.Model, DeepThinking: slices.Contains([]string{"medium", "high", "xhigh"}, effort), WebSearch: search,
	}}, nil
}

// streamTurn writes the reply of a turn as a stream. The turn goes on if the client leaves.
func (d *Door) streamTurn(
	w http.ResponseWriter, r *http.Request, who Caller, call ai.Call, input parley.SendInput, key string,
) error {
	reply, err := d.chat.Stream(r.Context(), who.UserID, parley.StreamInput{
		SessionID: input.SessionID, Content: input.Content, ReplyOptions: input.ReplyOptions,
	}, key)
	if err != nil {
		return err
	}
	never := make(chan time.Time)
	return d.streamCompletion(w, r, func(emit func([]byte) error) error {
		t := turnEvents{call: call, input: input, emit: emit}
		for {
			events, err := reply.Next(r.Context(), never)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if !who.Hold.Resize(reply.Held()) {
				return parley.ErrOverloaded
			}
			for _, event := range events {
				if err := t.write(event); err != nil {
					return err
				}
			}
		}
	})
}

// turnEvents writes the events of a turn as those of a chat completion.
type turnEvents struct {
	call  ai.Call
	input parley.SendInput
	emit  func([]byte) error
	begun bool
}

func (t *turnEvents) write(event turn.Event) error {
	events := ai.NewEvents(t.call)
	switch event.Name {
	case "start":
		return nil
	case "thinking":
		return t.send(events.Thinking(event.Text()))
	case "delta":
		return t.send(events.Text(event.Text()))
	case "restart":
		if t.begun {
			return errRestarted
		}
	case "error":
		failed, _ := event.Data.(turn.ErrorData)
		return &Error{Status: http.StatusServiceUnavailable, Text: failed.Message}
	case "done":
		done, _ := event.Data.(parley.SendOutput)
		err := t.send(events.Finish(cmp.Or(done.AIResponse.Finish, "stop")))
		if err == nil && t.call.Usage {
			err = t.send(events.Usage(usageOf(done.AIResponse, t.input)))
		}
		return err
	}
	return nil
}

func (t *turnEvents) send(value any) error {
	if !t.begun {
		t.begun = true
		if err := t.send(ai.NewEvents(t.call).Role()); err != nil {
			return err
		}
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return t.emit(data)
}

// usageOf returns the tokens of a turn. They include those of what the server adds to the prompt.
func usageOf(reply parley.AIResponse, input parley.SendInput) parley.Usage {
	if reply.Usage != nil {
		return *reply.Usage
	}
	return parley.Usage{
		InputTokens: int64(ai.Tokens(input.Content)), OutputTokens: int64(ai.Tokens(reply.Content)), Estimated: true,
	}
}
