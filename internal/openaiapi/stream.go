package openaiapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"parley"
)

// eventWriter writes a stream of events. The header is sent with the first event, so that an error before it has a
// status. A comment is written whenever the stream has been silent for an interval.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController

	mu     sync.Mutex
	begun  bool
	silent bool // since the last comment
	beats  *time.Ticker
	ended  chan struct{}
	over   sync.WaitGroup
}

func newEventWriter(w http.ResponseWriter, heartbeat time.Duration) *eventWriter {
	return &eventWriter{
		w: w, control: http.NewResponseController(w), beats: time.NewTicker(heartbeat), ended: make(chan struct{}),
	}
}

// close stops the comments. The caller must call it before the handler returns.
func (e *eventWriter) close() {
	e.beats.Stop()
	close(e.ended)
	e.over.Wait()
}

// write writes one event. name may be empty.
func (e *eventWriter) write(name string, data []byte) error {
	if bytes.IndexByte(data, '\n') >= 0 {
		var line bytes.Buffer
		if json.Compact(&line, data) == nil {
			data = line.Bytes()
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.begun {
		e.begin()
	}
	e.silent = false
	var out bytes.Buffer
	out.Grow(len(data) + len(name) + 32)
	if name != "" {
		out.WriteString("event: " + name + "\n")
	}
	out.WriteString("data: ")
	out.Write(data)
	out.WriteString("\n\n")
	return e.send(out.Bytes())
}

func (e *eventWriter) begin() {
	e.begun = true
	header := e.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no") // for proxies
	e.w.WriteHeader(http.StatusOK)
	e.over.Go(e.beat)
}

func (e *eventWriter) beat() {
	for {
		select {
		case <-e.ended:
			return
		case <-e.beats.C:
			e.comment()
		}
	}
}

func (e *eventWriter) comment() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.silent {
		_ = e.send([]byte(": still here\n\n")) // the client may have disconnected
	}
	e.silent = true
}

func (e *eventWriter) send(data []byte) error {
	if _, err := e.w.Write(data); err != nil {
		return err
	}
	return e.control.Flush()
}

// errStopping ends a call if the server stops.
var errStopping = &Error{
	Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Text: "the server is shutting down; try again",
}

// endOf returns why a call has ended: err, or if its context has ended, that its login has ended or the server stops.
// If the client has disconnected, nobody reads it.
func endOf(ctx context.Context, err error) error {
	var reason *parley.Error
	switch {
	case err == nil:
		return nil
	case errors.As(context.Cause(ctx), &reason):
		return reason
	case errors.Is(err, context.Canceled):
		return errStopping
	}
	return err
}

// done writes the end of a stream of chat completions.
func (e *eventWriter) done() { _ = e.write("", []byte("[DONE]")) } // the client may have disconnected
