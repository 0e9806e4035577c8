package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/api"
	"parley/internal/limit"
	"parley/internal/store"
)

// longText returns a long text with characters that JSON escapes and characters of several bytes.
func longText(bytes int) string {
	const words = "The \"ferry\" to Capri <leaves> at nine.\n渡船九点开 & \u2028 \u0001. "
	return strings.Repeat(words, bytes/len(words))
}

// longSession creates a session with ten replies, too long for two batches. It returns the session and the replies.
func (w *world) longSession(c *client.Client) (session string, replies []string) {
	w.Helper()
	session = w.session(c, `"messages":[]`)
	for range 10 {
		w.Model.Script(aitest.Say(longText(60_000))...)
		replies = append(replies, w.say(c, session, "When?").AIResponse.ID)
	}
	if 10*60_000 < 2*store.MaxBatch {
		w.Fatal("the session is not long enough")
	}
	return session, replies
}

// canonical returns an envelope with a body, encoded in one piece.
func (w *world) canonical(got *reply, body any) string {
	w.Helper()
	got.body(w, body)
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	w.must(encoder.Encode(struct {
		Error   int    `json:"error"`
		Body    any    `json:"body"`
		Message string `json:"message"`
		Success bool   `json:"success"`
	}{0, body, "ok", true}))
	return b.String()
}

// TestLongListsAreWrittenInPieces compares lists of several batches with the same lists encoded in one piece.
func TestLongListsAreWrittenInPieces(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session, replies := w.longSession(ada)
		for _, reply := range replies {
			_, err := ada.AddFavorite(w.Context(), parley.AddFavoriteInput{SessionID: session, MessageID: reply})
			w.must(err)
		}
		var messages parley.MessagesOutput
		got := w.request("GET", "/api/chat/messages?page=2&page_size=9&session_id="+session, "", as(ada))
		if got.text != w.canonical(got, &messages) || len(messages.Messages) != 9 || messages.Total != 20 {
			w.Errorf("a page has %d of %d messages", len(messages.Messages), messages.Total)
		}
		all := w.messages(ada, session)
		if len(all) != 20 || all[19].Content != longText(60_000) || all[9].ID != messages.Messages[0].ID {
			w.Errorf("the largest page has %d messages", len(all))
		}
		var export parley.Export
		got = w.request("GET", "/api/chat/session/"+session+"/export?format=json", "", as(ada))
		if got.text != w.canonical(got, &export) || len(export.Messages) != 20 || export.Title != `"messages":[]` {
			w.Errorf("the export of %q has %d messages", export.Title, len(export.Messages))
		}
		document := w.request("GET", "/api/chat/session/"+session+"/export", "", as(ada)).text
		lines := 10 * strings.Count(longText(60_000), "Capri")
		if strings.Count(document, "\n## ") != 20 || strings.Count(document, "to Capri &lt;leaves> at nine.\n") != lines {
			w.Errorf("the document has %d bytes", len(document))
		}
		slices.Reverse(replies)
		for _, query := range []string{"?page_size=200", "?page_size=200&keyword=CAPRI"} {
			var list parley.FavoritesOutput
			got = w.request("GET", "/api/favorites/list"+query, "", as(ada))
			if got.text != w.canonical(got, &list) || list.Total != 10 {
				w.Errorf("%s: %d of %d favorites", query, len(list.Favorites), list.Total)
			}
			for i, f := range list.Favorites {
				if f.MessageID != replies[i] || f.Content != longText(60_000) {
					w.Errorf("%s: favorite %d is of %s", query, i, f.MessageID)
				}
			}
		}
	})
}

// slowReader requests a path, reads the status and stops reading.
func (w *world) slowReader(c *client.Client, path string) (net.Conn, io.Reader, string) {
	w.Helper()
	conn, in := w.raw(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", path, as(c)))
	w.must(conn.(*net.TCPConn).SetReadBuffer(4096))
	status, err := in.ReadString('\n')
	w.must(err)
	return conn, in, status
}

// TestSlowReadersHoldLittle has slow readers of long responses. They may hold only a limited amount of memory, other
// users must be served, and nothing may be held after the readers leave.
func TestSlowReadersHoldLittle(t *testing.T) {
	const total = 4 << 20
	eachWith(t, func(w *world) {
		w.Limits.Responses = limit.NewByteShares[int64](total, api.FreeResponse)
		w.SendBuffer = 4096
	}, func(w *world) {
		ada, ben := w.user("ada"), w.user("ben")
		session, replies := w.longSession(ada)
		others := w.session(ben, "")
		for range 10 {
			w.say(ben, others, longText(2000))
		}
		for name, path := range map[string]string{
			"page":     "/api/chat/messages?page_size=200&session_id=" + session,
			"export":   "/api/chat/session/" + session + "/export",
			"a stream": "/api/chat/stream/" + replies[0],
		} {
			var conns []net.Conn
			served := map[string]int{}
			for range 30 {
				conn, _, status := w.slowReader(ada, path)
				conns = append(conns, conn)
				served[status]++
				if used := w.Limits.Responses.Used(); used > total/8 && len(served) > 1 {
					w.Errorf("%s: one user holds %d bytes", name, used)
				}
			}
			if len(served) != 2 || served["HTTP/1.1 200 OK\r\n"] == 0 || served["HTTP/1.1 503 Service Unavailable\r\n"] == 0 {
				w.Errorf("%s: %v", name, served)
			}
			if got := w.messages(ben, others); len(got) != 20 {
				w.Errorf("%s: another user gets %d messages", name, len(got))
			}
			if user, err := ada.User(w.Context()); err != nil || user.Email == "" {
				w.Errorf("%s: a small response: %v", name, err)
			}
			for _, conn := range conns {
				conn.Close()
			}
			w.eventually(name+": nothing is held", func() bool { return w.Limits.Responses.Used() == 0 })
		}
	})
}

// TestAPageOfAClearedSessionIsCutOff clears a session while the server writes a page of it.
func TestAPageOfAClearedSessionIsCutOff(t *testing.T) {
	eachWith(t, func(w *world) { w.SendBuffer = 4096 }, func(w *world) {
		ada := w.user("ada")
		session, _ := w.longSession(ada)
		_, in, status := w.slowReader(ada, "/api/chat/messages?page_size=200&session_id="+session)
		w.must(ada.ClearSession(w.Context(), session))
		w.say(ada, session, "What is new?")
		rest, err := io.ReadAll(in)
		if !strings.HasPrefix(status, "HTTP/1.1 200") || bytes.HasSuffix(rest, []byte("0\r\n\r\n")) ||
			bytes.Contains(rest, []byte("What is new?")) {
			w.Errorf("%s, then %d bytes that look complete, %v", status, len(rest), err)
		}
	})
}

// TestAReplyThatDoesNotFitTheMemoryIsLate sends a question when the memory for responses is used up.
func TestAReplyThatDoesNotFitTheMemoryIsLate(t *testing.T) {
	eachWith(t, func(w *world) {
		w.Limits.Responses = limit.NewByteShares[int64](1<<20, api.FreeResponse)
	}, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		held := w.Limits.Responses.Hold(-1)
		held.Force(2 << 20)
		w.Model.Script(aitest.Say(longText(60_000))...)
		_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "When?"})
		var e *client.Error
		if !errors.As(err, &e) || e.Status != http.StatusGatewayTimeout {
			w.Fatalf("got %v", err)
		}
		late, is := e.Late()
		if text := late.AIResponse.Content; !is || text == "" || !strings.HasPrefix(longText(60_000), text) ||
			!utf8.ValidString(text) {
			w.Errorf("the late reply has %d bytes", len(text))
		}
		path := "/api/chat/messages?session_id=" + session
		w.wantsRefused(w.request("GET", path, "", as(ada)))
		held.Release()
		if got := w.messages(ada, session); len(got) != 2 || got[1].ID != late.AIResponse.ID ||
			got[1].Content != longText(60_000) {
			w.Errorf("%d messages are stored", len(got))
		}
	})
}

// TestAUserHasAShareOfTheRequests opens as many streams as one user may have.
func TestAUserHasAShareOfTheRequests(t *testing.T) {
	eachWith(t, func(w *world) { w.UserRequests = 2 }, func(w *world) {
		ada, ben := w.user("ada"), w.user("ben")
		g := make(gate)
		var streams []*wireStream
		for range 2 {
			w.Model.Script(aitest.Text("Well"), aitest.Wait(g), aitest.End())
			s := w.ask(ada, w.session(ada, ""), "Is it?")
			s.started()
			streams = append(streams, s)
		}
		w.wantsRefused(w.request("GET", "/api/user/info", "", as(ada)))
		if _, err := ben.User(w.Context()); err != nil {
			w.Errorf("another user: %v", err)
		}
		close(g)
		for _, s := range streams {
			s.rest()
		}
		w.eventually("there is room again", func() bool {
			return w.request("GET", "/api/user/info", "", as(ada)).StatusCode == http.StatusOK
		})
	})
}

// TestALongReplyIsStreamedInPieces reads a stored long reply.
func TestALongReplyIsStreamedInPieces(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		thought, said := longText(40_000), longText(100_000)
		w.Model.Script(aitest.Thinking(thought), aitest.Text(said), aitest.End())
		session := w.session(ada, "")
		sent := w.request("POST", "/api/chat/send",
			`{"session_id":"`+session+`","content":"When?","deep_thinking":true,"model":"增强模型"}`, as(ada))
		var out parley.SendOutput
		sent.body(w, &out)
		events := w.follow(ada, out.AIResponse.ID, "").rest()
		if text(events, "thinking") != thought || text(events, "delta") != said {
			w.Error("the texts differ")
		}
		for _, e := range events[:len(events)-1] {
			if len(e.Data) > 40<<10 { // 16 KiB of text, escaped
				w.Errorf("%s has %d bytes", e.Name, len(e.Data))
			}
		}
		last := events[len(events)-1]
		if last.Name != "done" || last.Data != string(sent.envelope["body"]) {
			w.Errorf("%s has %d bytes, want %d as for send", last.Name, len(last.Data), len(sent.envelope["body"]))
		}
		middle := len(events) / 2
		rest := w.follow(ada, out.AIResponse.ID, events[middle].ID).rest()
		if !slices.Equal(rest, events[middle+1:]) {
			w.Errorf("from the middle there are %d events, want %d", len(rest), len(events)-middle-1)
		}
	})
}
