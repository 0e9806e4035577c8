package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
	"parley/internal/chat"
)

// stream sends a message and answers with the events of its reply.
func (a *API) stream(ctx context.Context, in *sendRequest) (*huma.StreamResponse, error) {
	events, err := a.chat.Ask(ctx, userID(ctx), in.Body, in.Key)
	if err != nil {
		return nil, err
	}
	return a.streamEvents(events), nil
}

// MessagePath names a reply in the path.
type MessagePath struct {
	MessageID string `path:"message_id" doc:"The reply." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f13"`
}

// followReply answers with the events of a reply from a position on.
func (a *API) followReply(ctx context.Context, in *struct {
	MessagePath
	LastEventID string `header:"Last-Event-ID" maxLength:"128" doc:"The id of the last event that was received; none means from the beginning." example:"1.0.42"`
},
) (*huma.StreamResponse, error) {
	var from chat.Position
	if in.LastEventID != "" {
		var ok bool
		if from, ok = chat.ParsePosition(in.LastEventID); !ok {
			return nil, parley.Invalid("Last-Event-ID must be the id of an event of this reply")
		}
	}
	events, err := a.chat.Follow(ctx, userID(ctx), in.MessageID, from)
	if err != nil {
		return nil, err
	}
	return a.streamEvents(events), nil
}

func (a *API) stopReply(ctx context.Context, in *MessagePath) (parley.Done, error) {
	return parley.Done{}, a.chat.Stop(ctx, userID(ctx), in.MessageID)
}

// streamEvents writes the events of a reply until it ends, its reader leaves or their
// login ends. A reader who is slow is cut off: it can go on where it was.
func (a *API) streamEvents(events *chat.Follower) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		r, w := humachi.Unwrap(hctx)
		// Not the request's context, since a stream may outlive its handler.
		ctx := context.WithValue(context.Background(), keyRequest, aboutRequest(r.Context()))
		ctx, leave, err := a.accounts.Watch(ctx, identity(hctx.Context()))
		if err != nil {
			a.fail(r.Context(), err).write(w)
			return
		}
		header := w.Header()
		header.Set("Content-Type", "text/event-stream")
		header.Set("Cache-Control", "no-store, no-transform")
		header.Set("X-Accel-Buffering", "no") // asks proxies not to hold anything back
		patience := a.maxWrite
		if a.detach(w, r, func(d *detached) {
			defer leave()
			stop := func() {
				leave()
				d.closeSoon()
			}
			a.pump(ctx, stop, events, &eventWriter{out: d, deadline: d.conn.SetWriteDeadline, patience: patience})
			d.end()
		}, leave) {
			return
		}
		defer leave()
		defer context.AfterFunc(r.Context(), leave)()
		control := http.NewResponseController(w)
		w.WriteHeader(http.StatusOK)
		if control.Flush() == nil { // so that the reader knows that it is connected
			a.pump(ctx, leave, events, &eventWriter{out: w, deadline: control.SetWriteDeadline, flush: control.Flush, patience: patience})
		}
	}}
}

// pump writes events until there are no more, or ctx ends. When the server stops it
// calls stop.
func (a *API) pump(ctx context.Context, stop func(), events *chat.Follower, out *eventWriter) {
	defer a.metrics.StreamOpened()()
	defer context.AfterFunc(a.stopping, stop)()
	err := a.follow(ctx, events, out)
	var reason *parley.Error
	switch {
	case err == nil:
	case errors.As(context.Cause(ctx), &reason):
		_ = out.write(chat.Failed(reason)) // the reader may have gone
	case ctx.Err() == nil:
		a.log.ErrorContext(ctx, "stream a reply", "error", err, "request", requestID(ctx))
	}
}

func (a *API) follow(ctx context.Context, events *chat.Follower, out *eventWriter) error {
	beat := time.NewTicker(a.heartbeat)
	defer beat.Stop()
	for {
		some, err := events.Next(ctx, beat.C)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := out.write(some...); err != nil {
			return nil //nolint:nilerr // the reader has gone, or is too slow
		}
	}
}

// eventWriter writes server-sent events, each at once.
type eventWriter struct {
	out      io.Writer
	deadline func(time.Time) error
	flush    func() error  // nil where out keeps nothing back
	patience time.Duration // how long a write may take
	buffer   bytes.Buffer
}

// write sends events, or a comment where there are none. Data is JSON on one line, so
// no text can end an event or begin another.
func (e *eventWriter) write(events ...chat.Event) error {
	e.buffer.Reset()
	if len(events) == 0 {
		e.buffer.WriteString(": still here\n\n")
	}
	for _, event := range events {
		if event.At != (chat.Position{}) { // else the reader's last id stays good
			e.buffer.WriteString("id: " + event.At.String() + "\n")
		}
		e.buffer.WriteString("event: " + event.Name + "\ndata: ")
		if err := encodeJSON(&e.buffer, event.Data); err != nil { // ends the line
			return err
		}
		e.buffer.WriteByte('\n')
	}
	return e.send()
}

func (e *eventWriter) send() error {
	// In pieces, so that a long event reaches a reader who is slow but there.
	for piece := range slices.Chunk(e.buffer.Bytes(), 16<<10) {
		if err := e.deadline(time.Now().Add(e.patience)); err != nil {
			return err
		}
		if _, err := e.out.Write(piece); err != nil {
			return err
		}
	}
	if e.flush == nil {
		return nil
	}
	return e.flush()
}
