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
	Fault  Fault
	// Status is the HTTP status of the model's server, and Message what it says, without anything about the operator's
	// account or network. They may be empty.
	Status  int
	Message string
	// RetryAfter is how long the server asks to wait, or zero.
	RetryAfter time.Duration
	Err        error
}

// Fault is what a failure says about the server.
type Fault int

// The faults.
const (
	NoFault     Fault = iota // any server would fail
	MaybeFault               // another server may succeed
	ServerFault              // another server may succeed, and this one should get a rest
)

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the provider's error.
func (f *Failure) Unwrap() error { return f.Err }

// FaultOf returns what a model's error says about its server.
func FaultOf(err error) Fault {
	var f *Failure
	if errors.As(err, &f) {
		return f.Fault
	}
	return NoFault
}

// ReasonOf returns the reason of a model's error.
func ReasonOf(err error) string {
	var f *Failure
	if errors.As(err, &f) {
		return f.Reason
	}
	return parley.ReasonFailed
}
