package openaiapi

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"parley"
	"parley/internal/limit"
	"parley/internal/responses"
)

// ErrWritten is returned if a response was begun and could not be completed. The client has been told.
var ErrWritten = errors.New("the response has ended early")

// once serves a request once within 24 hours if it has an idempotency key. Its response is stored for the requests that
// repeat it, and is completed even if the client leaves, but not if its login ends. A request that fails frees its key.
func (a *API) once(
	w http.ResponseWriter, r *http.Request, who Caller, key string, body fields,
	serve func(w http.ResponseWriter, r *http.Request) error,
) error {
	if key == "" {
		return serve(w, r)
	}
	if err := a.detached.Acquire(r.Context()); err != nil {
		return err
	}
	defer a.detached.Release()
	out := &recorder{ResponseWriter: w, hold: a.memory.Hold(who.UserID)}
	defer out.hold.Release()
	earlier, err := a.responses.Once(r.Context(), responses.Key{
		UserID: who.UserID,
		ID:     fmt.Sprintf("key_%x", sha256.Sum256([]byte(r.URL.Path+"\n"+key))),
		Digest: digestOf(body),
	}, who.Hold.Resize, func() ([]byte, error) {
		ctx, cancel := a.untilLoginEnds(r.Context())
		defer cancel()
		err := serve(out, r.WithContext(ctx))
		return out.written.Bytes(), err
	})
	switch {
	case errors.Is(err, responses.ErrOtherCall):
		return invalid("Idempotency-Key", "was used for another request")
	case earlier != nil:
		return replay(w, earlier)
	}
	return err
}

// untilLoginEnds returns a context that outlives the client of a request, but not its login, the time of a model or
// the server.
func (a *API) untilLoginEnds(request context.Context) (context.Context, context.CancelFunc) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(request), a.maxTime)
	ctx, end := context.WithCancelCause(limited)
	left := context.AfterFunc(request, func() {
		var ended *parley.Error
		if errors.As(context.Cause(request), &ended) {
			end(ended)
		}
	})
	stopped := context.AfterFunc(a.working, cancel)
	return ctx, func() {
		left()
		stopped()
		cancel()
	}
}

// digestOf returns the digest of the JSON of a body as json.Marshal makes it. It does not make it: that would take
// several times the size of the body.
func digestOf(body fields) string {
	digest := sha256.New()
	out := bufio.NewWriter(digest)
	separator := "{"
	for _, name := range slices.Sorted(maps.Keys(body)) {
		quoted, _ := json.Marshal(name) // a string can always be encoded
		_, _ = fmt.Fprintf(out, "%s%s:", separator, quoted)
		writeCompact(out, body[name])
		separator = ","
	}
	if len(body) == 0 {
		_, _ = out.WriteString(separator)
	}
	_, _ = out.WriteString("}")
	_ = out.Flush() // writing to a digest never fails
	return fmt.Sprintf("%x", digest.Sum(nil))
}

// writeCompact writes JSON text without white space, and with the escapes of json.Marshal.
func writeCompact(out *bufio.Writer, text []byte) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			_, _ = out.Write(text[i : i+2])
			i++
			continue
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			continue
		case c == '<' || c == '>' || c == '&':
			const hex = "0123456789abcdef"
			_, _ = out.WriteString(`\u00`)
			_ = out.WriteByte(hex[c>>4])
			_ = out.WriteByte(hex[c&0xF])
			continue
		case c == 0xE2 && bytes.HasPrefix(text[i:], []byte("\u2028")):
			_, _ = out.WriteString(`\u2028`)
			i += 2
			continue
		case c == 0xE2 && bytes.HasPrefix(text[i:], []byte("\u2029")):
			_, _ = out.WriteString(`\u2029`)
			i += 2
			continue
		}
		_ = out.WriteByte(text[i])
	}
}

// replay writes a stored response: the type of its content, and its content.
func replay(w http.ResponseWriter, data []byte) error {
	kind, content, _ := bytes.Cut(data, []byte("\n"))
	w.Header().Set("Content-Type", string(kind))
	_, _ = w.Write(content) // the client may have disconnected
	return nil
}

// recorder records what is written, with the type of its content before it. It goes on after the client has left.
type recorder struct {
	http.ResponseWriter
	hold     *limit.Hold[int64]
	written  bytes.Buffer
	overflow bool // there is too much to store
	gone     bool
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) Write(p []byte) (int, error) {
	r.record(p)
	if !r.gone {
		_, err := r.ResponseWriter.Write(p)
		r.gone = err != nil
	}
	return len(p), nil
}

// record records a piece, unless there is too much or no memory for it.
func (r *recorder) record(p []byte) {
	if r.overflow {
		return
	}
	if r.written.Len() == 0 {
		r.written.WriteString(r.Header().Get("Content-Type") + "\n")
	}
	size := r.written.Len() + len(p)
	if r.overflow = size > responses.MaxSize || !r.hold.Resize(int64(size)); r.overflow {
		r.written = bytes.Buffer{}
		r.hold.Resize(0)
		return
	}
	r.written.Write(p)
}

// FlushError is for http.ResponseController.
func (r *recorder) FlushError() error {
	if !r.gone {
		r.gone = http.NewResponseController(r.ResponseWriter).Flush() != nil
	}
	return nil
}
