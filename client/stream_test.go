package client_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"parley"
	"parley/client"

	"github.com/google/go-cmp/cmp"
)

const wholeReply = `event: start
id: 1.0.0
data: {"user_message_id":"m1","message_id":"m2"}

event: sources
id: 1.0.0
data: {"results":[{"title":"A","url":"https://example.com"}]}

: heartbeat

event: thinking
id: 1.2.0
data: {"text":"hm"}

event: surprise
data: of a later server

event: delta
id: 1.2.5
data: {"text":"a\nb 😀"}

event: restart
id: 2.0.0
data: {}

event: delta
id: 2.0.2
data: {"text":"ho"}

event: done
id: 2.0.2
data: {"user_message_id":"m1","ai_response":{"id":"m2","content":"ho","timestamp":4}}

event: delta
data: {"text":"never read"}

`

// streaming runs a server that sends one stream and records the last request.
func streaming(t *testing.T, text string) (*client.Client, *request) {
	t.Helper()
	last := new(request)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*last = request{Method: r.Method, URI: r.RequestURI, Body: string(body), Header: r.Header.Clone()}
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		io.WriteString(w, text)
	}), last
}

func collect(t *testing.T, s *client.Stream) ([]client.Event, error) {
	t.Helper()
	var events []client.Event
	for event, err := range s.Events() {
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
	return events, nil
}

func TestAStreamGivesTypedEvents(t *testing.T) {
	c, got := streaming(t, wholeReply)
	s, err := c.Stream(t.Context(), parley.SendInput{SessionID: "s1", Content: "hi"}, client.WithIdempotencyKey("k-1"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	events, err := collect(t, s)
	if err != nil {
		t.Fatal(err)
	}
	want := []client.Event{
		client.Start{UserMessageID: "m1", MessageID: "m2"},
		client.Sources{Results: []parley.Source{{Title: "A", URL: "https://example.com"}}},
		client.Thinking{Text: "hm"},
		client.Delta{Text: "a\nb 😀"},
		client.Restart{},
		client.Delta{Text: "ho"},
		client.Done{SendOutput: parley.SendOutput{
			UserMessageID: "m1",
			AIResponse:    parley.AIResponse{ID: "m2", Content: "ho", Timestamp: 4},
		}},
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if s.LastEventID() != "2.0.2" {
		t.Errorf("last id is %q", s.LastEventID())
	}
	if got.Method != "POST" || got.URI != "/api/chat/stream" || got.Body != `{"session_id":"s1","content":"hi"}` {
		t.Errorf("sent %s %s %s", got.Method, got.URI, got.Body)
	}
	for header, value := range map[string]string{
		"Authorization": "Bearer secret", "Accept": "text/event-stream",
		"Content-Type": "application/json", "Idempotency-Key": "k-1",
	} {
		if got.Header.Get(header) != value {
			t.Errorf("%s is %q, want %q", header, got.Header.Get(header), value)
		}
	}
}

func TestAStreamCanBeLeftAndTakenUp(t *testing.T) {
	c, _ := streaming(t, wholeReply)
	s, err := c.Stream(t.Context(), parley.SendInput{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for event := range s.Events() {
		if _, ok := event.(client.Thinking); ok {
			break
		}
	}
	if s.LastEventID() != "1.2.0" {
		t.Errorf("last id is %q", s.LastEventID())
	}
	out, err := s.Wait()
	if err != nil || out.AIResponse.Content != "ho" {
		t.Errorf("reply %+v, error %v", out, err)
	}
}

func TestFollowSaysWhereItLeftOff(t *testing.T) {
	c, got := streaming(t, "event: done\ndata: {\"user_message_id\":\"m1\",\"ai_response\":{\"id\":\"m2\"}}\n\n")
	for _, lastEventID := range []string{"", "1.2.5"} {
		s, err := c.Follow(t.Context(), "m/2", lastEventID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Wait(); err != nil {
			t.Error(err)
		}
		if s.LastEventID() != lastEventID {
			t.Errorf("last id is %q, want %q", s.LastEventID(), lastEventID)
		}
		s.Close()
		if got.Method != "GET" || got.URI != "/api/chat/stream/m%2F2" || got.Header.Get("Last-Event-ID") != lastEventID {
			t.Errorf("sent %s %s from %q", got.Method, got.URI, got.Header.Get("Last-Event-ID"))
		}
	}
}

func TestAnErrorEventEndsTheStream(t *testing.T) {
	c, _ := streaming(t,
		"event: start\ndata: {}\n\nevent: error\ndata: {\"error\":5001,\"message\":\"gone\"}\n\nevent: delta\ndata: {}\n\n")
	s, err := c.Stream(t.Context(), parley.SendInput{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	events, err := collect(t, s)
	wantError(t, err, client.Error{Code: parley.CodeAIUnavailable, Message: "gone", Status: http.StatusOK})
	if len(events) != 1 {
		t.Errorf("events before it: %v", events)
	}
	if more, err := collect(t, s); more != nil || err != nil {
		t.Errorf("after the end come %v, %v", more, err)
	}
}

func TestAStreamThatBreaksOffIsNoReply(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":       "",
		"half an event": "event: done\ndata: {\"ai_response\":{}}\n",
		"no done":       "event: delta\nid: 1.0.2\ndata: {\"text\":\"ho\"}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := streaming(t, text)
			s, err := c.Stream(t.Context(), parley.SendInput{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Wait(); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestAnEventThatIsNoJSONIsAnError(t *testing.T) {
	for _, name := range []string{"start", "sources", "thinking", "delta", "restart", "done", "error"} {
		t.Run(name, func(t *testing.T) {
			c, _ := streaming(t, "event: "+name+"\ndata: {broken\n\n")
			s, err := c.Stream(t.Context(), parley.SendInput{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Wait(); err == nil {
				t.Error("it was taken")
			}
		})
	}
}

func TestAnErrorBeforeTheFirstEventIsAnEnvelope(t *testing.T) {
	c, _ := responding(t, http.StatusNotFound, `{"error":2001,"message":"the session does not exist","success":false}`)
	want := client.Error{
		Code: parley.CodeNoSuchSession, Message: "the session does not exist",
		Status: http.StatusNotFound,
	}
	_, err := c.Stream(t.Context(), parley.SendInput{})
	wantError(t, err, want)
	_, err = c.Follow(t.Context(), "m2", "")
	wantError(t, err, want)
}

func TestAnAnswerThatIsNoStreamIsAnError(t *testing.T) {
	c, _ := responding(t, http.StatusOK, success(`{}`))
	_, err := c.Stream(t.Context(), parley.SendInput{})
	wantError(t, err, client.Error{Status: http.StatusOK})
}

func TestEventsComeAsTheyAreMade(t *testing.T) {
	seen := make(chan string)
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, word := range []string{"one", "two"} {
			fmt.Fprintf(w, "event: delta\ndata: {\"text\":%q}\n\n", word)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			if got := <-seen; got != word {
				t.Errorf("reader saw %q, want %q", got, word)
			}
		}
		fmt.Fprint(w, "event: done\ndata: {}\n\n")
	})
	s, err := c.Stream(t.Context(), parley.SendInput{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for event, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if delta, ok := event.(client.Delta); ok {
			seen <- delta.Text
		}
	}
}

func TestCloseReachesTheServer(t *testing.T) {
	left := make(chan struct{})
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		// A server notices a disconnect only after it has read the request.
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: start\ndata: {}\n\n")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-r.Context().Done()
		close(left)
	})
	s, err := c.Stream(t.Context(), parley.SendInput{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-left
}
