package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
	"parley/internal/chat/turn"
)

func (a *API) stream(ctx context.Context, in *sendRequest) (*huma.StreamResponse, error) {
	events, err := a.chat.Start(ctx, userID(ctx), in.Body, in.Key)
	if err != nil {
		return nil, err
	}
	return a.streamEvents(events), nil
}

// MessagePath is a path with the id of a reply.
type MessagePath struct {
	MessageID string `path:"message_id" doc:"The reply." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f13"`
}

// followReply streams a reply, starting at a position.
func (a *API) followReply(ctx context.Context, in *struct {
	MessagePath
	LastEventID string `header:"Last-Event-ID" maxLength:"128" doc:"The id of the last event that was received. Without it, the stream starts at the beginning." example:"1.0.42"`
},
) (*huma.StreamResponse, error) {
	var from turn.Position
	if in.LastEventID != "" {
		var ok bool
		if from, ok = turn.ParsePosition(in.LastEventID); !ok {
			return nil, parley.Invalid("Last-Event-ID must be the id of an event of this reply")
		}
	}
	events, err := a.turns.Follow(ctx, userID(ctx), in.MessageID, from)
	if err != nil {
		return nil, err
	}
	return a.streamEvents(events), nil
}

func (a *API) stopReply(ctx context.Context, in *MessagePath) (parley.Done, error) {
	return parley.Done{}, a.turns.Stop(ctx, userID(ctx), in.MessageID)
}

// streamEvents writes the events of a reply until it ends, the client disconnects, its login ends or the server
// stops. A client that was cut off can resume after its last event.
func (a *API) streamEvents(events *turn.Follower) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		r, w := humachi.Unwrap(hctx)
		ctx, release, err := a.accounts.Watch(r.Context(), identity(hctx.Context()))
		if err != nil {
			a.fail(r.Context(), err).write(w)
			return
		}
		defer release()
		out := &eventWriter{out: w, control: http.NewResponseController(w)}
		defer a.endOnStop(release, out.control)()
		header := w.Header()
		header.Set("Content-Type", "text/event-stream")
		header.Set("Cache-Control", "no-store, no-transform")
		header.Set("X-Accel-Buffering", "no") // for proxies
		w.WriteHeader(http.StatusOK)
		if r.Method == http.MethodHead {
			return
		}
		if out.control.Flush() == nil { // so that the client gets the headers at once
			a.copyEvents(ctx, out, events)
		}
	}}
}

// lastWrite is how long a write may take once the server stops.
const lastWrite = time.Second

// endOnStop calls end when the server stops, and shortens the deadline of a write that has stalled. The returned
// function must be called before the handler returns.
func (a *API) endOnStop(end func(), control *http.ResponseController) (unregister func()) {
	ended := make(chan struct{})
	stop := context.AfterFunc(a.stopping, func() {
		defer close(ended)
		end()
		_ = control.SetWriteDeadline(time.Now().Add(lastWrite)) // fails if the client has disconnected
	})
	return func() {
		if !stop() {
			<-ended
		}
	}
}

// copyEvents writes events until there are no more or ctx ends.
func (a *API) copyEvents(ctx context.Context, out *eventWriter, events *turn.Follower) {
	defer a.metrics.StreamOpened()()
	beat := time.NewTicker(a.heartbeat)
	defer beat.Stop()
	for {
		next, err := events.Next(ctx, beat.C)
		if err != nil {
			a.endEvents(ctx, out, err)
			return
		}
		if out.write(next...) != nil {
			return // the client has disconnected or is too slow
		}
	}
}

// endEvents writes the reason for the end of a stream if the client can act on it.
func (a *API) endEvents(ctx context.Context, out *eventWriter, err error) {
	var reason *parley.Error
	switch {
	case errors.Is(err, io.EOF):
	case errors.As(context.Cause(ctx), &reason):
		_ = out.write(turn.ErrorEvent(reason)) // the client may have disconnected
	case ctx.Err() == nil:
		a.log.ErrorContext(ctx, "stream a reply", "error", err, "request", requestID(ctx))
	}
}

type eventWriter struct {
	out     io.Writer
	control *http.ResponseController
	buffer  bytes.Buffer
}

// write sends events, or a comment if there are none. Data is JSON on one line, so no text can end an event or
// begin another.
func (e *eventWriter) write(events ...turn.Event) error {
	e.buffer.Reset()
	if len(events) == 0 {
		e.buffer.WriteString(": still here\n\n")
	}
	for _, event := range events {
		if event.At != (turn.Position{}) { // without an id the client keeps the last one
			e.buffer.WriteString("id: " + event.At.String() + "\n")
		}
		e.buffer.WriteString("event: " + event.Name + "\ndata: ")
		if err := encodeJSON(&e.buffer, event.Data); err != nil { // ends the line
			return err
		}
		e.buffer.WriteByte('\n')
	}
	if _, err := e.out.Write(e.buffer.Bytes()); err != nil {
		return err
	}
	return e.control.Flush()
}
