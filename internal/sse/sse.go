// Package sse writes server-sent events.
package sse

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"time"
)

// ContentType is the media type of a stream of events.
const ContentType = "text/event-stream"

// maxBuffer is how much of a long event is made before it is written, and the largest buffer that a stream keeps: it
// may be open for long.
const maxBuffer = 64 << 10

// Event is one event of a stream.
type Event struct {
	ID   string // if it is empty, the client keeps the last one
	Name string // may be empty
	// Data writes the data, which may have several lines. A line break at its end is left out.
	Data func(out io.Writer) error
}

// Writer writes events as the response to a request. The header is written with the first of them: an error before it
// can have a status. After an error nothing more is written. A Writer is safe for concurrent use.
type Writer struct {
	response http.ResponseWriter
	control  *http.ResponseController

	mu     sync.Mutex
	buffer bytes.Buffer
	begun  bool
	silent bool // since the last tick of Beat
	err    error
}

// NewWriter returns a Writer.
func NewWriter(response http.ResponseWriter) *Writer {
	return &Writer{response: response, control: http.NewResponseController(response)}
}

// Begin writes the header now.
func (w *Writer) Begin() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin()
	return w.flush()
}

// Begun reports whether the header was written.
func (w *Writer) Begun() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.begun
}

// Send writes events.
func (w *Writer) Send(events ...Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin()
	w.silent = false
	for _, event := range events {
		if w.err == nil {
			w.add(event)
		}
	}
	return w.flush()
}

// Comment writes a comment, which clients ignore. Proxies cut connections that are silent for long.
func (w *Writer) Comment() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin()
	return w.comment()
}

// Beat writes a comment whenever the stream has begun and was then silent for an interval. The caller must call stop
// before the handler returns.
func (w *Writer) Beat(interval time.Duration) (stop func()) {
	ticker := time.NewTicker(interval)
	ended := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
				w.beat()
			}
		}
	})
	return func() {
		ticker.Stop()
		close(ended)
		beating.Wait()
	}
}

func (w *Writer) beat() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun && w.silent {
		_ = w.comment() // the client may have disconnected
	}
	w.silent = true
}

func (w *Writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	header := w.response.Header()
	header.Set("Content-Type", ContentType)
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no") // for proxies
	w.response.WriteHeader(http.StatusOK)
}

func (w *Writer) comment() error {
	w.buffer.WriteString(": still here\n\n")
	return w.flush()
}

func (w *Writer) add(event Event) {
	if event.ID != "" {
		w.buffer.WriteString("id: " + event.ID + "\n")
	}
	if event.Name != "" {
		w.buffer.WriteString("event: " + event.Name + "\n")
	}
	w.buffer.WriteString("data: ")
	if err := event.Data(&data{w: w}); err != nil {
		w.err = err
	}
	w.buffer.WriteString("\n\n")
}

// flush writes what is in the buffer, and sends it to the client.
func (w *Writer) flush() error {
	if w.write(); w.err == nil {
		w.err = w.control.Flush()
	}
	return w.err
}

// write writes what is in the buffer.
func (w *Writer) write() {
	if w.err == nil && w.buffer.Len() > 0 {
		_, w.err = w.response.Write(w.buffer.Bytes())
	}
	w.buffer.Reset()
	if w.buffer.Cap() > maxBuffer {
		w.buffer = bytes.Buffer{}
	}
}

// data writes the data of an event. No line of it can end the event or begin another.
type data struct {
	w     *Writer
	ended bool // a line has ended, and no other has begun
}

func (d *data) Write(p []byte) (n int, err error) {
	for n < len(p) && d.w.err == nil {
		if d.ended && p[n] != '\r' {
			d.w.buffer.WriteString("\ndata: ")
			d.ended = false
		}
		line := p[n:min(len(p), n+maxBuffer)]
		if end := bytes.IndexAny(line, "\r\n"); end >= 0 { // to a client a carriage return ends a line, too
			d.ended = d.ended || line[end] == '\n'
			line = line[:end]
			n++
		}
		d.w.buffer.Write(line)
		n += len(line)
		if d.w.buffer.Len() >= maxBuffer {
			d.w.write()
		}
	}
	return n, d.w.err
}
