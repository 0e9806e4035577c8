package api

import (
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"parley"
)

// The errors of the HTTP layer. Use cases never return them.
var (
	errBodyTooLarge = httpError(http.StatusRequestEntityTooLarge,
		"the request body is larger than 2 MiB")
	errOpenBodyTooLarge = httpError(http.StatusRequestEntityTooLarge,
		"the request body is larger than 16 KiB")
	errBodyEncoding = httpError(http.StatusUnsupportedMediaType,
		"compressed request bodies are not supported; send it uncompressed")
	errNoSuchPath = httpError(http.StatusNotFound,
		"no such path; /openapi.json lists all paths")
	errNoSuchMethod = httpError(http.StatusMethodNotAllowed,
		"the path does not support this method; see the Allow header")
	errNoSuchRange = httpError(http.StatusRequestedRangeNotSatisfiable,
		"Range is outside of the file; the Content-Range header has its size")
	errConditionFailed = httpError(http.StatusPreconditionFailed,
		"the condition in If-Match or If-Unmodified-Since is not met")
)

// errBrokenBody means that a body can't be read to its end.
var errBrokenBody = parley.Invalid("the request body breaks off, stalls or is not valid HTTP")

func httpError(status int, message string) *failure {
	return &failure{Code: parley.CodeInvalidParameter, Message: message, status: status}
}

// asFailure returns the envelope of any error.
func asFailure(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return newFailure(asError(err))
}

// asError returns err if it is a *parley.Error. Otherwise it returns an internal error with err as its cause.
func asError(err error) *parley.Error {
	var e *parley.Error
	if errors.As(err, &e) {
		return e
	}
	return parley.ErrInternal.WithCause(err)
}

// fromHuma converts the errors that huma finds in a request. The message names the field and the rule, but never the
// value.
func fromHuma(status int, message string, details ...error) *failure {
	switch {
	case status == http.StatusRequestEntityTooLarge:
		return errBodyTooLarge
	case status == http.StatusUnsupportedMediaType:
		return newFailure(parley.Invalid("the body must be JSON"))
	case status == http.StatusRequestTimeout:
		return newFailure(parley.Invalid("the request body took too long to arrive"))
	}
	cause := errors.Join(details...)
	var e *parley.Error
	if errors.As(cause, &e) {
		return newFailure(e)
	}
	if message == "cannot read request body" { // huma's words
		return newFailure(errBrokenBody)
	}
	if status >= http.StatusInternalServerError {
		return newFailure(parley.ErrInternal.WithCause(cause))
	}
	for _, detail := range details {
		var d huma.ErrorDetailer
		if errors.As(detail, &d) {
			message = sentence(d.ErrorDetail())
			break
		}
	}
	return newFailure(parley.Invalid(message))
}
