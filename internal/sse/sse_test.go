package sse

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// text returns what writes a text.
func text(s string) func(io.Writer) error {
	return func(out io.Writer) error {
		_, err := io.WriteString(out, s)
		return err
	}
}

func TestEventsHaveTheirForm(t *testing.T) {
	for _, test := range []struct {
		name  string
		event Event
		want  string
	}{
		{"only data", Event{Data: text(`{"a":1}`)}, "data: {\"a\":1}\n\n"},
		{"all", Event{ID: "1.0.2", Name: "delta", Data: text("x")}, "id: 1.0.2\nevent: delta\ndata: x\n\n"},
		{"no data", Event{Name: "done", Data: text("")}, "event: done\ndata: \n\n"},
		{"a line", Event{Data: text("{}\n")}, "data: {}\n\n"},
		{"lines", Event{Data: text("a\r\nb\rc\n\nd")}, "data: a\ndata: bc\ndata: \ndata: d\n\n"},
		{"an event in it", Event{Data: text("a\n\nevent: b\ndata: c")}, "data: a\ndata: \ndata: event: b\ndata: data: c\n\n"},
		{
			"in pieces",
			Event{Data: func(out io.Writer) error {
				return errors.Join(text("a\n")(out), text("")(out), text("\r")(out), text("b")(out), text("\n")(out))
			}},
			"data: a\ndata: b\n\n",
		},
	} {
		out := httptest.NewRecorder()
		w := NewWriter(out)
		if err := w.Send(test.event); err != nil || out.Body.String() != test.want || !out.Flushed {
			t.Errorf("%s: got %q, want %q, %v", test.name, out.Body, test.want, err)
		}
	}
}

func TestTheHeaderComesWithTheFirstEvent(t *testing.T) {
	for name, begin := range map[string]func(*Writer) error{
		"an event": func(w *Writer) error { return w.Send(Event{Data: text("a")}) },
		"no event": (*Writer).Begin,
		"comment":  (*Writer).Comment,
	} {
		out := httptest.NewRecorder()
		w := NewWriter(out)
		if w.Begun() || len(out.Header()) > 0 {
			t.Errorf("%s: begun with %v", name, out.Header())
		}
		if err := begin(w); err != nil || !w.Begun() || !out.Flushed || out.Code != http.StatusOK {
			t.Errorf("%s: HTTP %d, %v", name, out.Code, err)
		}
		for header, want := range map[string]string{
			"Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no",
		} {
			if got := out.Header().Get(header); got != want {
				t.Errorf("%s: %s is %q", name, header, got)
			}
		}
	}
}

// pieces counts the writes of a response, and fails them if it has an error.
type pieces struct {
	*httptest.ResponseRecorder
	writes, flushes, longest int
	err                      error
}

func (p *pieces) Write(data []byte) (int, error) {
	p.writes++
	p.longest = max(p.longest, len(data))
	if p.err != nil {
		return 0, p.err
	}
	return p.ResponseRecorder.Write(data)
}

func (p *pieces) Flush() { p.flushes++ }

func TestEventsAreSentTogether(t *testing.T) {
	out := &pieces{ResponseRecorder: httptest.NewRecorder()}
	if err := NewWriter(out).Send(Event{Data: text("a")}, Event{Data: text("b")}); err != nil {
		t.Fatal(err)
	}
	if got := out.Body.String(); got != "data: a\n\ndata: b\n\n" || out.writes != 1 || out.flushes != 1 {
		t.Errorf("%d writes and %d flushes of %q", out.writes, out.flushes, got)
	}
}

// TestALongEventIsNotHeld sends an event of a few megabytes. The data comes in one piece or in many.
func TestALongEventIsNotHeld(t *testing.T) {
	const size = 4 << 20
	for name, write := range map[string]func(io.Writer) error{
		"one piece": text(strings.Repeat("x", size)),
		"many": func(out io.Writer) (err error) {
			piece := strings.Repeat("x", 1000)
			for left := size; left > 0 && err == nil; left -= len(piece) {
				_, err = io.WriteString(out, piece[:min(left, len(piece))])
			}
			return err
		},
	} {
		out := &pieces{ResponseRecorder: httptest.NewRecorder()}
		w := NewWriter(out)
		if err := w.Send(Event{Data: write}); err != nil || out.flushes != 1 {
			t.Errorf("%s: %d flushes, %v", name, out.flushes, err)
		}
		if want := "data: " + strings.Repeat("x", size) + "\n\n"; out.Body.String() != want {
			t.Errorf("%s: got %d bytes", name, out.Body.Len())
		}
		if out.longest > 2*maxBuffer || w.buffer.Cap() > maxBuffer {
			t.Errorf("%s: %d bytes were written at once, %d are kept", name, out.longest, w.buffer.Cap())
		}
	}
}

func TestNothingIsWrittenAfterAnError(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		out   *pieces
		event Event
	}{
		"the client is gone": {&pieces{ResponseRecorder: httptest.NewRecorder(), err: broken}, Event{Data: text("a")}},
		"the data is wrong": {
			&pieces{ResponseRecorder: httptest.NewRecorder()},
			Event{Data: func(out io.Writer) error { return errors.Join(text("half")(out), broken) }},
		},
	} {
		w := NewWriter(test.out)
		if err := w.Send(test.event); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
		test.out.err, test.out.writes = nil, 0
		if err := errors.Join(w.Send(Event{Data: text("b")}), w.Comment()); !errors.Is(err, broken) || test.out.writes > 0 {
			t.Errorf("%s: %d later writes of %q, %v", name, test.out.writes, test.out.Body, err)
		}
	}
}

// TestASilentStreamHasComments is silent before its first event and after it.
func TestASilentStreamHasComments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := httptest.NewRecorder()
		w := NewWriter(out)
		defer w.Beat(time.Second)()
		wants := func(want string) {
			t.Helper()
			synctest.Wait()
			w.mu.Lock()
			defer w.mu.Unlock()
			if got := out.Body.String(); got != want {
				t.Errorf("after %v got %q, want %q", time.Now(), got, want)
			}
		}
		const event, comment = "data: a\n\n", ": still here\n\n"
		time.Sleep(2500 * time.Millisecond)
		wants("") // an error could still have a status
		if err := w.Send(Event{Data: text("a")}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		wants(event) // it has been silent for less than an interval
		time.Sleep(time.Second)
		wants(event + comment)
		time.Sleep(time.Second)
		wants(event + comment + comment)
	})
}

// TestCommentsComeBetweenEvents writes events and comments at once.
func TestCommentsComeBetweenEvents(t *testing.T) {
	out := httptest.NewRecorder()
	w := NewWriter(out)
	var writing sync.WaitGroup
	for range 4 {
		writing.Go(func() {
			for range 100 {
				_ = w.Send(Event{Name: "delta", Data: text("a\nb")})
				_ = w.Comment()
			}
		})
	}
	writing.Wait()
	rest := strings.ReplaceAll(out.Body.String(), ": still here\n\n", "")
	if rest != strings.Repeat("event: delta\ndata: a\ndata: b\n\n", 400) {
		t.Errorf("got %q", rest)
	}
}
