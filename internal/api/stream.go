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
	"parley/internal/limit"
)

func (a *API) stream(ctx context.Context, in *streamRequest) (*huma.StreamResponse, error) {
	events, err := a.chat.Stream(ctx, userID(ctx), in.Body, in.Key)
	if err != nil {
		return nil, err
	}
	if !infoOf(ctx).hold.Resize(events.Held()) { // only if the reply was sent before, with the same key
		return nil, parley.ErrOverloaded
	}
	return a.streamEvents(ctx, events), nil
}

// MessagePath is a path with the id of a message.
type MessagePath struct {
	MessageID string `path:"message_id" doc:"The message." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f13"`
}

// expectedReply is the memory that must be left before a reply is read. Most replies take less.
const expectedReply = 64 << 10

// maxReplyReads is how many replies are read at once before their size is known and counted.
const maxReplyReads = 8

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
	if err := a.replyReads.Acquire(ctx); err != nil {
		return nil, err
	}
	defer a.replyReads.Release()
	hold := infoOf(ctx).hold
	if !hold.Resize(expectedReply) {
		return nil, parley.ErrOverloaded
	}
	events, err := a.turns.Follow(ctx, userID(ctx), in.MessageID, from)
	if err != nil {
		return nil, err
	}
	if !hold.Resize(events.Held()) {
		return nil, parley.ErrOverloaded
	}
	return a.streamEvents(ctx, events), nil
}

func (a *API) stopReply(ctx context.Context, in *MessagePath) (parley.Done, error) {
	return parley.Done{}, a.turns.Stop(ctx, userID(ctx), in.MessageID)
}

// streamEvents writes the events of a reply until it ends, the client disconnects, its login ends or the server
// stops. A client that was cut off can resume after its last event.
func (a *API) streamEvents(ctx context.Context, events *turn.Follower) *huma.StreamResponse {
	hold := infoOf(ctx).hold
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		r, w := humachi.Unwrap(hctx)
		ctx, release, err := a.accounts.Watch(r.Context(), identity(hctx.Context()))
		if err != nil {
			a.fail(r.Context(), err).write(w, r)
			return
		}
		defer release()
		out := &eventWriter{out: w, control: http.NewResponseController(w), request: r}
		defer a.endOnStop(release, out.control)()
		startEvents(w)
		if r.Method == http.MethodHead {
			return
		}
		if out.control.Flush() == nil { // so that the client gets the headers at once
			a.copyEvents(ctx, out, events, hold)
		}
	}}
}

// startEvents writes the header of a stream of events.
func startEvents(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", eventStream)
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no") // for proxies
	w.WriteHeader(http.StatusOK)
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
func (a *API) copyEvents(
	ctx context.Context, out *eventWriter, events *turn.Follower, hold *limit.Hold[int64],
) {
	defer a.metrics.StreamOpened()()
	beat := time.NewTicker(a.heartbeat)
	defer beat.Stop()
	for {
		next, err := events.Next(ctx, beat.C)
		if err != nil {
			a.endEvents(ctx, out, err)
			return
		}
		if !hold.Resize(events.Held()) || out.write(replyEvents(next)...) != nil {
			return // there is no memory left, or the client has disconnected or is too slow
		}
	}
}

// endEvents writes the reason for the end of a stream if the client can act on it.
func (a *API) endEvents(ctx context.Context, out *eventWriter, err error) {
	var reason *parley.Error
	switch {
	case errors.Is(err, io.EOF):
	case errors.As(context.Cause(ctx), &reason):
		_ = out.write(errorEvent(reason)) // the client may have disconnected
	case ctx.Err() == nil:
		a.log.ErrorContext(ctx, "stream a reply", "error", err, "request", requestID(ctx))
	}
}

// event is a server-sent event.
type event struct {
	id   string // without one the client keeps the last one
	name string
	data any // encoded as JSON
}

// errorEvent returns the event that ends a stream with an error.
func errorEvent(err error) event { return event{name: "error", data: parley.NewStreamError(err)} }

// replyEvents returns the events of a reply.
func replyEvents(events []turn.Event) []event {
	all := make([]event, len(events))
	for i, e := range events {
		all[i] = event{name: e.Name, data: e.Data}
		if e.At != (turn.Position{}) {
			all[i].id = e.At.String()
		}
	}
	return all
}

type eventWriter struct {
	out     io.Writer
	control *http.ResponseController
	request *http.Request
	buffer  bytes.Buffer
}

// write sends events, or a comment if there are none. Data is JSON on one line, so no text can end an event or
// begin another.
func (e *eventWriter) write(events ...event) error {
	if len(events) == 0 {
		e.buffer.WriteString(": still here\n\n")
	}
	for _, event := range events {
		if event.id != "" {
			e.buffer.WriteString("id: " + event.id + "\n")
		}
		e.buffer.WriteString("event: " + event.name + "\ndata: ")
		if err := e.writeData(event.data); err != nil {
			return err
		}
		e.buffer.WriteByte('\n')
	}
	if err := e.send(); err != nil {
		return err
	}
	return e.control.Flush()
}

// send sends what is in the buffer. A large buffer is not kept, since a stream may be open for long.
func (e *eventWriter) send() error {
	_, err := e.out.Write(e.buffer.Bytes())
	e.buffer.Reset()
	if e.buffer.Cap() > maxPiece {
		e.buffer = bytes.Buffer{}
	}
	return err
}

// writeData writes the data of an event and ends the line. The texts of a long reply are sent in pieces.
func (e *eventWriter) writeData(data any) error {
	if failed, ok := data.(parley.StreamError); ok {
		failed.Message = languageOf(e.request).Message(failed.Message)
		data = failed
	}
	done, ok := data.(parley.SendOutput)
	if !ok || len(done.AIResponse.Content)+len(done.AIResponse.Thinking) <= turn.MaxPiece {
		return encodeJSON(&e.buffer, data)
	}
	content, thinking := done.AIResponse.Content, done.AIResponse.Thinking
	done.AIResponse.Content = placeholder
	if thinking != "" {
		done.AIResponse.Thinking = placeholder
	}
	var around bytes.Buffer
	if err := encodeJSON(&around, done); err != nil {
		return err
	}
	rest, err := e.replace(around.Bytes(), "content", content)
	if err == nil {
		rest, err = e.replace(rest, "thinking", thinking)
	}
	e.buffer.Write(rest)
	return err
}

// placeholder stands for a text that is sent in pieces.
const placeholder = "-"

// replace sends JSON up to the placeholder of a member, then its text, and returns the rest. Without the placeholder it
// returns everything. In JSON a quote within a string is escaped, so no text can look like the member.
func (e *eventWriter) replace(encoded []byte, member, text string) (rest []byte, err error) {
	head, rest, found := bytes.Cut(encoded, []byte(`"`+member+`":"`+placeholder+`"`))
	if !found {
		return encoded, nil
	}
	e.buffer.Write(head)
	e.buffer.WriteString(`"` + member + `":"`)
	for text != "" {
		piece := turn.FirstPiece(text)
		if err := e.sendText(piece); err != nil {
			return nil, err
		}
		text = text[len(piece):]
	}
	e.buffer.WriteByte('"')
	return rest, nil
}

// sendText sends a piece of a JSON string.
func (e *eventWriter) sendText(piece string) error {
	begin := e.buffer.Len()
	if err := encodeJSON(&e.buffer, piece); err != nil {
		return err
	}
	encoded := e.buffer.Bytes()[begin:]
	copy(encoded, encoded[1:])                        // without the first quote
	e.buffer.Truncate(e.buffer.Len() - len("\"\"\n")) // nor the second and the end of the line
	return e.send()
}
