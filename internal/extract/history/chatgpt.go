package history

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"parley"
)

// chatGPT is a conversation in conversations.json of ChatGPT's export: a tree of nodes, and the last shown one.
type chatGPT struct {
	Title       text                   `json:"title"`
	CreateTime  stamp                  `json:"create_time"`
	CurrentNode text                   `json:"current_node"`
	Archived    flag                   `json:"is_archived"`
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
		Language text          `json:"language"`
		Text     text          `json:"text"`
		Parts    []chatGPTPart `json:"parts"`
		Thoughts []struct {
			Summary text `json:"summary"`
			Content text `json:"content"`
		} `json:"thoughts"`
	} `json:"content"`
	Recipient text `json:"recipient"`
	Metadata  struct {
		Hidden      bool `json:"is_visually_hidden_from_conversation"`
		Model       text `json:"model_slug"`
		Attachments []struct {
			Type text `json:"mime_type"`
		} `json:"attachments"`
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
	text string
	left Left
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
		switch p.text = string(object.Text); {
		case object.Type == "image_asset_pointer":
			p.left.Pictures = 1
		case p.text == "" && object.Type != "audio_transcription":
			p.left.Others = 1
		}
	}
	return nil
}

func readChatGPT(raw []byte) (Conversation, error) {
	var c chatGPT
	odd := json.Unmarshal(raw, &c)
	nodes := make([]node, 0, len(c.Mapping))
	for id, n := range c.Mapping {
		made := node{id: id, parent: string(n.Parent)}
		if n.Message != nil {
			made.at, made.message = int64(n.Message.CreateTime), n.Message.read()
		}
		nodes = append(nodes, made)
	}
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	messages, err := pathTo(nodes, string(c.CurrentNode))
	return Conversation{
		Title: string(c.Title), CreatedAt: int64(c.CreateTime), Archived: bool(c.Archived), Messages: messages,
	}, cmp.Or(err, odd)
}

// marker is a reference to a source in the text of a reply, in characters for private use.
var marker = regexp.MustCompile("\ue200[^\ue201]*\ue201")

const (
	// interpreter is the recipient of programs that ChatGPT runs.
	interpreter = "python"
	// canvas begins the recipients of documents, and their changes, that ChatGPT shows beside the conversation.
	canvas = "canmore."
)

// read returns the message, or nil if it is not shown. Calls of tools are not, except programs for the interpreter.
func (m *chatGPTMessage) read() *Message {
	isCode := m.Content.Type == "code" && m.Recipient == interpreter
	switch {
	case m.Metadata.Hidden:
		return nil
	case strings.HasPrefix(string(m.Recipient), canvas):
		return &Message{left: Left{Others: 1}}
	case m.Recipient != "" && m.Recipient != "all" && !isCode:
		return nil
	}
	made := Message{Role: string(m.Author.Role), At: int64(m.CreateTime), Model: string(m.Metadata.Model)}
	switch m.Content.Type {
	case "text", "multimodal_text", "":
		made.Content, made.left = m.parts()
	case "code":
		made.Content = fenced(m.language(), string(m.Content.Text))
	case "execution_output":
		made.left.Others = 1
	case "thoughts":
		var thoughts []string
		for _, t := range m.Content.Thoughts {
			thoughts = append(thoughts, strings.TrimSpace(string(cmp.Or(t.Content, t.Summary))))
		}
		made.Thinking = strings.Join(thoughts, between)
	case "reasoning_recap", "model_editable_context", "user_editable_context":
		return nil // how long it thought, and what it knows of its user
	default: // what a tool has said is not shown
		if made.Role != parley.RoleUser && made.Role != parley.RoleAssistant {
			return nil
		}
		made.left.Others = 1
	}
	for _, reference := range m.Metadata.References {
		for _, s := range append(reference.Items, reference.chatGPTSource) {
			made.Sources = append(made.Sources, parley.Source{Title: string(s.Title), URL: string(s.URL)})
		}
	}
	return &made
}

// language returns the language of the code in a message, or "" if it is not known.
func (m *chatGPTMessage) language() string {
	language := string(m.Content.Language)
	if language != "" && language != "unknown" {
		return language
	}
	if m.Recipient == interpreter {
		return interpreter
	}
	return ""
}

// parts returns the text of a message, and what is left out.
func (m *chatGPTMessage) parts() (string, Left) {
	var texts []string
	var left Left
	for _, p := range m.Content.Parts {
		left.Pictures += p.left.Pictures
		left.Others += p.left.Others
		if p.text != "" {
			texts = append(texts, p.text)
		}
	}
	pictures := 0
	for _, attached := range m.Metadata.Attachments {
		if strings.HasPrefix(string(attached.Type), "image/") {
			pictures++
		} else {
			left.Others++
		}
	}
	left.Pictures = max(left.Pictures, pictures) // most are among the parts, too
	content := marker.ReplaceAllString(strings.Join(texts, "\n\n"), "")
	return left.orText(content), left
}
