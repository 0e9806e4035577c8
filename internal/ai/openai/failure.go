package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/internal/ai"
)

// Failure is the reason why a model did not reply. Its text is for the log: it holds the kind, the status and a short
// message from the server, but never the key.
type Failure struct {
	Kind FailureKind
	// Status is the server's HTTP status. It is 0 if there was none or it was 200.
	Status int
	// RetryAfter is the wait that the server requests, or zero.
	RetryAfter time.Duration

	detail        string
	public        string // the server's message for clients
	namesThinking bool   // the server's message names the deep-thinking field
	namesUsage    bool   // the server's message names stream_options
	loading       bool   // the server is still loading the model
}

// FailureKind is a kind of failure. It is suitable as the label of a metric.
type FailureKind string

// The kinds of failure.
const (
	Unreachable  FailureKind = "unreachable" // the connection failed
	Busy         FailureKind = "busy"        // 429 or 5xx
	TooLong      FailureKind = "too_long"    // the prompt does not fit the model's context
	Policy       FailureKind = "policy"      // the server's policy forbids the prompt or the reply
	Quota        FailureKind = "quota"       // no balance or quota is left
	UnknownModel FailureKind = "unknown_model"
	Key          FailureKind = "key"       // the server rejects the key
	Rejected     FailureKind = "rejected"  // any other status: address, request
	Aborted      FailureKind = "aborted"   // any other error reported inside a 200
	Malformed    FailureKind = "malformed" // a 200 without a complete reply
	Silent       FailureKind = "silent"    // nothing received within IdleTimeout
	Slow         FailureKind = "slow"      // not complete within MaxTime
	Oversized    FailureKind = "oversized" // a reply, line or stream over its limit
)

func (f *Failure) Error() string {
	text := "model " + string(f.Kind)
	if f.Status != 0 {
		text += " (status " + strconv.Itoa(f.Status) + ")"
	}
	if f.detail != "" {
		text += ": " + f.detail
	}
	return text
}

// reason returns the reason that users see.
func (f *Failure) reason() string {
	switch f.Kind {
	case TooLong:
		return parley.ReasonTooLong
	case Policy:
		return parley.ReasonPolicy
	case Quota:
		return parley.ReasonQuota
	case UnknownModel:
		return parley.ReasonUnknownModel
	case Key:
		return parley.ReasonKey
	case Busy:
		return parley.ReasonOverloaded
	case Unreachable:
		return parley.ReasonUnreachable
	}
	return parley.ReasonFailed
}

// fault returns what the failure says about the server. A rejection or an error in a stream may be due to the prompt:
// no user's prompt may make servers look broken.
func (f *Failure) fault() ai.Fault {
	switch f.Kind {
	case Unreachable, Busy, Quota, Key, UnknownModel, Malformed, Silent:
		return ai.ServerFault
	case Rejected, Aborted:
		return ai.MaybeFault
	}
	return ai.NoFault
}

// temporary reports whether the same request may succeed a little later.
func (f *Failure) temporary() bool { return f.Kind == Unreachable || f.Kind == Busy }

// aborted returns the failure for an error that the server reports inside a 200.
func aborted(data []byte, hide secrets) *Failure {
	f := &Failure{Kind: kindOf(0, data)}
	f.setMessage(data, hide)
	return f
}

func malformed(detail string) *Failure { return &Failure{Kind: Malformed, detail: detail} }

// unreachable returns the failure for a connection error. Its text omits the URL, which may hold credentials.
func unreachable(err error, hide secrets) *Failure {
	var withURL *url.Error
	if errors.As(err, &withURL) {
		err = withURL.Err
	}
	return &Failure{Kind: Unreachable, detail: short(err.Error(), hide)}
}

// incomplete returns the failure for a stream that could not be read to its end.
func incomplete(err error, hide secrets) *Failure {
	switch {
	case errors.Is(err, errTooLarge):
		return &Failure{Kind: Oversized, detail: "a line or a stream over the limit"}
	case errors.Is(err, io.EOF):
		return malformed("the stream ended before the reply did")
	}
	return unreachable(err, hide)
}

// refusal returns the failure for a status other than 200. body is the beginning of the response's body.
// fields are the names of the deep-thinking fields in the request, if any.
func refusal(res *http.Response, body []byte, hide secrets, fields []string) *Failure {
	code := res.StatusCode
	f := &Failure{Kind: kindOf(code, body), Status: code}
	switch {
	case f.Kind == Busy:
		f.RetryAfter = retryAfter(res.Header.Get("Retry-After"), time.Now())
		f.loading = containsAny(body, []string{"loading model", "model is loading", "currently loading"})
	case f.Kind == Key: // the server's message may repeat the key
		f.detail = "check the API key"
		return f
	case code >= 300 && code < 400:
		f.Kind, f.detail = Rejected, "redirects are not followed; check the base URL"
		return f
	case code == http.StatusBadRequest || code == http.StatusUnprocessableEntity:
		f.namesThinking = containsAny(body, fields)
		f.namesUsage = containsAny(body, usageNames)
	}
	f.setMessage(body, hide)
	return f
}

// setMessage sets what the failure says to the message in an error's body.
func (f *Failure) setMessage(body []byte, hide secrets) {
	message := hide.in(errorMessage(body))
	f.detail, f.public = short(message, hide), short(publicMessage(message), hide)
}

// containsAny reports whether body contains one of the words, which are in lower case.
func containsAny(body []byte, words []string) bool {
	text := strings.ToLower(string(body))
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// errorMessage returns the message in an error's body. It is empty if the body is not JSON of a known form.
func errorMessage(body []byte) string {
	var document struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	var list []json.RawMessage // Gemini's errors are in an array
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	// Errors are ignored: a field of another type leaves the other fields readable.
	_ = json.Unmarshal(body, &document)
	var nested struct {
		Message string `json:"message"`
	}
	var plain string
	_ = json.Unmarshal(document.Error, &nested)
	_ = json.Unmarshal(document.Error, &plain)
	return cmp.Or(nested.Message, plain, document.Message, document.Detail)
}

// short returns text as one line of at most 200 characters, without the key.
func short(text string, hide secrets) string {
	const limit = 200
	text = hide.in(text)
	var b strings.Builder
	n := 0
	separates := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	for _, word := range strings.FieldsFunc(text, separates) {
		if n > 0 {
			b.WriteByte(' ')
		}
		for _, r := range word {
			if n++; n > limit {
				return b.String() + "…"
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// retryAfter parses a Retry-After header, which holds seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// tooSlow returns the failure for a reply that exceeds MaxTime.
func tooSlow(limit time.Duration) *Failure {
	return &Failure{Kind: Slow, detail: fmt.Sprintf("not complete within %v", limit)}
}

// silent returns the failure for a server that sends nothing within IdleTimeout.
func silent(limit time.Duration) *Failure {
	return &Failure{Kind: Silent, detail: fmt.Sprintf("nothing came for %v", limit)}
}
