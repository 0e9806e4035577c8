package turn

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/ai"
	"parley/internal/store"
)

func TestPositionsThatAreNone(t *testing.T) {
	for _, s := range []string{
		"", "1", "1.2", "1.2.3.4", "0.0.0", "-1.0.0", "1.-1.0", "1.0.-1", "+1.0.0", "01.0.0", "1.0.0 ", " 1.0.0",
		"1.0.9223372036854775808", "1e3.0.0", "1.0.x", "1_0.0.0", "١.0.0", "1..0", "1.0.0\n",
	} {
		if p, ok := ParsePosition(s); ok {
			t.Errorf("%q was taken as %v", s, p)
		}
	}
}

func FuzzParsePosition(f *testing.F) {
	for _, s := range []string{"1.0.0", "2.17.9223372036854775807", "0.0.0", "1.-0.0", "1.2", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, ok := ParsePosition(s)
		if ok && (p.String() != s || p.Attempt < 1 || p.Thinking < 0 || p.Text < 0) {
			t.Errorf("%q was taken as %+v", s, p)
		}
		if !ok && p != (Position{}) {
			t.Errorf("%q is none, but gave %+v", s, p)
		}
	})
}

// page is the state of a client: it adds the text of events and discards everything on a
// restart.
type page struct {
	text, thinking string
	restarts       int
	last           Position
	over           bool
	done           parley.SendOutput
}

func (p *page) take(e Event) {
	p.last = e.At
	switch data := e.Data.(type) {
	case textData:
		if e.Name == "thinking" {
			p.thinking += data.Text
		} else {
			p.text += data.Text
		}
	case parley.SendOutput:
		p.done, p.over = data, true
	}
	if e.Name == "restart" {
		p.text, p.thinking = "", ""
		p.restarts++
	}
}

// maker is a reply in progress, and the part stored for other replicas.
type maker struct{ now, stored view }

func (m *maker) remote() view {
	v := m.stored
	if m.now.ended {
		v = m.now
	}
	v.behind = !v.ended
	v.moved = int64(utf8.RuneCountInString(v.details.Thinking))
	return v
}

// move makes the text so far thinking.
func (m *maker) move() {
	m.now.details.Thinking += m.now.text
	m.now.text = ""
	m.now.moved = int64(utf8.RuneCountInString(m.now.details.Thinking))
}

// TestAReaderEndsWithExactlyTheText generates a reply in random pieces by several processes, and stores it for other
// replicas at random times. Text can turn out to be thinking. A reader that loses its connection and resumes at random
// positions ends with exactly the text. It gets a restart event only if there was a new attempt, if text became
// thinking, or if it resumes on a replica that can't tell whether it did.
func TestAReaderEndsWithExactlyTheText(t *testing.T) {
	piece := rapid.StringOfN(rapid.RuneFrom([]rune("ab\n é渡😀\u0301\u200d")), 0, 5, -1)
	rapid.Check(t, func(t *rapid.T) {
		m := &maker{now: view{questionID: "q", attempt: 1}, stored: view{questionID: "q", attempt: 1}}
		c := newCursor("r", Position{})
		reader := &page{}
		remote := false
		reasons, resumed := 0, 0 // reasons to restart, and how often it resumed on another replica
		late := false            // thinking came after text, or text became thinking
		look := func() []Event {
			if remote {
				return c.advance(m.remote())
			}
			return c.advance(m.now)
		}
		t.Repeat(map[string]func(*rapid.T){
			"think": func(t *rapid.T) {
				m.now.details.Thinking += piece.Draw(t, "thinking")
				late = late || m.now.text != ""
			},
			"say":   func(t *rapid.T) { m.now.text += piece.Draw(t, "text") },
			"store": func(*rapid.T) { m.stored = m.now },
			"take over": func(*rapid.T) {
				m.now = view{questionID: "q", attempt: m.now.attempt + 1}
				m.stored = m.now
				reasons++
			},
			"turn out to be thinking": func(*rapid.T) {
				m.move()
				late = true
				reasons++
			},
			"read": func(*rapid.T) {
				for _, e := range look() {
					reader.take(e)
				}
			},
			"cut off while reading, and resume": func(t *rapid.T) {
				events := look()
				received := rapid.IntRange(0, len(events)).Draw(t, "received")
				for _, e := range events[:received] {
					reader.take(e)
				}
				remote = rapid.Bool().Draw(t, "on another replica")
				c = newCursor("r", reader.last)
				if remote {
					resumed++
				}
			},
		})
		m.now.ended = true
		for _, e := range look() {
			reader.take(e)
		}
		if !reader.over || reader.text != m.now.text || reader.thinking != m.now.details.Thinking ||
			reader.done.AIResponse.Content != m.now.text {
			t.Fatalf("got %+v, want the text %q and the thinking %q", reader, m.now.text, m.now.details.Thinking)
		}
		if late {
			reasons += resumed
		}
		if reader.restarts > reasons {
			t.Fatalf("restarted %d times for %d reasons", reader.restarts, reasons)
		}
	})
}

func TestAPositionBeyondTheTextStartsAnew(t *testing.T) {
	v := view{attempt: 2, text: "short", ended: true}
	for name, from := range map[string]Position{
		"text": {2, 0, 6}, "thinking": {2, 1, 0}, "another attempt": {1, 0, 3}, "an attempt to come": {7, 0, 0},
		"very far": {2, 1<<63 - 1, 1<<63 - 1},
	} {
		c := newCursor("r", from)
		reader := &page{text: "whatever"}
		for _, e := range c.advance(v) {
			reader.take(e)
		}
		if reader.restarts != 1 || reader.text != "short" || !reader.over {
			t.Errorf("%s: got %+v, want a restart and the whole text", name, reader)
		}
	}
}

func TestTheEndIsAnEvent(t *testing.T) {
	f := &Follower{cursor: newCursor("r", Position{1, 0, 3})}
	events := f.cursor.advance(view{attempt: 1, text: "abc", ended: true})
	if len(events) != 1 || events[0].Name != "done" || events[0].At != (Position{1, 0, 3}) {
		t.Errorf("got %+v, want done alone", events)
	}
	if _, err := f.Next(t.Context(), nil); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: got %v, want io.EOF", err)
	}
}

func TestAFailureIsToldWithoutItsCause(t *testing.T) {
	secret := errors.New("dial tcp 10.0.0.1: key sk-123")
	for _, err := range []error{parley.ErrAIUnavailable.WithCause(secret), secret} {
		c := newCursor("r", Position{Attempt: 1})
		events := c.advance(view{attempt: 1, ended: true, err: err})
		if len(events) != 1 || events[0].Name != "error" {
			t.Fatalf("got %+v", events)
		}
		data := events[0].Data.(parley.StreamError)
		if data.Message == "" || data.Error == 0 || data.Message == secret.Error() {
			t.Errorf("got %+v", data)
		}
	}
}

// A reply can fail before its first reader calls Next.
func TestAReplyThatFailsAtOnceBeginsWithItsIDs(t *testing.T) {
	e := New(Config{})
	live := e.newReply(t.Context(), store.Turn{UserID: 1, ReplyID: "r", QuestionID: "q", Attempt: 1})
	live.finish(parley.ErrAIUnavailable)
	events, err := e.newFollower(live).Next(t.Context(), nil)
	if err != nil || len(events) != 2 || events[0].Name != "start" || events[1].Name != "error" {
		t.Fatalf("got %+v and error %v", events, err)
	}
	if got := events[0]; got.Data != (startData{UserMessageID: "q", MessageID: "r"}) || got.At != (Position{Attempt: 1}) {
		t.Errorf("it begins with %+v", got)
	}
}

// TestReadersOfALiveTurnAreWoken reads a reply while another goroutine generates it.
func TestReadersOfALiveTurnAreWoken(t *testing.T) {
	e := New(Config{})
	live := e.newReply(t.Context(), store.Turn{UserID: 1, ReplyID: "r", QuestionID: "q", Attempt: 1})
	go func() {
		for range 1000 {
			live.add(ai.Chunk{Text: "渡é"}, time.Time{})
		}
		live.finish(nil)
	}()
	f := e.newFollower(live)
	reader := &page{}
	for !reader.over {
		events, err := f.Next(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			reader.take(e)
		}
	}
	if text, _ := live.soFar(); reader.text != text || reader.last.Text != 2000 {
		t.Errorf("got %d bytes and position %v, want %d bytes", len(reader.text), reader.last, len(text))
	}
}

func TestTimeToThinkIsMeasuredUntilTheFirstWord(t *testing.T) {
	e := New(Config{})
	live := e.newReply(t.Context(), store.Turn{Attempt: 1})
	defer live.finish(nil)
	begun := time.Unix(1000, 0)
	live.add(ai.Chunk{Thinking: "hm"}, begun)
	live.add(ai.Chunk{Thinking: "hm"}, begun.Add(time.Second))
	live.add(ai.Chunk{Text: "Well"}, begun.Add(1500*time.Millisecond))
	live.add(ai.Chunk{Text: "."}, begun.Add(9*time.Second))
	if text, details := live.soFar(); text != "Well." || details.Thinking != "hmhm" || details.ThinkingMS != 1500 {
		t.Errorf("got %q, %+v", text, details)
	}
}

func TestAReplyThatIsOverIsReadToItsEnd(t *testing.T) {
	e, userID := newEngine(t, says("Well."))
	sessionID := e.newSession(t, userID)
	for name, cause := range map[string]error{"the server shuts down": nil, "the login has ended": parley.ErrBadToken} {
		f, err := e.Start(t.Context(), newQuestion(userID, sessionID))
		if err != nil {
			t.Fatal(err)
		}
		<-f.live.done
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		events, err := f.Next(ctx, nil)
		if read := err == nil && events[len(events)-1].Name == "done"; read != (cause == nil) {
			t.Errorf("%s: got %v, %v", name, events, err)
		}
	}
}
