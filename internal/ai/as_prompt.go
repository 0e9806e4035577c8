package ai

import (
	"context"
	"encoding/json"
	"strings"

	"parley"
)

// passAsPrompt passes a call to a model that has no wire format: it gets the texts of the messages as a prompt.
func passAsPrompt(ctx context.Context, model Model, call Call, emit func(data []byte) error) (parley.Usage, error) {
	prompt, err := promptOf(call.Body)
	if err != nil {
		return parley.Usage{}, err
	}
	usage := parley.Usage{InputTokens: int64(prompt.Tokens()), Estimated: true}
	w := completionWriter{call: call, emit: emit, usage: usage}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = model.Reply(ctx, prompt, func(c Chunk) {
		if w.add(c); w.err != nil {
			cancel()
		}
	})
	if w.err != nil {
		return w.usage, w.err
	}
	if err != nil {
		return w.usage, err
	}
	return w.usage, w.end()
}

// promptOf returns the texts of a call as a prompt. The last message is the question.
func promptOf(body map[string]json.RawMessage) (*Prompt, error) {
	if err := checkPlain(body); err != nil {
		return nil, err
	}
	var messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(body["messages"], &messages) != nil || len(messages) == 0 {
		return nil, &Unsupported{"messages", "must be a list of messages"}
	}
	prompt := &Prompt{}
	var system []string
	for i, m := range messages {
		text, ok := TextOf(m.Content)
		switch last := i == len(messages)-1; {
		case !ok:
			return nil, &Unsupported{"messages", "this model takes only text"}
		case m.Role == "system" || m.Role == "developer":
			system = append(system, text)
		case last && m.Role == parley.RoleUser:
			prompt.Question = text
		case m.Role == parley.RoleUser || m.Role == parley.RoleAssistant:
			prompt.History = append(prompt.History, Message{Role: m.Role, Content: text})
		default: // the result of a tool
			prompt.History = append(prompt.History, Message{Role: parley.RoleUser, Content: text})
		}
	}
	prompt.System = strings.Join(system, "\n\n")
	return prompt, nil
}

// checkPlain refuses fields that ask for more than text. Those that only influence its choice are ignored.
func checkPlain(body map[string]json.RawMessage) error {
	var fields struct {
		N              *int            `json:"n"`
		ToolChoice     json.RawMessage `json:"tool_choice"`
		ResponseFormat struct {
			Type string `json:"type"`
		} `json:"response_format"`
		Modalities []string `json:"modalities"`
	}
	for _, field := range []struct {
		name string
		into any
	}{
		{"n", &fields.N},
		{"tool_choice", &fields.ToolChoice},
		{"response_format", &fields.ResponseFormat},
		{"modalities", &fields.Modalities},
	} {
		if value, given := body[field.name]; given && json.Unmarshal(value, field.into) != nil {
			return &Unsupported{field.name, "has a wrong type"}
		}
	}
	switch choice := string(fields.ToolChoice); {
	case fields.N != nil && *fields.N != 1:
		return &Unsupported{"n", "this model gives one choice"}
	case choice != "" && choice != "null" && choice != `"auto"` && choice != `"none"`:
		return &Unsupported{"tool_choice", "this model calls no tools"}
	case fields.ResponseFormat.Type != "" && fields.ResponseFormat.Type != "text":
		return &Unsupported{"response_format", "this model replies with text"}
	case len(fields.Modalities) > 1 || len(fields.Modalities) == 1 && fields.Modalities[0] != "text":
		return &Unsupported{"modalities", "this model replies with text"}
	}
	return nil
}

// TextOf returns the text of a message's content, which is a string, null or a list of text parts.
func TextOf(content json.RawMessage) (string, bool) {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return text, true
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return "", false
	}
	var texts []string
	for _, part := range parts {
		if part.Type != "text" {
			return "", false
		}
		texts = append(texts, part.Text)
	}
	return strings.Join(texts, "\n"), true
}
