package parley

import (
	"errors"
	"strings"
)

// StreamError is the data of the event that ends a stream with an error.
type StreamError struct {
	Error   Code   `json:"error"`
	Message string `json:"message"`
	Reason  string `json:"reason,omitempty"` // of AIFailure
}

// NewStreamError returns the data for an error. It does not contain the error's cause.
func NewStreamError(err error) StreamError {
	var e *Error
	if !errors.As(err, &e) {
		e = ErrInternal
	}
	failed, _ := e.Body.(AIFailure)
	return StreamError{Error: e.Code, Message: strings.TrimSpace(e.Message), Reason: failed.Reason}
}
