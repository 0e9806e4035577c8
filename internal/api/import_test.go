package api_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/extract/history/historytest"
)

// startImport uploads an export and returns the id of the import.
func (w *world) startImport(c *client.Client, content []byte) string {
	w.Helper()
	out, err := c.StartImport(w.Context(), "export", bytes.NewReader(content))
	w.must(err)
	return out.ImportID
}

// imported imports an export and returns the import when it has ended.
func (w *world) imported(c *client.Client, content []byte) (string, parley.Import) {
	w.Helper()
	importID := w.startImport(c, content)
	return importID, w.awaitImport(c, importID)
}

func (w *world) awaitImport(c *client.Client, importID string) (got parley.Import) {
	w.Helper()
	w.eventually("the import has ended", func() bool {
		var err error
		got, err = c.Import(w.Context(), importID)
		w.must(err)
		return got.State == parley.ImportDone || got.State == parley.ImportFailed
	})
	return got
}

// titles returns the titles of the sessions with their messages, latest first.
func (w *world) titles(c *client.Client) string {
	w.Helper()
	list, err := c.Sessions(w.Context(), "", parley.Page{Number: 1, Size: 100})
	w.must(err)
	var titles []string
	for _, s := range list.Sessions {
		titles = append(titles, fmt.Sprintf("%s %d", s.Title, s.MessageCount))
	}
	return strings.Join(titles, ", ")
}

func TestImports(t *testing.T) {
	shared(t, []part{
		{"an import keeps titles, texts and times", anImportKeepsTitlesTextsAndTimes},
		{"the same file again makes nothing twice", theSameFileAgainMakesNothingTwice},
		{"our own export comes back", ourOwnExportComesBack},
		{"an export comes back after clear and reuse", anExportComesBackAfterClearAndReuse},
		{"another kind of file is refused at once", anotherKindOfFileIsRefusedAtOnce},
		{"a broken file fails with what it had", aBrokenFileFailsWithWhatItHad},
		{"odd entries are skipped and named", oddEntriesAreSkippedAndNamed},
		{"what is left out is named", whatIsLeftOutIsNamed},
		{"reasons are in the language of the request", reasonsAreInTheLanguageOfTheRequest},
		{"an unknown import is none", anUnknownImportIsNone},
		{"slow senders do not block the imports of others", slowSendersDoNotBlockTheImportsOfOthers},
	})
}

func anImportKeepsTitlesTextsAndTimes(w *world) {
	ada := w.user("ada")
	ferries := historytest.Conversation{
		ID: "1", Title: "Ferries", At: time.Unix(1_600_000_000, 0),
		Texts: []string{"Which ferry goes to 卡普里?", "The fast one.", "And back?", "The same.", "No reply"},
	}
	for name, content := range map[string][]byte{
		"ChatGPT":    historytest.ChatGPTZip(ferries, historytest.Numbered(2, 3)),
		"Open WebUI": historytest.OpenWebUI(historytest.Numbered(3, 1)),
		"LibreChat":  historytest.LibreChatTree(historytest.Numbered(4, 2)),
	} {
		if _, got := w.imported(ada, content); got.State != parley.ImportDone || got.Percent != 100 || len(got.Skipped) != 0 {
			w.Errorf("%s: %+v", name, got)
		}
	}
	if got := w.titles(ada); got != "Chat 4 4, Chat 3 2, Chat 2 6, Ferries 4" {
		w.Errorf("the sessions are %s", got)
	}
	list, err := ada.Sessions(w.Context(), "卡普里", parley.Page{Number: 1, Size: 10})
	w.must(err)
	if list.Total != 1 || list.Sessions[0].LastMessageTime != 1_600_000_003 {
		w.Fatalf("a search finds %+v", list)
	}
	session := list.Sessions[0].ID
	messages, err := ada.Messages(w.Context(), session, parley.Page{Number: 1, Size: 10})
	w.must(err)
	for i, m := range messages.Messages {
		if m.Content != ferries.Texts[i] || m.Timestamp != 1_600_000_000+int64(i) || m.Status != "" || m.Model != "" {
			w.Errorf("message %d is %+v", i, m)
		}
	}
	w.say(ada, session, "And tomorrow?")
	if got := w.titles(ada); !strings.HasPrefix(got, "Ferries 6, ") {
		w.Errorf("after another question the sessions are %s", got)
	}
}

func theSameFileAgainMakesNothingTwice(w *world) {
	ada, bob := w.user("ada"), w.user("bob")
	content := historytest.ChatGPT(historytest.Numbered(1, 1), historytest.Conversation{Title: "empty"},
		historytest.Numbered(2, 1))
	_, first := w.imported(ada, content)
	if first.Sessions != 2 || first.Messages != 4 ||
		fmt.Sprint(first.Skipped) != "[{empty it has no question with a reply}]" {
		w.Errorf("first: %+v", first)
	}
	_, second := w.imported(ada, content)
	const want = "[{Chat 1 it is already here} {empty it has no question with a reply} {Chat 2 it is already here}]"
	if second.Sessions != 0 || second.Messages != 0 || fmt.Sprint(second.Skipped) != want {
		w.Errorf("second: %+v", second)
	}
	if _, others := w.imported(bob, content); others.Sessions != 2 {
		w.Errorf("another user: %+v", others)
	}
	list, err := ada.Sessions(w.Context(), "", parley.Page{Number: 1, Size: 10})
	w.must(err)
	w.must(ada.DeleteSession(w.Context(), list.Sessions[0].ID))
	if _, third := w.imported(ada, content); third.Sessions != 1 || w.titles(ada) != "Chat 2 2, Chat 1 2" {
		w.Errorf("after one was deleted: %+v", third)
	}
}

func ourOwnExportComesBack(w *world) {
	ada, bob := w.user("ada"), w.user("bob")
	session := w.session(ada, "Holiday plans")
	w.say(ada, session, "Which ferry?")
	got := w.request("GET", "/api/chat/session/"+session+"/export?format=json", "", as(ada))
	if _, again := w.imported(ada, []byte(got.text)); again.Sessions != 0 || len(again.Skipped) != 1 {
		w.Errorf("it is here, but %+v", again)
	}
	archive := historytest.Zip(historytest.File{Name: "sessions/a.json", Content: []byte(got.text)})
	if _, moved := w.imported(bob, archive); moved.Sessions != 1 || w.titles(bob) != "Holiday plans 2" {
		w.Errorf("at another user's: %+v", moved)
	}
}

func anExportComesBackAfterClearAndReuse(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "Holiday plans")
	w.say(ada, session, "Which ferry?")
	export := []byte(w.request("GET", "/api/chat/session/"+session+"/export?format=json", "", as(ada)).text)
	w.say(ada, session, "And back?")
	if _, got := w.imported(ada, export); got.Sessions != 0 {
		w.Errorf("continued: %+v", got)
	}
	w.must(ada.ClearSession(w.Context(), session))
	w.say(ada, session, "Which train?")
	w.say(ada, session, "And back?")
	if _, got := w.imported(ada, export); got.Sessions != 1 || w.titles(ada) != "Holiday plans 4, Holiday plans 2" {
		w.Errorf("after another use: %+v, %s", got, w.titles(ada))
	}
	if _, got := w.imported(ada, export); fmt.Sprint(got.Skipped) != "[{Holiday plans it is already here}]" {
		w.Errorf("again: %+v", got)
	}
}

func anotherKindOfFileIsRefusedAtOnce(w *world) {
	ada := w.user("ada")
	for _, content := range []string{"hello", "", `[{"a": 1}]`} {
		_, err := ada.StartImport(w.Context(), "a.json", strings.NewReader(content))
		w.wants(err, parley.CodeFormatUnsupported, http.StatusUnsupportedMediaType)
	}
	broken := historytest.ChatGPTZip(historytest.Numbered(1, 1))
	_, err := ada.StartImport(w.Context(), "a.zip", bytes.NewReader(broken[:len(broken)-5]))
	w.wants(err, parley.CodeUploadFailed, http.StatusUnprocessableEntity)
	_, err = ada.StartImport(w.Context(), "a.zip", strings.NewReader(strings.Repeat(" ", 1<<20+1)))
	w.wants(err, parley.CodeFileTooLarge, http.StatusRequestEntityTooLarge)
	for name, body := range map[string]string{
		"no file": form("other", "x"), "two files": form("file=a", "[]", "file=b", "[]"),
	} {
		got := w.request("POST", "/api/import", body, as(ada), formType)
		if got.StatusCode != http.StatusBadRequest || got.code() != parley.CodeInvalidParameter {
			w.Errorf("%s: HTTP %d, %s", name, got.StatusCode, got.text)
		}
	}
	w.eventually("the bytes are gone", func() bool { return w.blobs() == 0 && w.count("file_intents", "") == 0 })
}

func aBrokenFileFailsWithWhatItHad(w *world) {
	ada := w.user("ada")
	content := historytest.ChatGPT(historytest.Numbered(1, 1), historytest.Numbered(2, 1))
	_, got := w.imported(ada, content[:len(content)-10])
	const want = "the file can't be read to its end: it is broken after conversation 1"
	if got.State != parley.ImportFailed || got.Error != want || got.Sessions != 1 {
		w.Errorf("%+v", got)
	}
	w.eventually("the bytes are gone", func() bool { return w.blobs() == 0 && w.count("file_intents", "") == 0 })
}

func oddEntriesAreSkippedAndNamed(w *world) {
	ada := w.user("ada")
	const circle = `{"title": "round", "current_node": "a", "mapping": {"a": {"parent": "b"}, "b": {"parent": "a"}}}`
	content := `["odd", {"title": "bad", "mapping": 5}, ` + circle + `, ` +
		string(historytest.ChatGPT(historytest.Numbered(1, 1))[1:])
	_, got := w.imported(ada, []byte(content))
	const want = "[{#1 it is not a conversation in a known format} {bad it is not a conversation in a known format} " +
		"{round its messages are linked in a circle}]"
	if got.State != parley.ImportDone || got.Sessions != 1 || fmt.Sprint(got.Skipped) != want {
		w.Errorf("%+v", got)
	}
}

func whatIsLeftOutIsNamed(w *world) {
	ada := w.user("ada")
	content := `[{"title": "A boat", "is_archived": true, "current_node": "b", "mapping": {
		"a": {"message": {"author": {"role": "user"}, "content": {"content_type": "multimodal_text",
			"parts": [{"content_type": "image_asset_pointer"}, "Which one?"]}}},
		"b": {"parent": "a", "message": {"author": {"role": "assistant"},
			"content": {"content_type": "text", "parts": ["The first."]}}}}}]`
	importID, got := w.imported(ada, []byte(content))
	if got.Sessions != 1 || fmt.Sprint(got.Skipped) != "[{A boat it was imported without its pictures (1)}]" {
		w.Errorf("%+v", got)
	}
	chinese := w.request("GET", "/api/import/"+importID, "", as(ada), "Accept-Language: zh-CN")
	if !strings.Contains(chinese.text, "已导入，但不含其中的图片（1）") {
		w.Errorf("in Chinese: %s", chinese.text)
	}
	archived := w.request("GET", "/api/chat/sessions?archived=true", "", as(ada))
	if w.titles(ada) != "" || !strings.Contains(archived.text, `"title":"A boat"`) ||
		!strings.Contains(archived.text, `"total":1`) {
		w.Errorf("archived are %s, others %s", archived.text, w.titles(ada))
	}
	if _, again := w.imported(ada, []byte(content)); fmt.Sprint(again.Skipped) != "[{A boat it is already here}]" {
		w.Errorf("again: %+v", again)
	}
}

func reasonsAreInTheLanguageOfTheRequest(w *world) {
	ada := w.user("ada")
	importID, _ := w.imported(ada, historytest.ChatGPT(historytest.Conversation{Title: "empty"}))
	got := w.request("GET", "/api/import/"+importID, "", as(ada), "Accept-Language: zh-CN")
	if !strings.Contains(got.text, `"reason":"没有带回复的提问"`) {
		w.Errorf("the import is %s", got.text)
	}
}

func anUnknownImportIsNone(w *world) {
	ada := w.user("ada")
	for _, id := range []string{"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10", "nonsense"} {
		got := w.request("GET", "/api/import/"+id, "", as(ada))
		if got.StatusCode != http.StatusNotFound || got.code() != parley.CodeInvalidParameter {
			w.Errorf("%s: HTTP %d, %s", id, got.StatusCode, got.text)
		}
	}
}

func slowSendersDoNotBlockTheImportsOfOthers(w *world) {
	const senders = 16
	w.eventually("earlier files are gone", func() bool { return w.count("file_intents", "") == 0 })
	var all sync.WaitGroup
	var bodies []*io.PipeWriter
	for i := range senders {
		sender := w.user(fmt.Sprint("sender", i))
		body, pipe := io.Pipe()
		bodies = append(bodies, pipe)
		all.Go(func() { _, _ = sender.StartImport(w.Context(), "slow", body) })
		_, err := io.WriteString(pipe, "[")
		w.must(err)
	}
	w.eventually("all are being received", func() bool { return w.count("file_intents", "") == senders })
	if _, got := w.imported(w.user("ada"), historytest.ChatGPT(historytest.Numbered(1, 1))); got.Sessions != 1 {
		w.Errorf("another user: %+v", got)
	}
	for _, body := range bodies {
		_ = body.Close()
	}
	all.Wait()
}

// TestAnImportGoesOnAfterARestart stops the server during an import, at several points.
func TestAnImportGoesOnAfterARestart(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		const conversations = 120
		var all []historytest.Conversation
		for i := range conversations {
			all = append(all, historytest.Numbered(i, 1))
		}
		all[50].Texts = nil
		importID := w.startImport(ada, historytest.ChatGPTZip(all...))
		_, err := ada.StartImport(w.Context(), "b", bytes.NewReader(historytest.ChatGPT(all[0])))
		var refused *client.Error
		if got, _ := ada.Import(w.Context(), importID); got.State != parley.ImportDone &&
			(!errors.As(err, &refused) || refused.Code != parley.CodeTooManyAttempts || refused.RetryAfter == 0) {
			w.Errorf("a second import: %v", err)
		}
		for range 3 {
			w.restart()
			ada = w.login("ada", "password of ada")
		}
		got := w.awaitImport(ada, importID)
		if got.State != parley.ImportDone || got.Sessions != conversations-1 || got.Messages != 2*(conversations-1) ||
			len(got.Skipped) != 1 {
			w.Errorf("the import is %+v", got)
		}
		list, err := ada.Sessions(w.Context(), "", parley.Page{Number: 1, Size: 200})
		w.must(err)
		if list.Total != conversations-1 {
			w.Errorf("there are %d sessions", list.Total)
		}
	})
}

func TestADeletedAccountEndsItsImport(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		var all []historytest.Conversation
		for i := range 200 {
			all = append(all, historytest.Numbered(i, 1))
		}
		w.startImport(ada, historytest.ChatGPT(all...))
		w.must(ada.DeleteUser(w.Context(), parley.DeleteUserInput{Password: "password of ada"}))
		w.eventually("nothing is left", func() bool {
			return w.blobs() == 0 && w.count("file_intents", "") == 0 && w.count("imports", "") == 0 &&
				w.count("sessions", "") == 0
		})
	})
}
