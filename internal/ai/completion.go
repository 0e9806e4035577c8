package ai

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"parley"
)

// completion is a response in OpenAI's form, or an event of one.
type completion struct {
	ID      string      `json:"id"`
	Object  string      `json:"object"`
	Created int64       `json:"created"`
	Model   string      `json:"model"`
	Choices []choice    `json:"choices"`
	Usage   *tokenUsage `json:"usage,omitempty"`
}

type choice struct {
	Index        int             `json:"index"`
	Delta        *choiceMessage  `json:"delta,omitempty"`
	Message      *choiceMessage  `json:"message,omitempty"`
	Logprobs     json.RawMessage `json:"logprobs"`
	FinishReason *string         `json:"finish_reason"`
}

type choiceMessage struct {
	Role      string  `json:"role,omitempty"`
	Content   *string `json:"content,omitempty"`
	Reasoning string  `json:"reasoning_content,omitempty"`
}

type tokenUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

// CompletionUsage returns the usage as a field of a chat completion.
func CompletionUsage(u parley.Usage) any { return completionUsage(u) }

func completionUsage(u parley.Usage) tokenUsage {
	return tokenUsage{Prompt: u.InputTokens, Completion: u.OutputTokens, Total: u.InputTokens + u.OutputTokens}
}

// NewCompletion returns the whole response to a call.
func NewCompletion(call Call, text, thinking, finish string, usage parley.Usage) any {
	c := call.completion("chat.completion", choice{
		Message:      &choiceMessage{Role: "assistant", Content: &text, Reasoning: thinking},
		FinishReason: &finish,
	})
	figures := completionUsage(usage)
	c.Usage = &figures
	return c
}

// NewEvents returns the events of a call's response: its role, pieces of thinking and text, its end, and its usage.
func NewEvents(call Call) Events { return Events{call: call} }

// Events makes the events of the response to a call.
type Events struct{ call Call }

// Role returns the first event.
func (e Events) Role() any {
	empty := ""
	return e.event(choice{Delta: &choiceMessage{Role: "assistant", Content: &empty}})
}

// Thinking returns an event with a piece of thinking.
func (e Events) Thinking(piece string) any {
	return e.event(choice{Delta: &choiceMessage{Reasoning: piece}})
}

// Text returns an event with a piece of text.
func (e Events) Text(piece string) any {
	return e.event(choice{Delta: &choiceMessage{Content: &piece}})
}

// Finish returns the event that says why the response ends.
func (e Events) Finish(reason string) any {
	return e.event(choice{Delta: &choiceMessage{}, FinishReason: &reason})
}

// Usage returns the event with the number of tokens.
func (e Events) Usage(usage parley.Usage) any {
	c := e.event()
	figures := completionUsage(usage)
	c.Usage = &figures
	return c
}

func (e Events) event(choices ...choice) completion {
	return e.call.completion("chat.completion.chunk", choices...)
}

func (c Call) completion(object string, choices ...choice) completion {
	if choices == nil {
		choices = []choice{}
	}
	return completion{ID: c.ID, Object: object, Created: c.Created.Unix(), Model: c.Model, Choices: choices}
}

// errWasThinking ends a stream. What was sent can't be taken back.
var errWasThinking = errors.New("the text so far turned out to be thinking")

// completionWriter writes chunks of a reply as a chat completion.
type completionWriter struct {
	call  Call
	emit  func(data []byte) error
	usage parley.Usage
	begun bool
	said  bool // a piece of text was sent
	err   error

	text, thinking strings.Builder // of a response that is not streamed
	finish         string
}

func (w *completionWriter) add(c Chunk) {
	w.usage.OutputTokens += int64(Tokens(c.Text) + Tokens(c.Thinking))
	w.usage.ThinkingTokens += int64(Tokens(c.Thinking))
	w.finish = cmp.Or(c.Finish, w.finish)
	if c.WasThinking {
		w.thinking.WriteString(w.text.String())
		w.text.Reset()
		if w.said {
			w.err = &Failure{Reason: parley.ReasonFailed, Err: errWasThinking}
		}
	}
	if !w.call.Stream {
		w.text.WriteString(c.Text)
		w.thinking.WriteString(c.Thinking)
		return
	}
	events := NewEvents(w.call)
	if !w.begun {
		w.begun = true
		w.send(events.Role())
	}
	if c.Thinking != "" {
		w.send(events.Thinking(c.Thinking))
	}
	if c.Text != "" {
		w.said = true
		w.send(events.Text(c.Text))
	}
}

func (w *completionWriter) end() error {
	finish := cmp.Or(w.finish, "stop")
	if !w.call.Stream {
		w.send(NewCompletion(w.call, w.text.String(), w.thinking.String(), finish, w.usage))
		return w.err
	}
	w.send(NewEvents(w.call).Finish(finish))
	if w.call.Usage {
		w.send(NewEvents(w.call).Usage(w.usage))
	}
	return w.err
}

func (w *completionWriter) send(value any) {
	if w.err != nil {
		return
	}
	data, err := json.Marshal(value)
	if err == nil {
		err = w.emit(data)
	}
	w.err = err
}
