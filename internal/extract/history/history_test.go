package history_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/extract/history"
	. "parley/internal/extract/history/historytest"
)

var ferry = Conversation{
	ID: "c1", Title: "Ferries", At: time.Unix(1_700_000_000, 0),
	Texts: []string{"Which ferry?", "The fast one.", "And 回来?", "The slow one. ⛴"},
}

const (
	ferryTurns   = "user: Which ferry?|assistant: The fast one.|user: And 回来?|assistant: The slow one. ⛴"
	unlimited    = 1 << 40
	microseconds = 1_000_000
)

func file(content []byte) history.File {
	return history.File{Bytes: bytes.NewReader(content), Size: int64(len(content)), MaxUnpacked: unlimited}
}

func entries(t *testing.T, content []byte) (all []history.Entry) {
	t.Helper()
	if err := file(content).Check(); err != nil {
		t.Fatalf("it is refused: %v", err)
	}
	err := file(content).Each(0, func(e history.Entry) error {
		all = append(all, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func turns(e history.Entry) string {
	var lines []string
	for _, m := range e.Messages {
		lines = append(lines, m.Role+": "+m.Content)
	}
	return strings.Join(lines, "|")
}

// own returns our export of a conversation.
func own(c Conversation) []byte {
	export := parley.Export{SessionID: c.ID, Title: c.Title, CreatedAt: c.At.Unix()}
	for i, text := range c.Texts {
		role := parley.RoleUser
		if i%2 == 1 {
			role = parley.RoleAssistant
		}
		at := c.At.Unix() + int64(i)
		export.Messages = append(export.Messages, parley.Message{Role: role, Content: text, Timestamp: at})
	}
	encoded, _ := json.Marshal(export)
	return encoded
}

func TestEveryFormatIsRead(t *testing.T) {
	envelope := []byte(`{"error":0,"body":` + string(own(ferry)) + `,"message":"ok","success":true}`)
	for name, content := range map[string][]byte{
		"ChatGPT":              ChatGPT(ferry),
		"ChatGPT's zip":        ChatGPTZip(ferry),
		"Open WebUI":           OpenWebUI(ferry),
		"LibreChat":            LibreChat(ferry),
		"LibreChat's tree":     LibreChatTree(ferry),
		"our own":              own(ferry),
		"our own in envelope":  envelope,
		"our own in a zip":     Zip(File{Name: "sessions/1.json", Content: own(ferry)}, File{Name: "a.txt"}),
		"with a BOM and space": append([]byte("\xef\xbb\xbf \n"), ChatGPT(ferry)...),
	} {
		all := entries(t, content)
		if len(all) != 1 || all[0].Skipped != nil {
			t.Errorf("%s: %+v", name, all)
			continue
		}
		e := all[0]
		if got := turns(e); got != ferryTurns || e.Title != "Ferries" {
			t.Errorf("%s: %q has %s", name, e.Title, got)
		}
		for i, m := range e.Messages {
			if want := (ferry.At.Unix() + int64(i)) * microseconds; m.At != want {
				t.Errorf("%s: message %d is from %d, want %d", name, i, m.At, want)
			}
		}
		if (e.SessionID == ferry.ID) != strings.HasPrefix(name, "our own") {
			t.Errorf("%s: the session is %q", name, e.SessionID)
		}
	}
}

func TestSeveralConversationsAreReadInOrder(t *testing.T) {
	content := Zip(
		File{Name: "conversations-000.json", Content: ChatGPT(Numbered(0, 1), Numbered(1, 1))},
		File{Name: "conversations-001.json", Content: ChatGPT(Numbered(2, 1))},
		File{Name: "3.json", Content: own(Numbered(3, 1))})
	for skip := range 6 {
		var titles []string
		err := file(content).Each(int64(skip), func(e history.Entry) error {
			titles = append(titles, e.Title)
			return nil
		})
		want := []string{"Chat 0", "Chat 1", "Chat 2", "Chat 3"}[min(skip, 4):]
		if err != nil || fmt.Sprint(titles) != fmt.Sprint(want) {
			t.Errorf("after %d: %q, %v", skip, titles, err)
		}
	}
}

func TestAnotherKindOfFileIsRefused(t *testing.T) {
	for name, content := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "an empty list": []byte("[]"), "numbers": []byte("[1, 2, 3]"),
		"another object": []byte(`{"a": 1}`), "other objects": []byte(`[{"a": 1}]`), "cut off": []byte(`[{"mapping": {`),
		"a zip of other files": Zip(File{Name: "user.json", Content: []byte(`{"id":"x"}`)}, File{Name: "b.txt"}),
	} {
		if err := file(content).Check(); !errors.Is(err, parley.ErrFormatUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := ChatGPTZip(ferry)
	if err := file(broken[:len(broken)-8]).Check(); !errors.Is(err, parley.ErrFileUnreadable) {
		t.Errorf("a broken zip: %v", err)
	}
	bomb := file(ChatGPTZip(ferry))
	bomb.MaxUnpacked = 100
	if err := bomb.Check(); !errors.Is(err, parley.ErrFileUnreadable) {
		t.Errorf("a bomb: %v", err)
	}
}

func TestWhatDoesNotFitIsSkippedWithItsReason(t *testing.T) {
	conversation := func(title string, texts ...string) Conversation {
		return Conversation{ID: title, Title: title, At: ferry.At, Texts: texts}
	}
	many := conversation("many", make([]string, history.MaxMessages+2)...)
	for i := range many.Texts {
		many.Texts[i] = "x"
	}
	large := conversation("large")
	for range 20 {
		large.Texts = append(large.Texts, "q", strings.Repeat("x", 1<<20))
	}
	content := ChatGPT(
		conversation("empty"), conversation("asked only", "hello?"), conversation("blank", "hello?", " \n"),
		conversation("long question", strings.Repeat("长", parley.MaxContent+1), "reply"),
		conversation("long reply", "hello?", strings.Repeat("x", 8<<20)),
		many, large, ferry)
	content = append(content[:len(content)-1], `,{"title": "odd", "a": 1},{"title": "wrong", "mapping": {"a": []}}]`...)
	var got []string
	for _, e := range entries(t, content) {
		if e.Skipped != nil {
			got = append(got, e.Title+": "+e.Skipped.Message)
		} else {
			got = append(got, e.Title)
		}
	}
	const none, long, big = "it has no question with a reply", "one of its messages is longer than the limit",
		"it is larger than the limit of a conversation"
	want := []string{
		"empty: " + none, "asked only: " + none, "blank: " + none, "long question: " + long, "long reply: " + long,
		"many: " + big, "large: " + big, "Ferries",
		"odd: it is not a conversation in a known format", "wrong: it is not a conversation in a known format",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q", got)
	}
}

func TestAFileThatEndsEarlyKeepsWhatCameBefore(t *testing.T) {
	content := ChatGPT(Numbered(0, 1), Numbered(1, 1))
	content = content[:len(content)-20]
	count := 0
	err := file(content).Each(0, func(history.Entry) error { count++; return nil })
	if !errors.Is(err, parley.ErrFileUnreadable) || count != 1 {
		t.Errorf("a file: %d, %v", count, err)
	}
	archive := Zip(File{Name: "a.json", Content: content}, File{Name: "b.json", Content: own(ferry)})
	var got []string
	for _, e := range entries(t, archive) {
		got = append(got, fmt.Sprint(e.Title, e.Skipped != nil))
	}
	if fmt.Sprint(got) != "[Chat 0false a.jsontrue Ferriesfalse]" {
		t.Errorf("an archive: %q", got)
	}
	for skip, want := range []int{3, 2, 1, 0} {
		count = 0
		err := file(archive).Each(int64(skip), func(history.Entry) error { count++; return nil })
		if err != nil || count != want {
			t.Errorf("after %d: %d, %v", skip, count, err)
		}
	}
}

func TestMessagesTakeTurns(t *testing.T) {
	content := []byte(`{"session_id": "s", "title": "New chat", "messages": [
		{"role": "assistant", "content": "Hello!"},
		{"role": "user", "content": "one"}, {"role": "system", "content": "hidden"}, {"role": "user", "content": "two\u0000"},
		{"role": "assistant", "content": "", "thinking": "hm"}, {"role": "tool", "content": "42"},
		{"role": "assistant", "content": "three", "sources": [{"title": "", "url": "https://example.com/"},
			{"title": "bad", "url": "javascript:alert(1)"}]},
		{"role": "assistant", "content": "four", "status": "stopped", "model": "m"},
		{"role": "user", "content": "no reply"}]}`)
	e := entries(t, content)[0]
	if got := turns(e); got != "user: one\n\ntwo|assistant: three\n\nfour" || e.Title != "" {
		t.Errorf("%q: %q", e.Title, got)
	}
	reply := e.Messages[1]
	if reply.Thinking != "hm" || reply.Status != parley.StatusStopped || reply.Model != "m" ||
		fmt.Sprint(reply.Sources) != "[{https://example.com/ https://example.com/ false}]" {
		t.Errorf("the reply is %+v", reply)
	}
}

func TestWhatChatGPTHidesIsLeftOut(t *testing.T) {
	content := []byte(`[{"title": "T", "create_time": 1700000000.5, "current_node": "gone", "mapping": {
		"a": {"parent": null, "message": {"author": {"role": "user"}, "create_time": 1700000001,
			"content": {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}]}}},
		"b": {"parent": "a", "message": {"author": {"role": "assistant"}, "create_time": 1700000002,
			"content": {"content_type": "thoughts", "thoughts": [{"summary": "s", "content": "deep"}]}}},
		"c": {"parent": "b", "message": {"author": {"role": "assistant"}, "create_time": 1700000003, "recipient": "web",
			"content": {"content_type": "code", "text": "search()"}}},
		"d": {"parent": "c", "message": {"author": {"role": "tool"}, "create_time": 1700000004,
			"content": {"content_type": "text", "parts": ["found"]}}},
		"e": {"parent": "d", "message": {"author": {"role": "assistant"}, "create_time": 1700000005, "recipient": "all",
			"content": {"content_type": "text", "parts": ["A boat.\ue200cite\ue202turn0\ue201"]},
			"metadata": {"content_references": [{"type": "grouped_webpages",
				"items": [{"title": "Boats", "url": "https://example.com/boats"}]}]}}},
		"f": {"parent": "a", "message": {"author": {"role": "assistant"}, "create_time": 1700000004.5,
			"content": {"content_type": "text", "parts": ["older"]}}}}}]`)
	e := entries(t, content)[0]
	if got := turns(e); got != "user: [image]|assistant: A boat." {
		t.Errorf("%s", got)
	}
	if m := e.Messages[1]; m.Thinking != "deep" || fmt.Sprint(m.Sources) != "[{Boats https://example.com/boats false}]" {
		t.Errorf("the reply is %+v", m)
	}
}

func TestThinkingIsTakenOutOfTheText(t *testing.T) {
	webUI := []byte(`[{"id": "1", "title": "T", "chat": {"history": {}, "messages": [
		{"role": "user", "content": "why?"},
		{"role": "assistant", "content": "<details type=\"reasoning\" done=\"true\" duration=\"3\">\n` +
		`<summary>Thought for 3 seconds</summary>\n&gt; because\n&gt; of it\n</details>\nBecause."}]}}]`)
	libreChat := []byte(`{"conversationId": "1", "messages": [
		{"messageId": "a", "isCreatedByUser": true, "text": "why?"},
		{"messageId": "b", "parentMessageId": "a", "content": [{"type": "think", "think": "because\nof it"},
			{"type": "text", "text": {"value": "Because."}}]}]}`)
	for name, content := range map[string][]byte{"Open WebUI": webUI, "LibreChat": libreChat} {
		e := entries(t, content)[0]
		if got := turns(e); got != "user: why?|assistant: Because." || e.Messages[1].Thinking != "because\nof it" {
			t.Errorf("%s: %s, %q", name, got, e.Messages[1].Thinking)
		}
	}
}

func TestPicturesInTheJSONAreNotKept(t *testing.T) {
	c := ferry
	c.Texts = append([]string{}, ferry.Texts...)
	picture := `{"type":"image","url":"data:image/png;base64,` + strings.Repeat("A", 9<<20) + `"}`
	pictures := `"files":[` + picture + `,` + picture + `],"role":"user"`
	content := bytes.Replace(OpenWebUI(c), []byte(`"role":"user"`), []byte(pictures), 1)
	e := entries(t, content)[0]
	if got := turns(e); got != ferryTurns {
		t.Errorf("%v: %s", e.Skipped, got)
	}
}

func FuzzEach(f *testing.F) {
	for _, seed := range [][]byte{ChatGPT(ferry), OpenWebUI(ferry), LibreChatTree(ferry), own(ferry), ChatGPTZip(ferry)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		_ = file(content).Each(0, func(e history.Entry) error {
			if e.Skipped != nil {
				return nil
			}
			if len(e.Messages) == 0 || len(e.Messages)%2 == 1 {
				t.Errorf("%d messages", len(e.Messages))
			}
			if fmt.Sprint(e.Check()) != fmt.Sprint(e) {
				t.Errorf("a check changes %+v", e)
			}
			return nil
		})
	})
}
