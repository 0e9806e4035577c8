package history

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"parley"
)

// chatGPT is a conversation in conversations.json of ChatGPT's export: a tree of nodes, and the last one that is shown.
type chatGPT struct {
	Title       text                   `json:"title"`
	CreateTime  stamp                  `json:"create_time"`
	CurrentNode text                   `json:"current_node"`
	Mapping     map[string]chatGPTNode `json:"mapping"`
}

type chatGPTNode struct {
	Parent  text            `json:"parent"`
	Message *chatGPTMessage `json:"message"`
}

type chatGPTMessage struct {
	Author struct {
		Role text `json:"role"`
	} `json:"author"`
	CreateTime stamp `json:"create_time"`
	Content    struct {
		Type     text          `json:"content_type"`
		Parts    []chatGPTPart `json:"parts"`
		Thoughts []struct {
			Summary text `json:"summary"`
			Content text `json:"content"`
		} `json:"thoughts"`
	} `json:"content"`
	Recipient text `json:"recipient"`
	Metadata  struct {
		Hidden     bool `json:"is_visually_hidden_from_conversation"`
		Model      text `json:"model_slug"`
		References []struct {
			chatGPTSource
			Items []chatGPTSource `json:"items"`
		} `json:"content_references"`
	} `json:"metadata"`
}

type chatGPTSource struct {
	Title text `json:"title"`
	URL   text `json:"url"`
}

// chatGPTPart is a part of a message: a text, or an object such as a picture or a transcript.
type chatGPTPart struct {
	text  string
	image bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *chatGPTPart) UnmarshalJSON(raw []byte) error {
	*p = chatGPTPart{}
	switch raw[0] {
	case '"':
		return json.Unmarshal(raw, &p.text)
	case '{':
		var object struct {
			Type text `json:"content_type"`
			Text text `json:"text"`
		}
		if err := json.Unmarshal(raw, &object); err != nil {
			return err
		}
		p.text, p.image = string(object.Text), object.Type == "image_asset_pointer"
	}
	return nil
}

func readChatGPT(raw []byte) (Conversation, error) {
	var c chatGPT
	if err := json.Unmarshal(raw, &c); err != nil {
		return Conversation{Title: string(c.Title)}, err
	}
	nodes := make([]node, 0, len(c.Mapping))
	for id, n := range c.Mapping {
		made := node{id: id, parent: string(n.Parent)}
		if n.Message != nil {
			made.at, made.message = int64(n.Message.CreateTime), n.Message.read()
		}
		nodes = append(nodes, made)
	}
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	return Conversation{
		Title: string(c.Title), CreatedAt: int64(c.CreateTime), Messages: pathTo(nodes, string(c.CurrentNode)),
	}, nil
}

// marker is a reference to a source in the text of a reply, in characters for private use.
var marker = regexp.MustCompile("\ue200[^\ue201]*\ue201")

// read returns the message, or nil if it is not shown: a call of a tool, or something hidden.
func (m *chatGPTMessage) read() *Message {
	if m.Metadata.Hidden || m.Recipient != "" && m.Recipient != "all" {
		return nil
	}
	made := Message{Role: string(m.Author.Role), At: int64(m.CreateTime), Model: string(m.Metadata.Model)}
	switch m.Content.Type {
	case "text", "multimodal_text", "":
		made.Content = m.parts()
	case "thoughts":
		var thoughts []string
		for _, t := range m.Content.Thoughts {
			thoughts = append(thoughts, strings.TrimSpace(string(cmp.Or(t.Content, t.Summary))))
		}
		made.Thinking = strings.Join(thoughts, "\n\n")
	default:
		return nil
	}
	for _, reference := range m.Metadata.References {
		for _, s := range append(reference.Items, reference.chatGPTSource) {
			made.Sources = append(made.Sources, parley.Source{Title: string(s.Title), URL: string(s.URL)})
		}
	}
	return &made
}

func (m *chatGPTMessage) parts() string {
	var texts []string
	image := false
	for _, p := range m.Content.Parts {
		image = image || p.image
		if p.text != "" {
			texts = append(texts, p.text)
		}
	}
	content := marker.ReplaceAllString(strings.Join(texts, "\n\n"), "")
	return orImage(content, image)
}

// orImage returns a text, or what stands for a message that is only a picture.
func orImage(content string, image bool) string {
	if image && strings.TrimSpace(content) == "" {
		return "[image]"
	}
	return content
}
