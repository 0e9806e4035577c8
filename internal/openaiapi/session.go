package openaiapi

import (
	"cmp"
	"context"
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
	"parley/internal/limit"
)

// sessionHeader names a session. The chat completion becomes a turn of it.
const sessionHeader = "Parley-Session"

// sessionFields are the fields that a turn of a session can honor, or that ask for nothing.
var sessionFields = []string{
	"model", "messages", "stream", "stream_options", "reasoning_effort", "web_search_options", "n", "user", "metadata",
	"safety_identifier", "prompt_cache_key",
}

// Why the stream of a reply ends before the reply. What was sent can't be taken back.
var (
	errRestarted = &Error{
		Status: http.StatusServiceUnavailable, Text: "the reply is being generated anew; read it in the session",
	}
	errWasThinking = &Error{
		Status: http.StatusServiceUnavailable,
		Text:   "the text so far turned out to be the model's thinking; read the reply in the session",
	}
	errReplyLeft = &Error{
		Status: http.StatusServiceUnavailable,
		Text:   "the server is shutting down; the reply is completed without this stream, read it in the session",
	}
)

// completeInSession makes the last user message of a call a turn of a session.
func (a *API) completeInSession(
	w http.ResponseWriter, r *http.Request, who Caller, sessionID string, call ai.Call,
) error {
	input, err := sendInput(sessionID, call)
	if err != nil {
		return err
	}
	clear(call.Body) // a stream may take long, and needs it no more
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	if call.Stream {
		return a.streamTurn(w, r, who, call, input, key)
	}
	out, err := a.chat.Send(r.Context(), who.UserID, input, key)
	if err != nil {
		return err
	}
	reply := out.AIResponse
	if reply.Status == parley.StatusInterrupted { // it was begun before, as a stream with the same key
		return parley.ErrReplyInterrupted
	}
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
	if name, found := body.beyond(sessionFields); found {
		err := unsupported(name)
		err.Text += " with " + sessionHeader
		return in, err
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
func (a *API) streamTurn(
	w http.ResponseWriter, r *http.Request, who Caller, call ai.Call, input parley.SendInput, key string,
) error {
	reply, err := a.chat.Stream(r.Context(), who.UserID, parley.StreamInput{
		SessionID: input.SessionID, Content: input.Content, ReplyOptions: input.ReplyOptions,
	}, key)
	if err != nil {
		return err
	}
	return a.streamCompletion(w, r, func(emit func([]byte) error) error {
		t := turnEvents{call: call, input: input, emit: emit, holding: a.unmarked.has(who.UserID, call.Model)}
		err := t.copy(r.Context(), reply, who.Hold)
		if errors.Is(err, errWasThinking) {
			a.unmarked.add(who.UserID, call.Model)
		}
		return err
	})
}

// turnEvents writes the events of a turn as those of a chat completion.
type turnEvents struct {
	call    ai.Call
	input   parley.SendInput
	emit    func([]byte) error
	begun   bool // the stream has its first event
	said    bool // a piece of thinking or text was sent
	attempt int64
	ended   bool
	holding bool            // text may turn out to be thinking, so it is held back
	held    strings.Builder // that text
}

// copy writes the events of a reply until it ends.
func (t *turnEvents) copy(ctx context.Context, reply *turn.Follower, hold *limit.Hold[int64]) error {
	never := make(chan time.Time)
	for !t.ended {
		events, err := reply.Next(ctx, never)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), context.Canceled):
			return errReplyLeft
		case err != nil:
			return err
		}
		if !hold.Resize(reply.Held() + int64(t.held.Len())) {
			return parley.ErrOverloaded
		}
		for _, event := range events {
			if err := t.write(event); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *turnEvents) write(event turn.Event) error {
	before := t.attempt
	t.attempt = event.At.Attempt
	switch event.Name {
	case "thinking": // text before and after it is text: otherwise a restart would have come before
		t.holding, t.said = false, true
		if err := t.sendHeld(); err != nil {
			return err
		}
		return t.send(ai.NewEvents(t.call).Thinking(event.Text()))
	case "delta":
		if t.holding {
			t.held.WriteString(event.Text())
			return t.begin() // the client gets comments meanwhile
		}
		t.said = true
		return t.send(ai.NewEvents(t.call).Text(event.Text()))
	case "restart":
		t.held.Reset()
		switch {
		case t.said && before == t.attempt:
			return errWasThinking
		case t.said:
			return errRestarted
		}
	case "error":
		failed, _ := event.Data.(parley.StreamError)
		return &Error{Status: http.StatusServiceUnavailable, Text: failed.Message}
	case "done":
		done, _ := event.Data.(parley.SendOutput)
		return t.end(done.AIResponse)
	}
	return nil
}

// end writes the text that was held back, and the end of the reply.
func (t *turnEvents) end(reply parley.AIResponse) error {
	t.ended = true
	if err := t.sendHeld(); err != nil {
		return err
	}
	events := ai.NewEvents(t.call)
	if reply.Status == parley.StatusInterrupted {
		return parley.ErrReplyInterrupted
	}
	if err := t.send(events.Finish(cmp.Or(reply.Finish, "stop"))); err != nil || !t.call.Usage {
		return err
	}
	return t.send(events.Usage(usageOf(reply, t.input)))
}

// sendHeld sends the text that was held back.
func (t *turnEvents) sendHeld() error {
	if t.held.Len() == 0 {
		return nil
	}
	text := t.held.String()
	t.held.Reset()
	return t.send(ai.NewEvents(t.call).Text(text))
}

// begin sends the first event, unless it was sent.
func (t *turnEvents) begin() error {
	if t.begun {
		return nil
	}
	t.begun = true
	return t.send(ai.NewEvents(t.call).Role())
}

func (t *turnEvents) send(value any) error {
	if err := t.begin(); err != nil {
		return err
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
