package openaiapi

import "encoding/json"

// withInstructions returns the fields of a chat completion with the instructions of the server before all else. They
// become part of a system or developer message at the beginning, since many models take only one. The given fields are
// changed: there is one place to clear them.
func (a *API) withInstructions(body fields) (fields, error) {
	text := a.instructions()
	if text == "" {
		return body, nil
	}
	var messages []json.RawMessage
	if err := body.take("messages", &messages); err != nil {
		return nil, err
	}
	if first, ok := instructed(messages, text); ok {
		messages[0] = first
	} else {
		own, err := encode(chatMessage{Role: "system", Content: text})
		if err != nil {
			return nil, err
		}
		messages = append([]json.RawMessage{own}, messages...)
	}
	body["messages"] = joinList(messages)
	return body, nil
}

// instructed returns the first message with a text before its own, if it is one of the system or the developer.
func instructed(messages []json.RawMessage, text string) (json.RawMessage, bool) {
	if len(messages) == 0 {
		return nil, false
	}
	var message fields
	if json.Unmarshal(messages[0], &message) != nil {
		return nil, false
	}
	role, err := message.text("role")
	if err != nil || role != "system" && role != "developer" {
		return nil, false
	}
	var plain string
	var parts []json.RawMessage
	var content any
	switch {
	case json.Unmarshal(message["content"], &plain) == nil:
		content = text + "\n\n" + plain
	case json.Unmarshal(message["content"], &parts) == nil:
		part, _ := encode(map[string]string{"type": "text", "text": text}) // a text can always be encoded
		content = json.RawMessage(joinList(append([]json.RawMessage{part}, parts...)))
	default:
		return nil, false
	}
	if message["content"], err = encode(content); err != nil {
		return nil, false
	}
	data, err := encode(message)
	return data, err == nil
}
