// Package historytest writes exports of other services, for tests.
package historytest

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"
)

// Conversation is a conversation to write. Texts are questions and replies in turn.
type Conversation struct {
	ID    string
	Title string
	At    time.Time // of the first message; the others follow in steps of a second
	Texts []string
}

// object is a JSON object.
type object = map[string]any

// Numbered returns a conversation of some turns. Their texts have the number.
func Numbered(number, turns int) Conversation {
	c := Conversation{
		ID:    fmt.Sprintf("conversation-%d", number),
		Title: fmt.Sprintf("Chat %d", number),
		At:    time.Unix(1_700_000_000+int64(number)*1000, 0),
	}
	for turn := range turns {
		c.Texts = append(c.Texts, fmt.Sprintf("question %d of chat %d", turn, number),
			fmt.Sprintf("reply %d of chat %d", turn, number))
	}
	return c
}

func (c Conversation) at(i int) time.Time { return c.At.Add(time.Duration(i) * time.Second) }

func (c Conversation) messageID(i int) string { return fmt.Sprintf("%s-%d", c.ID, i) }

func role(i int) string {
	if i%2 == 0 {
		return "user"
	}
	return "assistant"
}

// ChatGPT returns conversations.json of ChatGPT's export. Each conversation has another branch, newer than the shown
// one.
func ChatGPT(conversations ...Conversation) []byte {
	all := []chatGPTConversation{}
	for _, c := range conversations {
		all = append(all, chatGPT(c))
	}
	return encode(all)
}

// chatGPTConversation has the order of the keys.
type chatGPTConversation struct {
	Title          string  `json:"title"`
	CreateTime     float64 `json:"create_time"`
	UpdateTime     float64 `json:"update_time"`
	Mapping        object  `json:"mapping"`
	CurrentNode    string  `json:"current_node"`
	ConversationID string  `json:"conversation_id"`
	ID             string  `json:"id"`
}

func chatGPT(c Conversation) chatGPTConversation {
	root, system := c.ID+"-root", c.ID+"-system"
	mapping := object{
		root: object{"id": root, "message": nil, "parent": nil, "children": []string{system}},
		system: object{
			"id": system, "parent": root, "children": []string{},
			"message": chatGPTMessage("system", "", 0, object{"is_visually_hidden_from_conversation": true}),
		},
	}
	parent := system
	for i, text := range c.Texts {
		id := c.messageID(i)
		mapping[id] = object{
			"id": id, "parent": parent, "children": []string{},
			"message": chatGPTMessage(role(i), text, seconds(c.at(i)), object{"model_slug": "gpt-4o"}),
		}
		parent = id
	}
	aside := c.ID + "-aside"
	mapping[aside] = object{
		"id": aside, "parent": system, "children": []string{},
		"message": chatGPTMessage("user", "a question that was replaced", seconds(c.at(1000)), object{}),
	}
	return chatGPTConversation{
		Title: c.Title, CreateTime: seconds(c.At), UpdateTime: seconds(c.at(len(c.Texts))),
		Mapping: mapping, CurrentNode: parent, ConversationID: c.ID, ID: c.ID,
	}
}

func chatGPTMessage(role, text string, at float64, metadata object) object {
	return object{
		"author":      object{"role": role, "name": nil, "metadata": object{}},
		"create_time": at, "content": object{"content_type": "text", "parts": []any{text}},
		"status": "finished_successfully", "end_turn": true, "weight": 1.0, "metadata": metadata, "recipient": "all",
	}
}

func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1000 }

// OpenWebUI returns Open WebUI's export of all chats. Each chat has another branch.
func OpenWebUI(conversations ...Conversation) []byte {
	all := []object{}
	for _, c := range conversations {
		messages, parent := object{}, any(nil)
		for i, text := range c.Texts {
			messages[c.messageID(i)] = object{
				"id": c.messageID(i), "parentId": parent, "childrenIds": []string{}, "role": role(i), "content": text,
				"timestamp": c.at(i).Unix(), "model": "llama3.1:8b",
			}
			parent = c.messageID(i)
		}
		messages["aside"] = object{
			"id": "aside", "parentId": nil, "childrenIds": []string{}, "role": "user",
			"content": "a question that was replaced", "timestamp": c.at(1000).Unix(),
		}
		all = append(all, object{
			"id": c.ID, "user_id": "someone", "title": c.Title, "created_at": c.At.Unix(), "updated_at": c.At.Unix(),
			"chat": object{
				"title": c.Title, "models": []string{"llama3.1:8b"}, "timestamp": c.At.UnixMilli(),
				"history": object{"messages": messages, "currentId": parent}, "messages": []any{},
			},
			"archived": false, "pinned": false, "meta": object{},
		})
	}
	return encode(all)
}

// LibreChat returns LibreChat's export of a conversation, with its messages in a list.
func LibreChat(c Conversation) []byte {
	messages := []object{}
	for i := range c.Texts {
		messages = append(messages, libreChatMessage(c, i))
	}
	return encode(libreChat(c, false, messages))
}

// LibreChatTree returns LibreChat's export of a conversation with its messages in a tree, which has another, older
// branch.
func LibreChatTree(c Conversation) []byte {
	var child object
	for i := len(c.Texts) - 1; i >= 0; i-- {
		m := libreChatMessage(c, i)
		m["children"] = []object{}
		if child != nil {
			m["children"] = []object{child}
		}
		child = m
	}
	aside := libreChatMessage(c, 0)
	aside["messageId"], aside["text"] = "aside", "a question that was replaced"
	return encode(libreChat(c, true, []object{child, aside}))
}

func libreChat(c Conversation, recursive bool, messages []object) object {
	return object{
		"conversationId": c.ID, "endpoint": "openAI", "title": c.Title, "exportAt": "10:00:00 GMT+0000",
		"branches": recursive, "recursive": recursive, "options": object{"model": "gpt-4o"}, "messages": messages,
	}
}

func libreChatMessage(c Conversation, i int) object {
	parent, sender := "00000000-0000-0000-0000-000000000000", "User"
	if i > 0 {
		parent = c.messageID(i - 1)
	}
	if i%2 == 1 {
		sender = "GPT-4"
	}
	return object{
		"messageId": c.messageID(i), "parentMessageId": parent, "conversationId": c.ID, "sender": sender,
		"isCreatedByUser": i%2 == 0, "text": c.Texts[i], "createdAt": c.at(i).UTC().Format(time.RFC3339Nano),
	}
}

// File is a file of an archive.
type File struct {
	Name    string
	Content []byte
}

// Zip returns an archive.
func Zip(files ...File) []byte {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, file := range files {
		w, err := archive.Create(file.Name)
		if err == nil {
			_, err = w.Write(file.Content)
		}
		if err != nil {
			panic(err) // a buffer takes all
		}
	}
	if err := archive.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// Overlapping returns an archive with many entries that are all the same bytes: a JSON array of a size.
func Overlapping(entries int, size int) []byte {
	var packed bytes.Buffer
	deflate, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		panic(err) // the level is one
	}
	content := append(append([]byte{'['}, bytes.Repeat([]byte(`{"a":1},`), size/8)...), "{}]"...)
	if _, err := deflate.Write(content); err != nil {
		panic(err) // a buffer takes all
	}
	if err := deflate.Close(); err != nil {
		panic(err)
	}
	const name = "conversations.json"
	sizes := func(at []byte) { // CRC-32 and the sizes
		binary.LittleEndian.PutUint32(at, crc32.ChecksumIEEE(content))
		binary.LittleEndian.PutUint32(at[4:], uint32(packed.Len()))
		binary.LittleEndian.PutUint32(at[8:], uint32(len(content)))
	}
	local := make([]byte, 30)
	copy(local, "PK\x03\x04\x14\x00\x00\x00\x08\x00")
	sizes(local[14:])
	local[26] = byte(len(name))
	out := append(append(local, name...), packed.Bytes()...)
	directory := len(out)
	for range entries {
		central := make([]byte, 46)
		copy(central, "PK\x01\x02\x14\x00\x14\x00\x00\x00\x08\x00")
		sizes(central[16:])
		central[28] = byte(len(name))
		out = append(append(out, central...), name...)
	}
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	binary.LittleEndian.PutUint16(end[8:], uint16(entries))
	binary.LittleEndian.PutUint16(end[10:], uint16(entries))
	binary.LittleEndian.PutUint32(end[12:], uint32(len(out)-directory))
	binary.LittleEndian.PutUint32(end[16:], uint32(directory))
	return append(out, end...)
}

// ChatGPTZip returns ChatGPT's export as it is downloaded.
func ChatGPTZip(conversations ...Conversation) []byte {
	return Zip(
		File{"chat.html", []byte("<html></html>")},
		File{"user.json", []byte(`{"id":"user-1","email":"ada@example.com"}`)},
		File{"shared_conversations.json", []byte(`[{"id":"x","conversation_id":"y","title":"shared"}]`)},
		File{"message_feedback.json", []byte(`[]`)},
		File{"conversations.json", ChatGPT(conversations...)},
	)
}

func encode(value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err) // there are only texts and numbers
	}
	return encoded
}
