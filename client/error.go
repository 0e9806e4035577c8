package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"parley"
)

// Error is an answer other than success.
type Error struct {
	// Code is the server's error code. It is 0 where the answer did not come in
	// Parley's envelope, as from a proxy in between.
	Code parley.Code
	// Message is for people.
	Message string
	// Status is the HTTP status; that of the stream for an error that ended one.
	Status int
	// RetryAfter says when to try again; zero where the server didn't.
	RetryAfter time.Duration
	// Body is what the answer carries beside the error, if anything. See Late.
	Body json.RawMessage
}

func (e *Error) Error() string {
	return fmt.Sprintf("parley: %s (error %d, HTTP %d)", e.Message, e.Code, e.Status)
}

// Late reports whether the error is that of a reply which takes longer than the
// server's time limit, and gives its ids and what there is of it. The reply goes on
// being made: follow it, or find it in the session's messages.
func (e *Error) Late() (parley.SendOutput, bool) {
	var out parley.SendOutput
	if e.Code != parley.CodeAIUnavailable || e.Status != http.StatusGatewayTimeout {
		return out, false
	}
	if err := json.Unmarshal(e.Body, &out); err != nil || out.AIResponse.ID == "" {
		return parley.SendOutput{}, false
	}
	return out, true
}

// foreign is an answer that did not come in Parley's envelope.
func foreign(r *http.Response, reason string) *Error {
	return &Error{
		Message:    "not an answer of Parley's API: " + reason,
		Status:     r.StatusCode,
		RetryAfter: retryAfter(r.Header),
	}
}

// retryAfter reads the header in both its forms: seconds, or a date.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}
