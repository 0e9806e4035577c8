package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/internal/openaiapi"
)

// openAIRoutes registers OpenAI's API. The document does not describe it because OpenAI defines it.
func (a *API) openAIRoutes() {
	if a.openAI == nil {
		return
	}
	a.router.Get(openaiapi.Prefix+"models", a.serveOpenAI(reads, a.openAI.Models))
	a.router.Get(openaiapi.Prefix+"responses/{response_id}", a.serveOpenAI(reads, a.openAI.Response))
	a.router.Post(openaiapi.Prefix+"chat/completions", a.serveOpenAI(chats, a.openAI.Completions))
	a.router.Post(openaiapi.Prefix+"responses", a.serveOpenAI(chats, a.openAI.Responses))
}

// isAPI reports whether a path belongs to an API. Limits apply to these paths.
func isAPI(path string) bool { return strings.HasPrefix(path, apiPrefix) || isOpenAI(path) }

func isOpenAI(path string) bool { return strings.HasPrefix(path, openaiapi.Prefix) }

// openAIHandler serves a user's request.
type openAIHandler func(http.ResponseWriter, *http.Request, openaiapi.Caller) error

// serveOpenAI serves requests with a token, or with a key that allows them. A request ends when the client
// disconnects, the login ends or the server stops.
func (a *API) serveOpenAI(allowed access, serve openAIHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, leave, err := a.gate.admit(r, allowed)
		if err != nil {
			asFailure(err).write(w, r)
			return
		}
		defer leave()
		ctx, release, err := a.accounts.Watch(r.Context(), who)
		if err == nil {
			defer release()
			defer a.endOnStop(release, http.NewResponseController(w))()
			err = serve(w, r.WithContext(ctx), openaiapi.Caller{UserID: who.User.ID, Hold: infoOf(ctx).hold})
		}
		if err != nil && !errors.Is(err, openaiapi.ErrWritten) {
			a.writeOpenAIError(w, r, err)
		}
	}
}

func (a *API) writeOpenAIError(w http.ResponseWriter, r *http.Request, err error) {
	var own *openaiapi.Error
	if !errors.As(err, &own) {
		if errors.Is(err, context.Canceled) { // the server stops, or the client has disconnected
			err = parley.ErrShuttingDown
		}
		a.journal.fail(r.Context(), err).write(w, r)
		return
	}
	if cause := own.Unwrap(); cause != nil && r.Context().Err() == nil {
		a.log.WarnContext(r.Context(), "a call of a model has failed", "error", cause, "request", requestID(r.Context()))
	}
	own.Write(w)
}

// openAIError returns a failure in OpenAI's format.
func (f *failure) openAIError() *openaiapi.Error {
	e := &openaiapi.Error{Status: f.status, Text: f.Message}
	if seconds, err := time.ParseDuration(f.headers.Get("Retry-After") + "s"); err == nil {
		e.RetryAfter = seconds
	}
	return e
}
