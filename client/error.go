package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"parley"
)

// Error is a response other than success.
type Error struct {
	// Code is the server's error code. It is 0 if the response has no envelope, for example because a proxy sent it.
	Code parley.Code
	// Message is human-readable.
	Message string
	// Status is the HTTP status. If the error ended a stream, it is the status of the stream.
	Status int
	// RetryAfter is how long to wait before a retry. It is zero if the server did not set it.
	RetryAfter time.Duration
	// Body is the body of the envelope, if any. See Late and AgedSessions.
	Body json.RawMessage
}

func (e *Error) Error() string {
	return fmt.Sprintf("parley: %s (error %d, HTTP %d)", e.Message, e.Code, e.Status)
}

// Late reports whether the reply takes longer than the server's time limit, and returns its ids
// and its text so far. The server continues the reply: use Follow or Messages to get it.
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

// AgedSessions reports whether a change of the retention has to be confirmed, and returns what it would delete.
func (e *Error) AgedSessions() (parley.AgedSessions, bool) {
	var out parley.AgedSessions
	if e.Code != parley.CodeSendFailed || e.Status != http.StatusConflict {
		return out, false
	}
	if err := json.Unmarshal(e.Body, &out); err != nil || out.Sessions == 0 {
		return parley.AgedSessions{}, false
	}
	return out, true
}

// unexpectedResponse returns the error for a response that does not come from Parley.
func unexpectedResponse(r *http.Response, reason string) *Error {
	return &Error{
		Message:    "not a response of Parley's API: " + reason,
		Status:     r.StatusCode,
		RetryAfter: retryAfter(r.Header),
	}
}

// retryAfter parses the Retry-After header: seconds, or a date.
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
