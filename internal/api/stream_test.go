package api_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/api"
	"parley/internal/id"
)

// event is a server-sent event as received. A comment has no name.
type event struct{ ID, Name, Data string }

// wireStream reads a stream line by line.
type wireStream struct {
	w     *world
	res   *http.Response
	lines *bufio.Reader
}

// open makes a request and streams the response.
func (w *world) open(method, path, body string, headers ...string) *wireStream {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), method, w.URL+path, strings.NewReader(body))
	w.must(err)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	res, err := w.http.Do(request)
	w.must(err)
	w.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		w.Fatalf("%s %s: HTTP %d, %s", method, path, res.StatusCode, text)
	}
	return &wireStream{w: w, res: res, lines: bufio.NewReader(res.Body)}
}

// ask sends a message and streams the reply.
func (w *world) ask(c *client.Client, sessionID, content string) *wireStream {
	w.Helper()
	return w.open("POST", "/api/chat/stream", fmt.Sprintf(`{"session_id":%q,"content":%q}`, sessionID, content), as(c))
}

// follow reads a reply. It starts after the event with the id lastID.
func (w *world) follow(c *client.Client, replyID, lastID string) *wireStream {
	w.Helper()
	headers := []string{as(c)}
	if lastID != "" {
		headers = append(headers, "Last-Event-ID: "+lastID)
	}
	return w.open("GET", "/api/chat/stream/"+replyID, "", headers...)
}

// read returns the next event or comment, or false at the end.
func (s *wireStream) read() (event, bool) {
	s.w.Helper()
	var e event
	for {
		line, err := s.lines.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return e, false
		}
		s.w.must(err)
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "":
			if line == "\n" {
				return e, true
			}
			e.Data = value // a comment
		case "id":
			e.ID = value
		case "event":
			e.Name = value
		case "data":
			e.Data = value
		default:
			s.w.Fatalf("a line that is not a field: %q", line)
		}
	}
}

// next returns the next event.
func (s *wireStream) next() event {
	s.w.Helper()
	for {
		e, more := s.read()
		if !more {
			s.w.Fatal("the stream ended")
		}
		if e.Name != "" {
			return e
		}
	}
}

// wants reads the next events and compares them.
func (s *wireStream) wants(want ...event) {
	s.w.Helper()
	for _, one := range want {
		if got := s.next(); got != one {
			s.w.Fatalf("got %v, want %v", got, one)
		}
	}
}

// rest reads to the end.
func (s *wireStream) rest() []event {
	s.w.Helper()
	var all []event
	for {
		e, more := s.read()
		if !more {
			return all
		}
		if e.Name != "" {
			all = append(all, e)
		}
	}
}

// started reads the start event and returns the reply's id.
func (s *wireStream) started() string {
	s.w.Helper()
	e := s.next()
	var ids client.Start
	s.w.must(json.Unmarshal([]byte(e.Data), &ids))
	if e.Name != "start" || e.ID != "1.0.0" || !id.Valid(ids.MessageID) || !id.Valid(ids.UserMessageID) {
		s.w.Fatalf("got %v, want start", e)
	}
	return ids.MessageID
}

// fails reads to the end, which must be an error with the given code.
func (s *wireStream) fails(code parley.Code) {
	s.w.Helper()
	events := s.rest()
	if len(events) == 0 {
		s.w.Fatal("the stream ended without an error event")
	}
	last := events[len(events)-1]
	var failure struct {
		Error   parley.Code
		Message string
	}
	s.w.must(json.Unmarshal([]byte(last.Data), &failure))
	if last.Name != "error" || failure.Error != code || failure.Message == "" {
		s.w.Fatalf("got %v at the end, want error %d", last, code)
	}
}

// text joins the texts of all events with a name.
func text(events []event, name string) string {
	var b strings.Builder
	for _, e := range events {
		var piece client.Delta
		if e.Name == name && json.Unmarshal([]byte(e.Data), &piece) == nil {
			b.WriteString(piece.Text)
		}
	}
	return b.String()
}

func names(events []event) []string {
	var all []string
	for _, e := range events {
		all = append(all, e.Name)
	}
	return all
}

// gate blocks a scripted reply. Each call of open releases one waiting step.
type gate chan struct{}

func (g gate) open() { g <- struct{}{} }

// openStreams returns the number of open streams from the metrics.
func (w *world) openStreams() string {
	w.Helper()
	for line := range strings.Lines(w.request("GET", "/metrics", "").text) {
		if count, found := strings.CutPrefix(line, "parley_open_streams "); found {
			return strings.TrimSpace(count)
		}
	}
	return ""
}

func TestAStreamTellsTheReplyAsItIsMade(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		g := make(gate)
		w.Model.Script(aitest.Thinking("Hm, "), aitest.Wait(g), aitest.Thinking("渡"), aitest.Wait(g), aitest.Text("Well 😀"),
			aitest.Wait(g), aitest.Text(", yes."), aitest.End())
		s := w.open("POST", "/api/chat/stream", fmt.Sprintf(`{"session_id":%q,"content":"Is it?","deep_thinking":true}`,
			session), as(ada), "Origin: https://app.example.com")
		for name, want := range map[string]string{
			"Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no",
			"Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff",
		} {
			if got := s.res.Header.Get(name); got != want {
				w.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		replyID := s.started()
		s.wants(event{"1.4.0", "thinking", `{"text":"Hm, "}`})
		g.open()
		s.wants(event{"1.5.0", "thinking", `{"text":"渡"}`})
		g.open()
		s.wants(event{"1.5.6", "delta", `{"text":"Well 😀"}`})
		g.open()
		s.wants(event{"1.5.12", "delta", `{"text":", yes."}`})
		last := s.next()
		var done parley.SendOutput
		w.must(json.Unmarshal([]byte(last.Data), &done))
		if last.Name != "done" || last.ID != "1.5.12" || done.AIResponse.ID != replyID ||
			done.AIResponse.Content != "Well 😀, yes." ||
			done.AIResponse.Thinking != "Hm, 渡" || done.AIResponse.ThinkingMS == 0 {
			w.Errorf("got %v", last)
		}
		if more := s.rest(); len(more) > 0 {
			w.Errorf("after the end: %v", more)
		}
		stored := w.messages(ada, session)
		if len(stored) != 2 || stored[0].ID != done.UserMessageID || stored[1].ID != replyID ||
			stored[1].Content != "Well 😀, yes." || stored[1].Thinking != "Hm, 渡" || stored[1].Status != "" {
			w.Errorf("stored: %+v", stored)
		}
	})
}

func TestAnErrorBeforeTheFirstEventIsAnEnvelope(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		for _, test := range []struct {
			body   string
			code   parley.Code
			status int
		}{
			{`{"session_id":"x","content":" "}`, parley.CodeInvalidParameter, 400},
			{`{"session_id":"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10","content":"hello"}`, parley.CodeNoSuchSession, 404},
			{
				fmt.Sprintf(`{"session_id":%q,"content":"hello","web_search":true}`, w.session(ada, "")),
				parley.CodeSearchUnavailable, 503,
			},
		} {
			if got := w.request("POST", "/api/chat/stream", test.body, as(ada)); got.code() != test.code ||
				got.StatusCode != test.status {
				w.Errorf("%s: HTTP %d, %s", test.body, got.StatusCode, got.text)
			}
		}
	})
}

func TestAStreamSaysThatItIsAlive(t *testing.T) {
	eachWith(t, func(w *world) { w.Heartbeat = 5 * time.Millisecond }, func(w *world) {
		ada := w.user("ada")
		g := make(gate)
		w.Model.Script(aitest.Wait(g), aitest.Text("Well"), aitest.Wait(g), aitest.End())
		s := w.ask(ada, w.session(ada, ""), "Is it?")
		comment := func() {
			w.Helper()
			for {
				e, more := s.read()
				if !more {
					w.Fatal("the stream ended")
				}
				if e.Name == "" && e.Data != "" {
					return
				}
			}
		}
		s.started()
		comment() // before the first word
		g.open()
		s.wants(event{"1.0.4", "delta", `{"text":"Well"}`})
		comment() // between words
		g.open()
		if got := names(s.rest()); !slices.Equal(got, []string{"done"}) {
			w.Errorf("got %v at the end", got)
		}
	})
}

// TestAReaderGoesOnWhereItWas resumes a running and a finished reply at every position.
func TestAReaderGoesOnWhereItWas(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		const whole = "Ah 渡😀!"
		g := make(gate)
		w.Model.Script(aitest.Text("Ah 渡"), aitest.Wait(g), aitest.Text("😀!"), aitest.End())
		first := w.ask(ada, w.session(ada, ""), "Is it?")
		replyID := first.started()
		first.wants(event{"1.0.4", "delta", `{"text":"Ah 渡"}`})

		anew, at3, at4 := w.follow(ada, replyID, ""), w.follow(ada, replyID, "1.0.3"), w.follow(ada, replyID, "1.0.4")
		beyond := w.follow(ada, replyID, "1.0.5")
		if got := anew.started(); got != replyID {
			w.Errorf("started %s, want %s", got, replyID)
		}
		anew.wants(event{"1.0.4", "delta", `{"text":"Ah 渡"}`})
		at3.wants(event{"1.0.4", "delta", `{"text":"渡"}`})
		beyond.wants(event{"1.0.0", "restart", `{}`}, event{"1.0.4", "delta", `{"text":"Ah 渡"}`})
		g.open()
		for name, s := range map[string]*wireStream{
			"the first": first, "anew": anew, "at 3": at3, "at 4": at4,
			"beyond": beyond,
		} {
			s.wants(event{"1.0.6", "delta", `{"text":"😀!"}`})
			if got := names(s.rest()); !slices.Equal(got, []string{"done"}) {
				w.Errorf("%s: got %v at the end", name, got)
			}
		}

		runes := []rune(whole)
		for n := range len(runes) + 1 {
			events := w.follow(ada, replyID, fmt.Sprintf("1.0.%d", n)).rest()
			if got := text(events, "delta"); got != string(runes[n:]) || slices.Contains(names(events), "restart") ||
				events[len(events)-1].Name != "done" {
				w.Errorf("from %d of the finished reply: %v", n, events)
			}
		}
		if events := w.follow(ada, replyID, "").rest(); !slices.Equal(names(events), []string{"start", "delta", "done"}) ||
			text(events, "delta") != whole {
			w.Errorf("read again: %v", events)
		}
		for _, forged := range []string{"1.0.7", "1.1.0", "2.0.3", "1.9223372036854775807.9223372036854775807"} {
			if events := w.follow(ada, replyID, forged).rest(); !slices.Equal(names(events),
				[]string{"restart", "delta", "done"}) || text(events, "delta") != whole {
				w.Errorf("from %s: %v", forged, events)
			}
		}
		for _, nonsense := range []string{
			"0.0.0", "-1.0.0", "1.0", "x", "1.0.99999999999999999999",
			strings.Repeat("1", 200),
		} {
			if got := w.request("GET", "/api/chat/stream/"+replyID, "", as(ada),
				"Last-Event-ID: "+nonsense); got.code() != parley.CodeInvalidParameter {
				w.Errorf("from %q: HTTP %d, %s", nonsense, got.StatusCode, got.text)
			}
		}
	})
}

func TestOthersCanNeitherFollowNorStop(t *testing.T) {
	each(t, func(w *world) {
		ada, eve := w.user("ada"), w.user("eve")
		g := make(gate)
		w.Model.Script(aitest.Text("Well"), aitest.Wait(g), aitest.End())
		s := w.ask(ada, w.session(ada, ""), "Is it?")
		replyID := s.started()
		unknown := w.request("GET", "/api/chat/stream/"+id.New(), "", as(eve))
		for _, path := range []string{"GET /api/chat/stream/" + replyID, "POST /api/chat/stream/" + replyID + "/stop"} {
			method, path, _ := strings.Cut(path, " ")
			for _, last := range []string{"1.0.0", "1.0.3"} {
				if got := w.request(method, path, "", as(eve), "Last-Event-ID: "+last); got.StatusCode != 404 ||
					got.text != unknown.text {
					w.Errorf("%s %s: HTTP %d, %s", method, path, got.StatusCode, got.text)
				}
			}
		}
		g.open()
		if got := text(s.rest(), "delta"); got != "Well" {
			w.Errorf("got %q", got)
		}
	})
}

func TestAQuestionCanNeitherBeFollowedNorStopped(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		for _, question := range []string{"Is it?", "Is it not?"} { // the second has a reply before it
			sent := w.say(ada, session, question)
			_, err := ada.Follow(w.Context(), sent.UserMessageID, "")
			w.wants(err, parley.CodeNoSuchSession, 404)
			w.wants(ada.Stop(w.Context(), sent.UserMessageID), parley.CodeNoSuchSession, 404)
		}
	})
}

func TestAFailedReplyTellsItsErrorForADay(t *testing.T) {
	each(t, func(w *world) {
		ada, eve := w.user("ada"), w.user("eve")
		session := w.session(ada, "")
		g := make(gate)
		w.Model.Script(aitest.Wait(g), aitest.Status(400, "no")) // after the first word the reply would be kept
		s := w.ask(ada, session, "Is it?")
		replyID := s.started()
		g.open()
		s.fails(parley.CodeAIUnavailable)
		if left := w.messages(ada, session); len(left) != 0 {
			w.Errorf("stored: %+v", left)
		}
		for _, last := range []string{"", "1.0.4", "1.0.9"} {
			w.follow(ada, replyID, last).fails(parley.CodeAIUnavailable)
		}
		w.must(ada.Stop(w.Context(), replyID)) // changes nothing
		_, err := eve.Follow(w.Context(), replyID, "")
		w.wants(err, parley.CodeNoSuchSession, 404)
		if strings.Count(w.Log.String(), "a reply failed") != 1 {
			w.Error("the log does not contain the reason of the failure exactly once")
		}

		w.clock.forward(2 * time.Hour)
		w.Model.Script(aitest.Status(400, "no"))
		later := w.ask(ada, session, "Is it?")
		laterID := later.started()
		later.fails(parley.CodeAIUnavailable)
		w.clock.forward(23 * time.Hour)
		w.restart()
		w.eventually("the failure is forgotten", func() bool {
			_, err := w.again(ada).Follow(w.Context(), replyID, "")
			var e *client.Error
			return errors.As(err, &e) && e.Status == 404
		})
		w.follow(ada, laterID, "").fails(parley.CodeAIUnavailable)
	})
}

// TestTextCannotForgeAnEvent has the model write text that looks like events.
func TestTextCannotForgeAnEvent(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		const nasty = "x\n\nid: 9.9.9\nevent: done\ndata: {}\n\n\r\revent: error\rdata: 1\r\n\r\n\u2028\u0085: hm\n"
		w.Model.Script(aitest.Say(nasty)...)
		s := w.open("POST", "/api/chat/stream", fmt.Sprintf(`{"session_id":%q,"content":"Is it?"}`, w.session(ada, "")),
			as(ada))
		raw, err := io.ReadAll(s.lines)
		w.must(err)
		if strings.ContainsRune(string(raw), '\r') {
			w.Error("a carriage return, which ends a line, went out as it is")
		}
		s.lines = bufio.NewReader(strings.NewReader(string(raw)))
		events := s.rest()
		if got := names(events); !slices.Equal(got, []string{"start", "delta", "done"}) || text(events, "delta") != nasty {
			w.Errorf("got %v", events)
		}
	})
}

func TestReadersWhoLeaveAreForgottenAndTheReplyGoesOn(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		g := make(gate)
		w.Model.Script(aitest.Text("Well"), aitest.Wait(g), aitest.Text(", yes."), aitest.End())
		s := w.ask(ada, session, "Is it?")
		replyID := s.started()
		for range 20 {
			reader := w.follow(ada, replyID, "")
			reader.started()
			reader.res.Body.Close()
		}
		s.res.Body.Close()
		w.eventually("no reader is left", func() bool { return w.openStreams() == "0" })
		g.open()
		if got := text(w.follow(ada, replyID, "1.0.4").rest(), "delta"); got != ", yes." {
			w.Errorf("got %q, want the rest", got)
		}
	})
}

func TestAReaderWhoNeverReadsIsCutOff(t *testing.T) {
	eachWith(t, func(w *world) { w.SendBuffer = 4096 }, func(w *world) {
		ada := w.user("ada")
		long := strings.Repeat("All work and no play. ", 20_000)
		w.Model.Script(aitest.Say(long)...)
		replyID := w.say(ada, w.session(ada, ""), "Is it?").AIResponse.ID

		short := w.another(func(config *api.Config) { config.MaxWrite = 100 * time.Millisecond })
		conn, err := (&net.Dialer{}).DialContext(w.Context(), "tcp", strings.TrimPrefix(short, "http://"))
		w.must(err)
		defer conn.Close()
		w.must(conn.(*net.TCPConn).SetReadBuffer(4096))
		_, err = fmt.Fprintf(conn, "GET /api/chat/stream/%s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", replyID, as(ada))
		w.must(err)
		w.eventually("the reader is connected", func() bool {
			return strings.Contains(w.Log.String(),
				"stream/{message_id}") || w.openStreams() == "1"
		})
		w.eventually("the reader is cut off", func() bool { return w.openStreams() == "0" })
		w.must(conn.SetReadDeadline(time.Now().Add(patience)))
		got, err := io.ReadAll(conn)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(err.Error(), "reset") ||
			len(got) > len(long) {
			w.Errorf("read %d bytes, %v; want a part, and then the end", len(got), err)
		}
		if whole := text(w.follow(ada, replyID, "").rest(), "delta"); whole != long {
			w.Errorf("another reader gets %d bytes, want %d", len(whole), len(long))
		}
	})
}

func TestAReaderWhoNeverReadsDoesNotKeepTheServerFromStopping(t *testing.T) {
	eachWith(t, func(w *world) { w.Limits.MaxWrite, w.SendBuffer = time.Hour, 4096 }, func(w *world) {
		ada := w.user("ada")
		w.Model.Script(aitest.Say(strings.Repeat("All work and no play. ", 20_000))...)
		replyID := w.say(ada, w.session(ada, ""), "Is it?").AIResponse.ID
		conn, _ := w.raw(fmt.Sprintf("GET /api/chat/stream/%s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", replyID, as(ada)))
		w.must(conn.(*net.TCPConn).SetReadBuffer(4096))
		w.eventually("the reader is connected", func() bool { return w.openStreams() == "1" })
		w.pause() // it would end after an hour otherwise
	})
}

func TestALogoutEndsItsStreams(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		g := make(gate)
		w.Model.Script(aitest.Text("Well"), aitest.Wait(g), aitest.Text(", yes."), aitest.End())
		s := w.ask(ada, session, "Is it?")
		replyID := s.started()
		s.wants(event{"1.0.4", "delta", `{"text":"Well"}`})
		again := w.guest()
		_, err := again.Login(w.Context(), parley.LoginInput{Email: "ada@example.com", Password: "password of ada"})
		w.must(err)
		other := w.follow(again, replyID, "1.0.4")
		w.must(ada.Logout(w.Context()))
		events := s.rest()
		if len(events) != 1 || events[0].Name != "error" || events[0].ID != "" ||
			!strings.Contains(events[0].Data, `"error":1005`) {
			w.Errorf("got %v, want the error that the login has ended, and no id", events)
		}
		g.open()
		if got := text(other.rest(), "delta"); got != ", yes." {
			w.Errorf("the other login's stream got %q", got)
		}
	})
}

// TestALoginThatIsEndedFromAnotherEndsItsStreams ends a login in every possible way while it has an open stream.
func TestALoginThatIsEndedFromAnotherEndsItsStreams(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		for name, end := range map[string]func(other *client.Client, password string) error{
			"end of the login": func(other *client.Client, _ string) error {
				list, err := other.Tokens(ctx)
				w.must(err)
				return other.EndToken(ctx, list.Tokens[1].ID)
			},
			"new password": func(other *client.Client, password string) error {
				return other.ChangePassword(ctx, parley.PasswordInput{OldPassword: password, NewPassword: "a new password"})
			},
			"end of the account": func(other *client.Client, password string) error {
				return other.DeleteUser(ctx, parley.DeleteUserInput{Password: password})
			},
		} {
			user := strings.ReplaceAll(name, " ", ".")
			ada, password := w.user(user), "password of "+user
			w.clock.forward(time.Second) // this gives the logins an order
			other := w.login(user, password)
			session, left := w.session(ada, ""), make(chan struct{})
			w.Model.Script(aitest.Text("Well"), aitest.Gone(left))
			s := w.ask(ada, session, "Is it?")
			replyID := s.started()
			s.wants(event{"1.0.4", "delta", `{"text":"Well"}`})
			theirs := w.follow(other, replyID, "1.0.4")
			w.must(end(other, password))
			s.fails(parley.CodeBadToken)
			if name == "end of the account" {
				theirs.fails(parley.CodeBadToken)
			} else {
				w.must(other.Stop(ctx, replyID))
				if got := names(theirs.rest()); !slices.Equal(got, []string{"done"}) {
					w.Errorf("%s: the stream of the other login got %v", name, got)
				}
			}
			<-left // the request to the model was canceled
		}
	})
}

// TestEndingASessionEndsItsStreams clears and deletes a session while the model generates a reply.
func TestEndingASessionEndsItsStreams(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		for name, end := range map[string]func(session string) error{
			"clear":  func(session string) error { return ada.ClearSession(w.Context(), session) },
			"delete": func(session string) error { return ada.DeleteSession(w.Context(), session) },
		} {
			session := w.session(ada, "")
			left := make(chan struct{})
			w.Model.Script(aitest.Text("Well"), aitest.Gone(left))
			s := w.ask(ada, session, "Is it?")
			replyID := s.started()
			other := w.follow(ada, replyID, "1.0.0")
			s.wants(event{"1.0.4", "delta", `{"text":"Well"}`})
			w.must(end(session))
			s.fails(parley.CodeSendFailed)
			other.fails(parley.CodeSendFailed)
			<-left // the request to the model was canceled at once
			_, err := ada.Follow(w.Context(), replyID, "")
			w.wants(err, parley.CodeNoSuchSession, 404)
			if name == "clear" {
				if stored := w.messages(ada, session); len(stored) != 0 {
					w.Errorf("stored: %+v", stored)
				}
				w.say(ada, session, "And now?")
			}
			w.noOrphans(ada)
		}
	})
}

// noOrphans checks that the message counts of a user's sessions are right and that each question has its reply.
func (w *world) noOrphans(c *client.Client) {
	w.Helper()
	sessions, err := c.Sessions(w.Context(), "", parley.Page{Number: 1, Size: 200})
	w.must(err)
	if sessions.Total != int64(len(sessions.Sessions)) {
		w.Errorf("%d sessions, but a total of %d", len(sessions.Sessions), sessions.Total)
	}
	for _, session := range sessions.Sessions {
		messages := w.messages(c, session.ID)
		if int64(len(messages)) != session.MessageCount {
			w.Errorf("%d messages, but a count of %d", len(messages), session.MessageCount)
		}
		for i, m := range messages {
			want := parley.RoleUser
			if i%2 == 1 {
				want = parley.RoleAssistant
			}
			if m.Role != want || m.Content == "" || m.Status == parley.StatusPending {
				w.Errorf("message %d is %+v", i, m)
			}
		}
	}
}
