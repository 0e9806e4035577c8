package openaiapi

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/ai"
)

// Error is an error in OpenAI's shape.
type Error struct {
	Status int
	Code   string // may be empty
	Param  string // the field that it is about; may be empty
	Text   string
	// RetryAfter is how long the client should wait, or zero.
	RetryAfter time.Duration

	cause error
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause, for the log.
func (e *Error) Unwrap() error { return e.cause }

// Write writes the error as the response.
func (e *Error) Write(w http.ResponseWriter) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.Status)
	_, _ = w.Write(e.encode()) // the client may have disconnected
}

type wireError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func (e *Error) encode() []byte {
	data, _ := json.Marshal(map[string]wireError{"error": e.wire()}) // strings can always be encoded
	return data
}

func (e *Error) wire() wireError {
	return wireError{Message: clip(e.Text), Type: e.kind(), Param: optional(clip(e.Param)), Code: optional(e.code())}
}

// maxShown limits the names of a client in errors, and errors themselves, in bytes. A name can be as long as a body.
const maxShown = 1000

// clip returns the beginning of a text that is too long to show.
func clip(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (e *Error) kind() string {
	switch {
	case e.Status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case e.Status == http.StatusForbidden:
		return "permission_error"
	case e.Status >= http.StatusInternalServerError:
		return "server_error"
	}
	return "invalid_request_error"
}

func (e *Error) code() string {
	switch {
	case e.Code != "":
		return e.Code
	case e.Status == http.StatusUnauthorized:
		return "invalid_api_key"
	case e.Status == http.StatusTooManyRequests:
		return "rate_limit_exceeded"
	}
	return ""
}

// invalid returns the error for a wrong field, or one that can't be honored.
func invalid(param, message string) *Error {
	param = clip(param)
	return &Error{Status: http.StatusBadRequest, Param: param, Text: param + " " + message}
}

// unsupported returns the error for a field that can't be honored.
func unsupported(param string) *Error {
	param = clip(param)
	return &Error{
		Status: http.StatusBadRequest, Code: "unsupported_parameter", Param: param, Text: param + " is not supported",
	}
}

// modelError returns the error that the client gets for an error of a model. An error of another kind is returned
// as it is.
func modelError(err error) error {
	var field *ai.Unsupported
	if errors.As(err, &field) {
		return &Error{
			Status: http.StatusBadRequest, Code: "unsupported_parameter", Param: field.Field, Text: field.Error(),
		}
	}
	var failure *ai.Failure
	if !errors.As(err, &failure) {
		return err
	}
	switch {
	case failure.Status == http.StatusTooManyRequests: // its reason is about the operator's account
		return &Error{
			Status: failure.Status, RetryAfter: failure.RetryAfter, cause: err,
			Text: "the model's server is overloaded or its limit is reached; try again later",
		}
	case failure.Reason == parley.ReasonTooLong:
		return &Error{
			Status: http.StatusBadRequest, Code: "context_length_exceeded", Param: "messages", cause: err,
			Text: withReason("the messages are longer than the model's context", failure),
		}
	case failure.Reason == parley.ReasonPolicy:
		return &Error{
			Status: http.StatusBadRequest, Code: "content_filter", cause: err,
			Text: withReason("the policy of the model's server forbids the request or its reply", failure),
		}
	case isBadRequest(failure):
		return &Error{
			Status: http.StatusBadRequest, cause: err,
			Text: withReason("the model's server rejects the request", failure),
		}
	}
	return &Error{
		Status: http.StatusServiceUnavailable, Code: "model_" + failure.Reason, RetryAfter: failure.RetryAfter,
		Text: "the model is not available; try again later", cause: err,
	}
}

// isBadRequest reports whether the server finds fault with what the client sent.
func isBadRequest(f *ai.Failure) bool {
	switch f.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return f.Reason == parley.ReasonFailed
	}
	return false
}

func withReason(message string, failure *ai.Failure) string {
	if failure.Message == "" {
		return message
	}
	return message + ": " + failure.Message
}

// inStream returns the error that ends a stream.
func inStream(err error) *Error {
	var own *Error
	if errors.As(modelError(err), &own) {
		return own
	}
	var known *parley.Error
	switch {
	case errors.Is(err, parley.ErrBadToken):
		return &Error{Status: http.StatusUnauthorized, Text: parley.ErrBadToken.Message}
	case errors.As(err, &known):
		return &Error{Status: http.StatusServiceUnavailable, Text: known.Message}
	}
	return &Error{Status: http.StatusInternalServerError, Text: parley.ErrInternal.Message}
}
