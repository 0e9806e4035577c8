package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/internal/door"
)

// openAI registers OpenAI's API. It is not part of the document: its form is OpenAI's.
func (a *API) openAI() {
	if a.door == nil {
		return
	}
	a.router.Get(door.Prefix+"models", a.serveDoor(reads, a.door.Models))
	a.router.Get(door.Prefix+"responses/{response_id}", a.serveDoor(reads, a.door.Response))
	a.router.Post(door.Prefix+"chat/completions", a.serveDoor(chats, a.door.Completions))
	a.router.Post(door.Prefix+"responses", a.serveDoor(chats, a.door.Responses))
}

// isAPI reports whether a path is one of an API, so that limits apply to it.
func isAPI(path string) bool { return strings.HasPrefix(path, apiPrefix) || isDoor(path) }

func isDoor(path string) bool { return strings.HasPrefix(path, door.Prefix) }

// doorHandler serves a request of a user.
type doorHandler func(http.ResponseWriter, *http.Request, door.Caller) error

// serveDoor serves requests with a token, or with a key that allows them. A request ends when the client disconnects,
// the login ends or the server stops.
func (a *API) serveDoor(allowed access, serve doorHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who := a.identify(w, r)
		if who == nil {
			return
		}
		if err := allowed.check(who); err != nil {
			asFailure(err).write(w, r)
			return
		}
		user := who.User.ID
		if !a.userRequests.TryAcquire(user) {
			writeError(w, r, parley.ErrTooManyOpen)
			return
		}
		defer a.userRequests.Release(user)
		hold := a.responses.Hold(user)
		defer hold.Release()
		ctx, release, err := a.accounts.Watch(r.Context(), who)
		if err == nil {
			defer release()
			defer a.endOnStop(release, http.NewResponseController(w))()
			err = serve(w, r.WithContext(ctx), door.Caller{UserID: user, Hold: hold})
		}
		if err != nil && !errors.Is(err, door.ErrWritten) {
			a.writeDoorError(w, r, err)
		}
	}
}

func (a *API) writeDoorError(w http.ResponseWriter, r *http.Request, err error) {
	var own *door.Error
	if !errors.As(err, &own) {
		if errors.Is(err, context.Canceled) { // the server stops, or the client has disconnected
			err = parley.ErrShuttingDown
		}
		a.fail(r.Context(), err).write(w, r)
		return
	}
	if cause := own.Unwrap(); cause != nil && r.Context().Err() == nil {
		a.log.WarnContext(r.Context(), "a call of a model has failed", "error", cause, "request", requestID(r.Context()))
	}
	own.Write(w)
}

// openAIError returns a failure in OpenAI's shape.
func (f *failure) openAIError() *door.Error {
	e := &door.Error{Status: f.status, Text: f.Message}
	if seconds, err := time.ParseDuration(f.headers.Get("Retry-After") + "s"); err == nil {
		e.RetryAfter = seconds
	}
	return e
}
