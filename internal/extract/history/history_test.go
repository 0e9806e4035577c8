package history_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// An archive of one megabyte could be read for an hour.
func TestEntriesThatShareBytesAreRefused(t *testing.T) {
	content := Overlapping(160, 1<<19)
	one := file(Overlapping(1, 1<<19))
	if err := one.Check(); !errors.Is(err, parley.ErrFormatUnsupported) {
		t.Errorf("a single entry: %v", err)
	}
	for name, err := range map[string]error{
		"check": file(content).Check(),
		"read":  file(content).Each(0, func(history.Entry) error { return nil }),
	} {
		if !errors.Is(err, parley.ErrFileUnreadable) || !strings.Contains(err.Error(), "unpacks to more") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestACheckReadsOnlyTheBeginning(t *testing.T) {
	const size = 1 << 40
	for head, found := range map[string]bool{`[{"title": "x", "mapping": {"a": "`: true, `[{"title": "`: false} {
		endless := &endlessFile{head: head}
		err := history.File{Bytes: endless, Size: size, MaxUnpacked: unlimited}.Check()
		if (err == nil) != found || err != nil && !errors.Is(err, parley.ErrFormatUnsupported) {
			t.Errorf("%s: %v", head, err)
		}
		if endless.read > 200<<20 {
			t.Errorf("%s: %d bytes were read", head, endless.read)
		}
	}
}

// endlessFile is a file that begins with head and goes on with one letter.
type endlessFile struct {
	head string
	read int64
}

func (f *endlessFile) ReadAt(p []byte, offset int64) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	if offset < int64(len(f.head)) {
		copy(p, f.head[offset:])
	}
	f.read += int64(len(p))
	return len(p), nil
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

// oddEntries are elements that are not conversations of any format.
const oddEntries = `"a text", 5, null, [1, "]"], {}, {"title": "no mapping"}, {"title": "a number", "mapping": 5},` +
	`{"title": "a circle", "current_node": "a", "mapping": {"a": {"parent": "b"}, "b": {"parent": "a"}}},` +
	`{"title": "invalid", mapping: {}}`

func TestOddEntriesAreSkippedAndNamed(t *testing.T) {
	const unknown = "it is not a conversation in a known format"
	want := []string{
		"#1: " + unknown, "#2: " + unknown, "#3: " + unknown, "#4: " + unknown, "#5: " + unknown,
		"no mapping: " + unknown, "a number: " + unknown, "a circle: its messages are linked in a circle",
		"invalid: " + unknown,
	}
	for name, content := range map[string][]byte{
		"ChatGPT": ChatGPT(ferry), "Open WebUI": OpenWebUI(ferry),
		"LibreChat": []byte("[" + string(LibreChat(ferry)) + "]"), "our own": []byte("[" + string(own(ferry)) + "]"),
	} {
		whole := string(content[1 : len(content)-1])
		for place, content := range map[string]string{
			"first": "[" + oddEntries + "," + whole + "]", "last": "[" + whole + "," + oddEntries + "]",
		} {
			var got []string
			kept := 0
			for _, e := range entries(t, []byte(content)) {
				if e.Skipped == nil && turns(e) == ferryTurns {
					kept++
					continue
				}
				got = append(got, fmt.Sprint(e.Title, ": ", e.Skipped.Message))
			}
			want := want
			if place == "last" { // one has come before
				want = slices.Clone(want)
				for i := range 5 {
					want[i] = fmt.Sprintf("#%d: %s", i+2, unknown)
				}
			}
			if kept != 1 || !slices.Equal(got, want) {
				t.Errorf("%s, %s: %d are kept, and %q", name, place, kept, got)
			}
		}
	}
}

func TestMessagesThatAreOddAreLeftOut(t *testing.T) {
	for name, content := range map[string]string{
		"ChatGPT": `[{"title": "T", "current_node": "c", "create_time": {}, "mapping": {
			"a": {"message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["why?"]}}},
			"b": {"parent": "a", "message": "odd"},
			"c": {"parent": "b", "message": {"author": {"role": "assistant"},
				"content": {"content_type": "text", "parts": ["Because."]}, "metadata": 7}}}}]`,
		"Open WebUI": `[{"title": "T", "chat": {"messages": [5, {"role": "user", "content": "why?", "files": 3},
			{"role": "assistant", "content": "Because."}]}}]`,
		"LibreChat": `{"conversationId": "1", "title": "T", "messages": [{"messageId": "a", "sender": "User", "text": "why?"},
			{"messageId": "b", "parentMessageId": "a", "sender": "GPT", "text": "Because.", "content": "odd"}]}`,
		"our own": `{"session_id": "s", "title": "T", "messages": [7, {"role": "user", "content": "why?", "images": 1},
			{"role": "assistant", "content": "Because."}]}`,
	} {
		if e := entries(t, []byte(content))[0]; turns(e) != "user: why?|assistant: Because." || e.Title != "T" {
			t.Errorf("%s: %+v", name, e)
		}
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

// TestABrokenPartOfAnArchiveIsNamed has one that ends in its first conversation, and one that can't be opened.
func TestABrokenPartOfAnArchiveIsNamed(t *testing.T) {
	whole := ChatGPT(Numbered(0, 1))
	shut := Zip(File{Name: "a.json", Content: whole}, File{Name: "b.json", Content: own(ferry)})
	copy(shut, "PKxx") // the header of the first file, which is at the beginning
	for name, content := range map[string][]byte{
		"cut off": Zip(File{Name: "a.json", Content: whole[:len(whole)-20]}, File{Name: "b.json", Content: own(ferry)}),
		"shut":    shut,
	} {
		if err := file(content).Check(); err != nil {
			t.Errorf("%s: the check says %v", name, err)
		}
		var got []string
		for _, e := range entries(t, content) {
			if got = append(got, e.Title); e.Skipped != nil {
				got = append(got, e.Skipped.Message)
			}
		}
		if fmt.Sprint(got) != "[a.json this file of the archive is broken Ferries]" {
			t.Errorf("%s: %q", name, got)
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

// pictured is an archived conversation of ChatGPT with a picture, a file, a program, its output, a drawing and a
// canvas.
const pictured = `{"title": "T", "is_archived": true, "mapping": {
	"a": {"message": {"author": {"role": "user"}, "content": {"content_type": "multimodal_text",
		"parts": [{"content_type": "image_asset_pointer"}, "Which one?"]},
		"metadata": {"attachments": [{"mime_type": "image/png"}, {"mime_type": "text/csv"}]}}},
	"b": {"parent": "a", "message": {"author": {"role": "assistant"}, "recipient": "python",
		"content": {"content_type": "code", "language": "unknown", "text": "print(1)\n"}}},
	"c": {"parent": "b", "message": {"author": {"role": "tool"}, "content": {"content_type": "execution_output",
		"text": "1"}}},
	"d": {"parent": "c", "message": {"author": {"role": "tool"}, "content": {"content_type": "multimodal_text",
		"parts": [{"content_type": "image_asset_pointer"}]}}},
	"canvas": {"parent": "d", "message": {"author": {"role": "assistant"}, "recipient": "canmore.create_textdoc",
		"content": {"content_type": "code", "text": "{\"content\": \"A letter\"}"}}},
	"video": {"parent": "canvas", "message": {"author": {"role": "assistant"}, "content": {"content_type": "video"}}},
	"recap": {"parent": "video", "message": {"author": {"role": "assistant"}, "content": {"content_type":
		"reasoning_recap", "content": "Thought for 5 s"}}},
	"e": {"parent": "recap", "message": {"author": {"role": "assistant"}, "content": {"content_type": "text",
		"parts": ["The first."]}}}}, "current_node": "e"}`

func TestCodeAndArchivedAreKeptAndTheRestIsCounted(t *testing.T) {
	const code = "```python\nprint(1)\n```\n\nThe first."
	for name, c := range map[string]struct {
		content  string
		archived bool
		left     history.Left
	}{
		"ChatGPT": {"[" + pictured + "]", true, history.Left{Pictures: 2, Others: 4}},
		"Open WebUI": {
			`[{"title": "T", "archived": true, "chat": {"messages": [
			{"role": "user", "content": "Which one?", "files": [{"type": "image"}, {"type": "file"}]},
			{"role": "assistant", "content": "<details type=\"code_interpreter\" done=\"true\" output=\"1 &gt; 0\">\n` +
				`<summary>Analyzed</summary>\n` + "```python\\nprint(1)\\n```" + `\n</details>\n\nThe first."}]}}]`,
			true,
			history.Left{Pictures: 1, Others: 2},
		},
		"LibreChat": {
			`{"conversationId": "1", "title": "T", "messages": [
			{"messageId": "a", "sender": "User", "text": "Which one?", "files": [{"type": "image/png"}, {"type": "text/csv"}]},
			{"messageId": "b", "parentMessageId": "a", "sender": "GPT", "content": [{"type": "video_url"},
				{"type": "tool_call", "tool_call":
				{"name": "execute_code", "args": "{\"lang\": \"python\", \"code\": \"print(1)\"}"}},
				{"type": "text", "text": "The first."}]}]}`,
			false,
			history.Left{Pictures: 1, Others: 3},
		},
		"our own": {
			`{"session_id": "s", "title": "T", "messages": [
			{"role": "user", "content": "Which one?", "images": ["x", "y"]},
			{"role": "assistant", "content": ` + strconv.Quote(code) + `}]}`,
			false,
			history.Left{Pictures: 2},
		},
	} {
		e := entries(t, []byte(c.content))[0]
		if got := turns(e); got != "user: Which one?|assistant: "+code || e.Archived != c.archived || e.Left != c.left {
			t.Errorf("%s: %q, archived %v, %+v is left out", name, got, e.Archived, e.Left)
		}
	}
}

func TestABlockOfCodeEndsWhereTheCodeEnds(t *testing.T) {
	content := strings.Replace(pictured, `print(1)\n`, "a\\n```\\nb", 1)
	const want = "````python\na\n```\nb\n````\n\nThe first."
	if e := entries(t, []byte("["+content+"]"))[0]; e.Messages[1].Content != want {
		t.Errorf("%q", e.Messages[1].Content)
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
	f.Add([]byte("[" + pictured + "]"))
	f.Add([]byte("[" + oddEntries + "," + string(ChatGPT(ferry)[1:])))
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
