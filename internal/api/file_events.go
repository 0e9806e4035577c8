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
	"parley/internal/extract/sandbox"
	"parley/internal/sse"
)

// wantsEvents reports whether the client explicitly accepts server-sent events.
func wantsEvents(r *http.Request) bool {
	for _, accepted := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(accepted, ",") {
			if mediaType, _, err := mime.ParseMediaType(part); err == nil && mediaType == sse.ContentType {
				return true
			}
		}
	}
	return false
}

// attachWithEvents reads a document as attach does. This may take minutes, so it writes events meanwhile. It returns
// an error that occurs before the first event. If the client disconnects, its login ends or the server stops, the
// reading ends and nothing is kept.
func (a *API) attachWithEvents(ctx context.Context, in *uploadRequest, u *upload) error {
	// net/http notices that a client has disconnected only once the body was read to its end.
	_, _ = io.Copy(io.Discard, u.body) // writing to the client shows the error
	ctx, release, err := a.accounts.Watch(ctx, identity(ctx))
	if err != nil {
		u.discard()
		return err
	}
	defer release()
	defer a.endOnStop(release, http.NewResponseController(in.writer))()
	out := &replyWriter{sse.NewWriter(in.writer), languageOf(in.request)}
	return a.copyProgress(ctx, release, out, u)
}

// reading is the result of reading a document.
type reading struct {
	file parley.File
	err  error
}

// copyProgress reads the document and writes its progress. It calls end to stop the reading early.
func (a *API) copyProgress(ctx context.Context, end func(), out *replyWriter, u *upload) error {
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
			err = out.write(event{name: "progress", data: parley.UploadProgress(p)})
		case <-beat.C:
			err = out.write()
		case got := <-result:
			return a.endProgress(ctx, out, got)
		}
		if err != nil { // the client has disconnected or is too slow
			end()
		}
	}
}

// endProgress writes the last event. If there was no event yet, it returns the error. The client may have
// disconnected.
func (a *API) endProgress(ctx context.Context, out *replyWriter, got reading) error {
	if got.err == nil {
		_ = out.write(event{name: "done", data: got.file})
		return nil
	}
	var reason *parley.Error
	if errors.As(context.Cause(ctx), &reason) {
		got.err = reason
	}
	if !out.Begun() {
		return got.err
	}
	_ = a.journal.fail(ctx, got.err) // only logged: the response has begun
	_ = out.write(errorEvent(asError(got.err)))
	return nil
}
