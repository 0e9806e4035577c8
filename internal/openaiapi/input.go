package openaiapi

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

// contentPart is a part of a message's content: a text or a picture.
type contentPart struct {
	Image *imagePart `json:"image_url,omitempty"`
	Text  *string    `json:"text,omitempty"`
	Type  string     `json:"type"`
}

type imagePart struct {
	Detail string `json:"detail,omitempty"`
	URL    string `json:"url"`
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

// typeReference is the type of an item that refers to one of a stored response.
const typeReference = "item_reference"

// maxItems limits the items of a request's input, and the parts of each of them.
const maxItems = 10_000

// inputItems returns the items of the input of a response. A text is a message of the user.
func inputItems(input json.RawMessage) (items []inputItem, err error) {
	switch {
	case len(input) == 0:
		return nil, nil
	case input[0] == '"':
		return []inputItem{{Role: parley.RoleUser, Content: input}}, nil
	case input[0] == '[' && commas(input, 1) >= maxItems:
		return nil, invalid("input", "can have at most 10,000 items")
	case json.Unmarshal(input, &items) != nil || len(items) == 0:
		return nil, invalid("input", "must be a text or a list of items")
	}
	return items, nil
}

// addItems adds the input of a request.
func (c *conversation) addItems(items []inputItem) (err error) {
	for i, item := range items {
		items[i] = inputItem{} // free its memory
		param := fmt.Sprintf("input[%d]", i)
		switch item.Type {
		case "", typeMessage:
			c.messages, err = appendMessage(c.messages, item, param)
		case typeCall:
			c.addCall(toolCall{
				ID: item.CallID, Type: "function", Function: functionCall{Name: item.Name, Arguments: item.Arguments},
			})
		case "function_call_output":
			c.messages, err = appendOutput(c.messages, item, param)
		case typeReference:
			err = c.addReference(item.ID)
		case "reasoning": // is not given back to models
		default:
			err = unsupported(param + ".type")
		}
		if err != nil {
			return err
		}
	}
	return nil
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

// addCall adds a call of a function to the message of the assistant that it belongs to.
func (c *conversation) addCall(call toolCall) {
	if last := len(c.messages) - 1; last >= 0 && c.messages[last].Role == parley.RoleAssistant {
		c.messages[last].ToolCalls = append(c.messages[last].ToolCalls, call)
		return
	}
	c.messages = append(c.messages, chatMessage{Role: parley.RoleAssistant, ToolCalls: []toolCall{call}})
}

func appendOutput(messages []chatMessage, item inputItem, param string) ([]chatMessage, error) {
	content, err := contentOf(item.Output, param+".output")
	if err != nil {
		return nil, err
	}
	return append(messages, chatMessage{Role: "tool", ToolCallID: item.CallID, Content: content}), nil
}

// addOutput adds an item of an earlier response.
func (c *conversation) addOutput(item outputItem) {
	c.size += int64(len(item.text()) + len(item.CallID) + len(item.Name))
	if item.Type == typeMessage {
		c.messages = append(c.messages, chatMessage{Role: parley.RoleAssistant, Content: item.text()})
		return
	}
	c.addCall(toolCall{
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
	if commas(content, 1) >= maxItems {
		return nil, invalid(param, "can have at most 10,000 parts")
	}
	if json.Unmarshal(content, &parts) != nil {
		return nil, invalid(param, "must be a text or a list of parts")
	}
	var texts []string
	for i, part := range parts {
		switch {
		case slices.Contains([]string{"input_text", "output_text", "text", "refusal"}, part.Type):
			texts = append(texts, part.Text+part.Refusal)
		case part.Type != "input_image" || part.ImageURL == "":
			return nil, unsupported(fmt.Sprintf("%s[%d]", param, i))
		}
	}
	if len(texts) == len(parts) {
		return strings.Join(texts, "\n"), nil
	}
	all := make([]contentPart, len(parts))
	for i, part := range parts {
		if part.ImageURL != "" {
			all[i] = contentPart{Type: "image_url", Image: &imagePart{URL: part.ImageURL, Detail: part.Detail}}
			continue
		}
		text := part.Text + part.Refusal
		all[i] = contentPart{Type: "text", Text: &text}
	}
	return all, nil
}
