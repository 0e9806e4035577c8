package openai

import (
	"bytes"
	"encoding/json"

	"parley"
	"parley/internal/ai"
)

// passing passes on the events of one call. It counts their tokens.
type passing struct {
	call    ai.Call
	emit    func(data []byte) error
	secrets secrets

	usage    parley.Usage
	id       []byte // of the response, as JSON
	created  []byte
	ended    int  // how many choices have their finish_reason
	finished bool // all have it
	out      []byte
}

// event passes on one event, or a whole response: with the client's name of the model, and without a usage that the
// client has not asked for.
func (p *passing) event(data []byte) error {
	d, err := parseDelta(data)
	if err != nil {
		return malformed("an event that is not JSON")
	}
	if d.failed || d.finish == "error" {
		return aborted(data, p.secrets)
	}
	if p.call.Choices > 1 {
		d = p.allChoices(d, data)
	} else if d.finish != "" {
		p.ended++
	}
	p.finished = p.finished || p.ended > 0 && p.ended >= p.call.Choices
	switch { // later figures replace earlier ones
	case d.usage != nil:
		p.usage = *d.usage
	case p.usage.Estimated:
		p.estimate(d, data)
	}
	if empty := p.rewrite(data); empty {
		return nil
	}
	if err := p.emit(p.out); err != nil {
		return &emitError{err}
	}
	return nil
}

// allChoices returns d with the text of all choices, and counts those that have ended.
func (p *passing) allChoices(d delta, data []byte) delta {
	type message struct {
		Content   json.RawMessage
		Reasoning string `json:"reasoning_content"`
	}
	var event struct {
		Choices []struct {
			Delta, Message message
			Finish         string `json:"finish_reason"`
		}
	}
	if json.Unmarshal(data, &event) != nil || len(event.Choices) == 0 {
		return d
	}
	d.text, d.thinking = "", ""
	for _, choice := range event.Choices {
		for _, m := range []message{choice.Delta, choice.Message} {
			text, _ := ai.TextOf(m.Content)
			d.text += text
			d.thinking += m.Reasoning
		}
		if choice.Finish != "" {
			p.ended++
		}
	}
	return d
}

// rewrite sets out to the client's part of an event. It reports whether the part is empty.
func (p *passing) rewrite(data []byte) (empty bool) {
	keepUsage := !p.call.Stream || p.call.Usage
	hasChoices, hasUsage := false, false
	p.out = append(p.out[:0], '{')
	s := scanner{rest: data}
	s.object(func(key []byte) bool {
		s.peek()
		value := s.rest
		if !s.skip() {
			return false
		}
		value = bytes.TrimSpace(value[:len(value)-len(s.rest)])
		switch string(key) {
		case "usage":
			hasUsage = string(value) != "null"
			if !keepUsage {
				return true
			}
		case "choices":
			hasChoices = string(value) != "[]"
		case "id":
			p.id = append(p.id[:0], value...)
		case "created":
			p.created = append(p.created[:0], value...)
		case "model":
			value = quote(p.call.Model)
		}
		if len(p.out) > 1 {
			p.out = append(p.out, ',')
		}
		p.out = append(p.out, quote(string(key))...)
		p.out = append(p.out, ':')
		p.out = append(p.out, value...)
		return true
	})
	p.out = append(p.out, '}')
	return hasUsage && !hasChoices && !keepUsage
}

// estimate adds the tokens of an event.
func (p *passing) estimate(d delta, data []byte) {
	p.usage.ThinkingTokens += int64(ai.Tokens(d.thinking))
	p.usage.OutputTokens += int64(ai.Tokens(d.thinking) + ai.Tokens(d.text))
	if !bytes.Contains(data, []byte(`"tool_calls"`)) {
		return
	}
	type message struct {
		Calls []struct {
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	var event struct {
		Choices []struct{ Delta, Message message }
	}
	_ = json.Unmarshal(data, &event) // what can't be read is not counted
	for _, choice := range event.Choices {
		for _, call := range append(choice.Delta.Calls, choice.Message.Calls...) {
			p.usage.OutputTokens += int64(ai.Tokens(call.Function.Name) + ai.Tokens(call.Function.Arguments))
		}
	}
}

// end adds the usage that the client has asked for if the server has not sent it.
func (p *passing) end() error {
	if !p.call.Usage || !p.usage.Estimated {
		return nil
	}
	event := map[string]any{
		"object": "chat.completion.chunk", "model": p.call.Model, "choices": []any{}, "usage": ai.CompletionUsage(p.usage),
		"id": p.call.ID, "created": p.call.Created.Unix(),
	}
	if p.id != nil && p.created != nil {
		event["id"], event["created"] = json.RawMessage(p.id), json.RawMessage(p.created)
	}
	data, err := json.Marshal(event)
	if err == nil {
		if err = p.emit(data); err != nil {
			err = &emitError{err}
		}
	}
	return err
}

// quote returns a JSON string.
func quote(text string) []byte {
	quoted, _ := json.Marshal(text) // a string can always be encoded
	return quoted
}

// callTokens estimates the tokens of a call's messages and tools. Pictures and the like are not counted.
func callTokens(body map[string]json.RawMessage) int {
	var messages []json.RawMessage
	_ = json.Unmarshal(body["messages"], &messages)
	total := 0
	for _, message := range messages {
		total += messageTokens(message)
	}
	if tools, given := body["tools"]; given {
		total += ai.Tokens(string(tools))
	}
	return total
}

func messageTokens(message json.RawMessage) int {
	const overhead = 4
	var plain struct {
		Content string `json:"content"`
	}
	if json.Unmarshal(message, &plain) == nil {
		return overhead + ai.Tokens(plain.Content)
	}
	var inParts struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	_ = json.Unmarshal(message, &inParts)
	total := overhead
	for _, part := range inParts.Content {
		total += ai.Tokens(part.Text)
	}
	return total
}
