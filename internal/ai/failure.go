package ai

import (
	"errors"
	"time"

	"parley"
)

// Failure is why a model did not reply. Its text is for the log.
type Failure struct {
	// Reason is one of parley's reasons.
	Reason string
	// Status is the HTTP status of the model's server, and Message what it says, without secrets. They may be empty.
	Status  int
	Message string
	// RetryAfter is how long the server asks to wait, or zero.
	RetryAfter time.Duration
	Err        error
}

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the provider's error.
func (f *Failure) Unwrap() error { return f.Err }

// ReasonOf returns the reason of a model's error.
func ReasonOf(err error) string {
	var f *Failure
	if errors.As(err, &f) {
		return f.Reason
	}
	return parley.ReasonFailed
}
