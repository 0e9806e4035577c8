package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/internal/chat/turn"
	"parley/internal/extract/sandbox"
)

const eventStream = "text/event-stream"

// wantsEvents reports whether the client has asked for server-sent events by name.
func wantsEvents(r *http.Request) bool {
	for _, accepted := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(accepted, ",") {
			if mediaType, _, err := mime.ParseMediaType(part); err == nil && mediaType == eventStream {
				return true
			}
		}
	}
	return false
}

// attachWithEvents reads a document as attach does, and writes events until it is read, since that may take minutes.
// If the client disconnects, its login ends or the server stops, the reading ends and nothing is kept.
func (a *API) attachWithEvents(ctx context.Context, in *uploadRequest, u *upload) error {
	// net/http notices that a client disconnects once its body was read to the end.
	_, _ = io.Copy(io.Discard, u.body) // an error shows when the client is written to
	ctx, release, err := a.accounts.Watch(ctx, identity(ctx))
	if err != nil {
		u.discard()
		return err
	}
	defer release()
	out := &eventWriter{out: in.writer, control: http.NewResponseController(in.writer), request: in.request}
	defer a.endOnStop(release, out.control)()
	header := in.writer.Header()
	header.Set("Content-Type", eventStream)
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no") // for proxies
	in.writer.WriteHeader(http.StatusOK)
	_ = out.control.Flush() // the next write shows whether the client is there
	a.copyProgress(ctx, release, out, u)
	return nil
}

// reading is the result of reading a document.
type reading struct {
	file parley.File
	err  error
}

// copyProgress reads the document and writes what happens meanwhile. It calls end to end the reading early.
func (a *API) copyProgress(ctx context.Context, end func(), out *eventWriter, u *upload) {
	progress := make(chan sandbox.Progress)
	u.draft.Progress = func(p sandbox.Progress) {
		select {
		case progress <- p:
		case <-ctx.Done():
		}
	}
	result := make(chan reading, 1)
	go func() {
		file, err := u.attach(ctx)
		result <- reading{file, err}
	}()
	beat := time.NewTicker(a.heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case p := <-progress:
			err = out.write(turn.Event{Name: "progress", Data: parley.UploadProgress(p)})
		case <-beat.C:
			err = out.write()
		case got := <-result:
			a.endProgress(ctx, out, got)
			return
		}
		if err != nil { // the client has disconnected or is too slow
			end()
		}
	}
}

// endProgress writes the last event. The client may have disconnected.
func (a *API) endProgress(ctx context.Context, out *eventWriter, got reading) {
	var reason *parley.Error
	switch {
	case got.err == nil:
		_ = out.write(turn.Event{Name: "done", Data: got.file})
	case errors.As(context.Cause(ctx), &reason):
		_ = out.write(turn.ErrorEvent(reason))
	default:
		_ = a.fail(ctx, got.err) // it is only logged, since the response has begun
		_ = out.write(turn.ErrorEvent(asError(got.err)))
	}
}
