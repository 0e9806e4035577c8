package api

import (
	"math"
	"net/http"
	"strconv"

	"parley"
)

// envelope is the envelope of a success with a body. Its name is part of the schema names in openapi.json.
type envelope[T any] struct {
	Error   int    `json:"error" enum:"0" doc:"0: success." example:"0"`
	Body    T      `json:"body"`
	Message string `json:"message" doc:"Human-readable text." example:"ok"`
	Success bool   `json:"success" doc:"Whether the call succeeded." example:"true"`
}

// done is the envelope of a success without a body.
type done struct {
	Error   int    `json:"error" enum:"0" doc:"0: success." example:"0"`
	Message string `json:"message" doc:"Human-readable text." example:"ok"`
	Success bool   `json:"success" doc:"Whether the call succeeded." example:"true"`
}

const ok = "ok"

func newEnvelope[T any](body T) envelope[T] {
	return envelope[T]{Body: body, Message: ok, Success: true}
}

// failure is the envelope of an error. It is also huma's error type.
type failure struct {
	Code    parley.Code `json:"error" doc:"Error code; see the list in this document's description." example:"1001"`
	Body    any         `json:"body,omitempty" hidden:"true"`
	Message string      `json:"message" doc:"What happened and what to do, for people; in Chinese if Accept-Language prefers it." example:"content is required and must not be blank"`
	Success bool        `json:"success" doc:"false." example:"false"`

	status  int
	headers http.Header
}

// lateReply is the schema of a failure with HTTP 504 that may have a body. It is only for openapi.json.
type lateReply struct {
	Code    parley.Code       `json:"error" doc:"5001: the reply takes longer than the time limit. 5000: the request does." example:"5001"`
	Body    parley.SendOutput `json:"body,omitempty" doc:"With 5001: what a send returns, with the text so far."`
	Message string            `json:"message" doc:"What happened and what to do, for people." example:"the reply takes longer than the time limit"`
	Success bool              `json:"success" doc:"false." example:"false"`
}

// failedReply is the schema of a failure with HTTP 503 of an operation with a reply. It is only for openapi.json.
type failedReply struct {
	Code    parley.Code      `json:"error" doc:"Error code; see the list in this document's description." example:"5001"`
	Body    parley.AIFailure `json:"body,omitempty" doc:"With 5001: why the model did not reply."`
	Message string           `json:"message" doc:"What happened and what to do, for people." example:"the model is overloaded; nothing was stored, try again in a moment"`
	Success bool             `json:"success" doc:"false." example:"false"`
}

// failedLogin is the schema of a failure with HTTP 401 of an operation that takes a code of the second factor. It is
// only for openapi.json.
type failedLogin struct {
	Code    parley.Code         `json:"error" doc:"Error code; see the list in this document's description." example:"1003"`
	Body    parley.LoginFailure `json:"body,omitempty" doc:"With 1003: what is missing or wrong, if it is not the password."`
	Message string              `json:"message" doc:"What happened and what to do, for people." example:"wrong password"`
	Success bool                `json:"success" doc:"false." example:"false"`
}

// askedRetention is the schema of a failure with HTTP 409 when the retention changes. It is only for openapi.json.
type askedRetention struct {
	Code    parley.Code         `json:"error" doc:"Error code; see the list in this document's description." example:"2002"`
	Body    parley.AgedSessions `json:"body,omitempty" doc:"What the retention would delete."`
	Message string              `json:"message" doc:"What happened and what to do, for people." example:"this retention deletes sessions: 6, of users: 1; repeat the change with confirm: true; nothing is deleted within the first hour"`
	Success bool                `json:"success" doc:"false." example:"false"`
}

func (f *failure) Error() string           { return f.Message }
func (f *failure) GetStatus() int          { return f.status }
func (f *failure) GetHeaders() http.Header { return f.headers }

// write writes the failure from outside of a typed handler.
func (f *failure) write(w http.ResponseWriter, r *http.Request) {
	for name, values := range f.headers {
		w.Header()[name] = values
	}
	translated := f.translate(w, r)
	if isOpenAI(r.URL.Path) {
		translated.openAIError().Write(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_ = encodeJSON(w, translated) // the client may have disconnected
}

// writeError writes an error from outside of a typed handler.
func writeError(w http.ResponseWriter, r *http.Request, e *parley.Error) { newFailure(e).write(w, r) }

// newFailure returns the envelope of an error, without its cause.
func newFailure(e *parley.Error) *failure {
	f := &failure{Code: e.Code, Body: e.Body, Message: e.Message, status: httpStatus(e), headers: http.Header{}}
	if e.Code == parley.CodeBadToken {
		f.headers.Set("WWW-Authenticate", "Bearer")
	}
	if e.RetryAfter > 0 {
		f.headers.Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	return f
}

type statusKey struct {
	code parley.Code
	kind parley.Kind
}

// statuses maps codes and kinds to HTTP statuses.
var statuses = map[statusKey]int{
	{parley.CodeInvalidParameter, parley.Plain}:     http.StatusBadRequest,
	{parley.CodeInvalidParameter, parley.Forbidden}: http.StatusForbidden,
	{parley.CodeInvalidParameter, parley.Unknown}:   http.StatusNotFound,
	{parley.CodeNoSuchUser, parley.Plain}:           http.StatusNotFound,
	{parley.CodeWrongPassword, parley.Plain}:        http.StatusUnauthorized,
	{parley.CodeWrongPassword, parley.Factor}:       http.StatusUnauthorized,
	{parley.CodeEmailTaken, parley.Plain}:           http.StatusConflict,
	{parley.CodeBadToken, parley.Plain}:             http.StatusUnauthorized,
	{parley.CodeBadToken, parley.Unknown}:           http.StatusUnauthorized,
	{parley.CodeTooManyAttempts, parley.Plain}:      http.StatusTooManyRequests,
	{parley.CodeTooManyAttempts, parley.Full}:       http.StatusTooManyRequests,
	{parley.CodeTooManyAttempts, parley.Busy}:       http.StatusTooManyRequests,
	{parley.CodeNoSuchSession, parley.Plain}:        http.StatusNotFound,
	{parley.CodeSendFailed, parley.Ended}:           http.StatusConflict,
	{parley.CodeSendFailed, parley.Unasked}:         http.StatusConflict,
	{parley.CodeSendFailed, parley.Busy}:            http.StatusServiceUnavailable,
	{parley.CodeSendFailed, parley.Plain}:           http.StatusInternalServerError,
	{parley.CodeUploadFailed, parley.Unread}:        http.StatusUnprocessableEntity,
	{parley.CodeUploadFailed, parley.Plain}:         http.StatusInternalServerError,
	{parley.CodeUploadFailed, parley.Unknown}:       http.StatusNotFound,
	{parley.CodeFormatUnsupported, parley.Plain}:    http.StatusUnsupportedMediaType,
	{parley.CodeFileTooLarge, parley.Plain}:         http.StatusRequestEntityTooLarge,
	{parley.CodeFileTooLarge, parley.Full}:          http.StatusRequestEntityTooLarge,
	{parley.CodeFavoriteFailed, parley.Plain}:       http.StatusNotFound,
	{parley.CodeFavoriteFailed, parley.Unkept}:      http.StatusConflict,
	{parley.CodeNoSuchFavorite, parley.Plain}:       http.StatusNotFound,
	{parley.CodeInternal, parley.Plain}:             http.StatusInternalServerError,
	{parley.CodeInternal, parley.Busy}:              http.StatusServiceUnavailable,
	{parley.CodeInternal, parley.Late}:              http.StatusGatewayTimeout,
	{parley.CodeAIUnavailable, parley.Plain}:        http.StatusServiceUnavailable,
	{parley.CodeAIUnavailable, parley.Late}:         http.StatusGatewayTimeout,
	{parley.CodeSearchUnavailable, parley.Plain}:    http.StatusServiceUnavailable,
}

func httpStatus(e *parley.Error) int {
	if status, known := statuses[statusKey{e.Code, e.Kind}]; known {
		return status
	}
	return http.StatusInternalServerError
}
