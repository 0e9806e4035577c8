package history

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"parley"
)

// libreChat is LibreChat's export of a conversation. Its messages are a list with links, or a tree.
type libreChat struct {
	Title        text               `json:"title"`
	CreatedAt    stamp              `json:"createdAt"`
	Messages     []libreChatMessage `json:"messages"`
	MessagesTree []libreChatMessage `json:"messagesTree"`
}

type libreChatMessage struct {
	MessageID string             `json:"messageId"`
	ParentID  text               `json:"parentMessageId"`
	Text      text               `json:"text"`
	Content   []libreChatPart    `json:"content"`
	Sender    text               `json:"sender"`
	ByUser    bool               `json:"isCreatedByUser"`
	Model     text               `json:"model"`
	CreatedAt stamp              `json:"createdAt"`
	Children  []libreChatMessage `json:"children"`
	Files     []struct {
		Type text `json:"type"`
	} `json:"files"`
}

// libreChatPart is a part of a reply. A text is a string or an object with one.
type libreChatPart struct {
	Type  text            `json:"type"`
	Text  json.RawMessage `json:"text"`
	Think text            `json:"think"`
	Call  struct {
		Name text `json:"name"`
		Args text `json:"args"`
	} `json:"tool_call"`
}

// code returns the program that a part has run as a block, or "".
func (p libreChatPart) code() string {
	var args struct {
		Language text `json:"lang"`
		Code     text `json:"code"`
	}
	if p.Call.Name != "execute_code" || json.Unmarshal([]byte(p.Call.Args), &args) != nil {
		return ""
	}
	return fenced(string(args.Language), string(args.Code))
}

func readLibreChat(raw []byte) (Conversation, error) {
	var c libreChat
	odd := json.Unmarshal(raw, &c)
	messages := c.MessagesTree
	if len(messages) == 0 {
		messages = c.Messages
	}
	var nodes []node
	for _, m := range messages {
		nodes = m.appendTo(nodes, string(m.ParentID))
	}
	path, err := pathTo(nodes, "")
	return Conversation{
		Title: string(c.Title), CreatedAt: int64(c.CreatedAt), Messages: path,
	}, cmp.Or(err, odd)
}

// appendTo adds the message and those under it. The depth is bounded by encoding/json.
func (m libreChatMessage) appendTo(nodes []node, parent string) []node {
	id := m.MessageID
	if id == "" {
		id = "message " + strconv.Itoa(len(nodes))
	}
	nodes = append(nodes, node{id: id, parent: parent, at: int64(m.CreatedAt), message: m.read()})
	for _, child := range m.Children {
		nodes = child.appendTo(nodes, id)
	}
	return nodes
}

func (m libreChatMessage) read() *Message {
	made := &Message{Role: parley.RoleAssistant, At: int64(m.CreatedAt), Model: string(m.Model)}
	if m.ByUser || strings.EqualFold(string(m.Sender), "user") {
		made.Role = parley.RoleUser
	}
	texts, thoughts := []string{}, []string{}
	for _, p := range m.Content {
		switch p.Type {
		case "text":
			texts = append(texts, p.read())
		case "think":
			thoughts = append(thoughts, string(p.Think))
		case "image_file", "image_url":
			made.left.Pictures++
		case "tool_call":
			if code := p.code(); code != "" {
				texts = append(texts, code)
				made.left.Others++ // its output
			}
		case "", "agent_update":
		default:
			made.left.Others++
		}
	}
	for _, f := range m.Files {
		if strings.HasPrefix(string(f.Type), "image/") {
			made.left.Pictures++
		} else {
			made.left.Others++
		}
	}
	made.Content, made.Thinking = strings.Join(texts, "\n\n"), strings.Join(thoughts, "\n\n")
	if strings.TrimSpace(made.Content) == "" {
		made.Content = string(m.Text)
	}
	made.Content = made.left.orText(made.Content)
	return made
}

func (p libreChatPart) read() string {
	if len(p.Text) > 0 && p.Text[0] == '{' {
		var object struct {
			Value text `json:"value"`
		}
		_ = json.Unmarshal(p.Text, &object) // it was decoded once already
		return string(object.Value)
	}
	var value text
	if len(p.Text) > 0 {
		_ = value.UnmarshalJSON(p.Text) // it was decoded once already
	}
	return string(value)
}
