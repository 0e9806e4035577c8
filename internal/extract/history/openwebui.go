package history

import (
	"cmp"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"

	"parley"
)

// openWebUI is an element of Open WebUI's export of chats.
type openWebUI struct {
	Title     text          `json:"title"`
	CreatedAt stamp         `json:"created_at"`
	Archived  flag          `json:"archived"`
	Chat      openWebUIChat `json:"chat"`
}

// openWebUIChat has a tree of messages and the last shown one. Old chats have a list.
type openWebUIChat struct {
	Title     text  `json:"title"`
	Timestamp stamp `json:"timestamp"`
	History   struct {
		Messages  map[string]openWebUIMessage `json:"messages"`
		CurrentID text                        `json:"currentId"`
	} `json:"history"`
	Messages []openWebUIMessage `json:"messages"`
}

type openWebUIMessage struct {
	ID        text  `json:"id"`
	ParentID  text  `json:"parentId"`
	Role      text  `json:"role"`
	Content   text  `json:"content"`
	Model     text  `json:"model"`
	Timestamp stamp `json:"timestamp"`
	Files     []struct {
		Type text `json:"type"`
	} `json:"files"`
	Sources []struct {
		Source struct {
			Name text `json:"name"`
			URL  text `json:"url"`
		} `json:"source"`
	} `json:"sources"`
}

func readOpenWebUI(raw []byte) (Conversation, error) {
	var c openWebUI
	odd := json.Unmarshal(raw, &c)
	made, err := c.Chat.read()
	made.Title = string(cmp.Or(c.Title, c.Chat.Title))
	made.CreatedAt = cmp.Or(int64(c.CreatedAt), made.CreatedAt)
	made.Archived = bool(c.Archived)
	return made, cmp.Or(err, odd)
}

// readOpenWebUIChat reads a chat by itself.
func readOpenWebUIChat(raw []byte) (Conversation, error) {
	var c openWebUIChat
	odd := json.Unmarshal(raw, &c)
	made, err := c.read()
	return made, cmp.Or(err, odd)
}

func (c openWebUIChat) read() (made Conversation, err error) {
	made = Conversation{Title: string(c.Title), CreatedAt: int64(c.Timestamp)}
	var nodes []node
	for id, m := range c.History.Messages {
		nodes = append(nodes, node{id: id, parent: string(m.ParentID), at: int64(m.Timestamp), message: m.read()})
	}
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	if len(nodes) > 0 {
		made.Messages, err = pathTo(nodes, string(c.History.CurrentID))
		return made, err
	}
	for _, m := range c.Messages {
		made.Messages = append(made.Messages, *m.read())
	}
	return made, nil
}

// reasoning is the thinking of a reply, which is in its text.
var reasoning = regexp.MustCompile(
	`(?s)<details type="reasoning"[^>]*>\s*(?:<summary>.*?</summary>)?(.*?)</details>\s*`)

// program is a program that a reply has run, with its output as an attribute. Its code is a block of Markdown.
var program = regexp.MustCompile(
	`(?s)<details type="code_interpreter"[^>]*>\s*(?:<summary>.*?</summary>)?\s*(.*?)\s*</details>`)

func (m openWebUIMessage) read() *Message {
	made := &Message{Role: string(m.Role), At: int64(m.Timestamp), Model: string(m.Model), Content: string(m.Content)}
	if made.Role == parley.RoleAssistant {
		made.Content, made.Thinking = splitReasoning(made.Content)
		made.left.Others = len(program.FindAllString(made.Content, -1))
		made.Content = program.ReplaceAllStringFunc(made.Content, func(found string) string {
			return html.UnescapeString(program.FindStringSubmatch(found)[1])
		})
	}
	for _, s := range m.Sources {
		made.Sources = append(made.Sources, parley.Source{
			Title: string(s.Source.Name), URL: string(cmp.Or(s.Source.URL, s.Source.Name)),
		})
	}
	for _, f := range m.Files {
		if f.Type == "image" {
			made.left.Pictures++
		} else {
			made.left.Others++
		}
	}
	made.Content = made.left.orText(made.Content)
	return made
}

// splitReasoning returns the text of a reply without its thinking, and the thinking.
func splitReasoning(content string) (reply, thinking string) {
	var thoughts []string
	for _, found := range reasoning.FindAllStringSubmatch(content, -1) {
		var lines []string
		for line := range strings.Lines(html.UnescapeString(strings.TrimSpace(found[1]))) {
			lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(line, ">"), " "))
		}
		thoughts = append(thoughts, strings.Join(lines, ""))
	}
	return reasoning.ReplaceAllString(content, ""), strings.Join(thoughts, "\n\n")
}
