package door

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley"
)

// chatMessage is a message of a chat completion.
type chatMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"` // a text, a list of parts, or nil
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// inputItem is an item of the input of a response.
type inputItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// inputMessages returns the input of a response as the messages of a chat completion. find returns an earlier output
// item by its id.
func inputMessages(input json.RawMessage, find func(id string) (outputItem, error)) ([]chatMessage, error) {
	var text string
	if json.Unmarshal(input, &text) == nil {
		return []chatMessage{{Role: parley.RoleUser, Content: text}}, nil
	}
	var items []inputItem
	if json.Unmarshal(input, &items) != nil || len(items) == 0 {
		return nil, invalid("input", "must be a text or a list of items")
	}
	var messages []chatMessage
	for i, item := range items {
		param := fmt.Sprintf("input[%d]", i)
		var err error
		switch item.Type {
		case "", typeMessage:
			messages, err = appendMessage(messages, item, param)
		case typeCall:
			messages = appendCall(messages, toolCall{
				ID: item.CallID, Type: "function", Function: functionCall{Name: item.Name, Arguments: item.Arguments},
			})
		case "function_call_output":
			messages, err = appendOutput(messages, item, param)
		case "item_reference":
			var found outputItem
			if found, err = find(item.ID); err == nil {
				messages = appendItem(messages, found)
			}
		case "reasoning": // is not given back to models
		default:
			err = unsupported(param + ".type")
		}
		if err != nil {
			return nil, err
		}
	}
	return messages, nil
}

func appendMessage(messages []chatMessage, item inputItem, param string) ([]chatMessage, error) {
	if !slices.Contains([]string{"user", "assistant", "system", "developer"}, item.Role) {
		return nil, invalid(param+".role", "must be user, assistant, system or developer")
	}
	if item.Role == "developer" {
		item.Role = "system" // which every server knows
	}
	content, err := contentOf(item.Content, param+".content")
	if err != nil {
		return nil, err
	}
	return append(messages, chatMessage{Role: item.Role, Content: content}), nil
}

// appendCall adds a call of a function to the message of the assistant that it belongs to.
func appendCall(messages []chatMessage, call toolCall) []chatMessage {
	if last := len(messages) - 1; last >= 0 && messages[last].Role == parley.RoleAssistant {
		messages[last].ToolCalls = append(messages[last].ToolCalls, call)
		return messages
	}
	return append(messages, chatMessage{Role: parley.RoleAssistant, ToolCalls: []toolCall{call}})
}

func appendOutput(messages []chatMessage, item inputItem, param string) ([]chatMessage, error) {
	content, err := contentOf(item.Output, param+".output")
	if err != nil {
		return nil, err
	}
	return append(messages, chatMessage{Role: "tool", ToolCallID: item.CallID, Content: content}), nil
}

// appendItem adds an item of an earlier response.
func appendItem(messages []chatMessage, item outputItem) []chatMessage {
	if item.Type == typeMessage {
		return append(messages, chatMessage{Role: parley.RoleAssistant, Content: item.text()})
	}
	return appendCall(messages, toolCall{
		ID: item.CallID, Type: "function", Function: functionCall{Name: item.Name, Arguments: item.text()},
	})
}

// contentOf returns the content of a message. A list of texts becomes one text, since not every server takes parts.
func contentOf(content json.RawMessage, param string) (any, error) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Refusal  string `json:"refusal"`
		ImageURL string `json:"image_url"`
		Detail   string `json:"detail"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return nil, invalid(param, "must be a text or a list of parts")
	}
	var texts []string
	var all []map[string]any
	for i, part := range parts {
		switch {
		case slices.Contains([]string{"input_text", "output_text", "text", "refusal"}, part.Type):
			texts = append(texts, part.Text+part.Refusal)
			all = append(all, map[string]any{"type": "text", "text": part.Text + part.Refusal})
		case part.Type == "input_image" && part.ImageURL != "":
			image := map[string]any{"url": part.ImageURL}
			if part.Detail != "" {
				image["detail"] = part.Detail
			}
			all = append(all, map[string]any{"type": "image_url", "image_url": image})
		default:
			return nil, unsupported(fmt.Sprintf("%s[%d]", param, i))
		}
	}
	if len(texts) == len(parts) {
		return strings.Join(texts, "\n"), nil
	}
	return all, nil
}
