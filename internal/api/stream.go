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
	"parley/internal/language"
	"parley/internal/limit"
	"parley/internal/sse"
)

func (a *API) stream(ctx context.Context, in *streamRequest) (*huma.StreamResponse, error) {
	events, err := a.chat.Stream(ctx, userID(ctx), in.Body, in.Key)
	if err != nil {
		return nil, err
	}
	if !infoOf(ctx).hold.Resize(events.Held()) { // this fails only if the reply was sent before with the same key
		return nil, parley.ErrOverloaded
	}
	return a.streamEvents(ctx, events), nil
}

// MessagePath is a path with the id of a message.
type MessagePath struct {
	MessageID string `path:"message_id" doc:"The message." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f13"`
}

// expectedReply is the memory that must be free before a reply is read. Most replies need less.
const expectedReply = 64 << 10

// maxReplyReads limits how many replies are read at once before their size is known and counted.
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

// streamEvents writes the events of a reply until the reply ends, the client disconnects, its login ends or the
// server stops. A client that was cut off can resume after its last event.
func (a *API) streamEvents(ctx context.Context, events *turn.Follower) *huma.StreamResponse {
	hold := infoOf(ctx).hold
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		r, w := humachi.Unwrap(hctx)
		ctx, release, err := a.accounts.Watch(r.Context(), identity(hctx.Context()))
		if err != nil {
			a.journal.fail(r.Context(), err).write(w, r)
			return
		}
		defer release()
		defer a.endOnStop(release, http.NewResponseController(w))()
		out := &replyWriter{sse.NewWriter(w), languageOf(r)}
		if out.Begin() == nil && r.Method != http.MethodHead {
			a.copyEvents(ctx, out, events, hold)
		}
	}}
}

// lastWrite is how long a write may take once the server stops.
const lastWrite = time.Second

// endOnStop calls end when the server stops, and shortens the deadline of a stalled write. The handler must call the
// returned function before it returns.
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
	ctx context.Context, out *replyWriter, events *turn.Follower, hold *limit.Hold[int64],
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
			return // no memory is left, or the client has disconnected or is too slow
		}
	}
}

// endEvents writes the reason for the end of a stream if the client can act on it.
func (a *API) endEvents(ctx context.Context, out *replyWriter, err error) {
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
	id   string // if empty, the client keeps the last one
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

// replyWriter writes events with messages in the client's language.
type replyWriter struct {
	*sse.Writer
	language language.Language
}

// write writes events. If there are none, it writes a comment.
func (w *replyWriter) write(events ...event) error {
	if len(events) == 0 {
		return w.Comment()
	}
	all := make([]sse.Event, 0, len(events))
	for _, event := range events {
		all = append(all, sse.Event{
			ID: event.id, Name: event.name, Data: func(out io.Writer) error { return w.writeData(out, event.data) },
		})
	}
	return w.Send(all...)
}

// writeData writes the data of an event. It encodes the texts of a long reply in pieces.
func (w *replyWriter) writeData(out io.Writer, data any) error {
	if failed, ok := data.(parley.StreamError); ok {
		failed.Message = w.language.Message(failed.Message)
		data = failed
	}
	done, ok := data.(parley.SendOutput)
	if !ok || len(done.AIResponse.Content)+len(done.AIResponse.Thinking) <= turn.MaxPiece {
		return encodeJSON(out, data)
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
	rest, err := replace(out, around.Bytes(), "content", content)
	if err == nil {
		rest, err = replace(out, rest, "thinking", thinking)
	}
	if err == nil {
		_, err = out.Write(rest)
	}
	return err
}

// placeholder takes the place of a text until it is encoded in pieces.
const placeholder = "-"

// replace writes JSON up to the placeholder of a member, then its text, and returns the rest. If there is no such
// placeholder, it returns everything. No text can look like the member because JSON escapes quotes within strings.
func replace(out io.Writer, encoded []byte, member, text string) (rest []byte, err error) {
	head, rest, found := bytes.Cut(encoded, []byte(`"`+member+`":"`+placeholder+`"`))
	if !found {
		return encoded, nil
	}
	var buffer bytes.Buffer
	buffer.Write(head)
	buffer.WriteString(`"` + member + `":"`)
	for text != "" {
		piece := turn.FirstPiece(text)
		text = text[len(piece):]
		if err := encodeText(&buffer, piece); err != nil {
			return nil, err
		}
		if _, err := out.Write(buffer.Bytes()); err != nil {
			return nil, err
		}
		buffer.Reset()
	}
	buffer.WriteByte('"')
	_, err = out.Write(buffer.Bytes())
	return rest, err
}

// encodeText writes a piece of a JSON string.
func encodeText(out *bytes.Buffer, piece string) error {
	begin := out.Len()
	if err := encodeJSON(out, piece); err != nil {
		return err
	}
	encoded := out.Bytes()[begin:]
	copy(encoded, encoded[1:])              // drop the first quote
	out.Truncate(out.Len() - len("\"\"\n")) // drop the second quote and the line break
	return nil
}
