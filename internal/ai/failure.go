package ai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Failure is why a model made no reply. Its text is for the log: it names the kind,
// the status and a few words of the upstream, and never holds the key.
type Failure struct {
	Kind FailureKind
	// Status is the upstream's HTTP status, 0 where there was none or it was 200.
	Status int
	// RetryAfter is when the upstream asks to be tried again; zero where it doesn't say.
	RetryAfter time.Duration

	detail string
	// namesThinking says that the upstream complained about the deep-thinking field.
	namesThinking bool
}

// FailureKind tells failures apart; it is fit for a metric's label.
type FailureKind string

// The kinds of failure.
const (
	Unreachable FailureKind = "unreachable" // no connection, or it broke
	Busy        FailureKind = "busy"        // 429, or 5xx
	Rejected    FailureKind = "rejected"    // any other status: key, model name, address, request
	TooLong     FailureKind = "too_long"    // the prompt does not fit the model's context
	Aborted     FailureKind = "aborted"     // an error reported inside a 200
	Malformed   FailureKind = "malformed"   // a 200 that is no complete reply
	Silent      FailureKind = "silent"      // nothing came within IdleTimeout
	Slow        FailureKind = "slow"        // not complete within MaxTime
	Oversized   FailureKind = "oversized"   // more than MaxReply, or a line or stream without end
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

// passing reports whether the same request may succeed a little later.
func (f *Failure) passing() bool { return f.Kind == Unreachable || f.Kind == Busy }

// aborted is an error that the upstream reports in the place of a reply.
func aborted(data []byte, key string) *Failure {
	f := &Failure{Kind: Aborted, detail: complaint(data, key)}
	if namesContext(data) {
		f.Kind = TooLong
	}
	return f
}

func malformed(detail string) *Failure { return &Failure{Kind: Malformed, detail: detail} }

// unreachable is a failure to connect, or a connection that broke. The address asked
// for is left out of its text, since it may hold credentials.
func unreachable(err error, key string) *Failure {
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err
	}
	return &Failure{Kind: Unreachable, detail: short(err.Error(), key)}
}

// refusal is an answer with a status other than 200, of whose body the beginning was
// read. fields are the names of the deep-thinking field that was sent, if any.
func refusal(res *http.Response, body []byte, key string, fields []string) *Failure {
	f := &Failure{Kind: Rejected, Status: res.StatusCode}
	switch code := res.StatusCode; {
	case code == http.StatusTooManyRequests || code >= 500:
		f.Kind = Busy
		f.RetryAfter = retryAfter(res.Header.Get("Retry-After"), time.Now())
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		// What is said about a key tends to repeat it.
		f.detail = "check the API key"
		return f
	case code >= 300 && code < 400:
		f.detail = "redirects are not followed; check the base URL"
		return f
	case code == http.StatusBadRequest || code == http.StatusUnprocessableEntity || code == http.StatusRequestEntityTooLarge:
		f.namesThinking = names(body, fields)
		if namesContext(body) {
			f.Kind = TooLong
		}
	}
	f.detail = complaint(body, key)
	return f
}

// names reports whether an error body names one of the fields.
func names(body []byte, fields []string) bool {
	text := strings.ToLower(string(body))
	for _, field := range fields {
		if strings.Contains(text, field) {
			return true
		}
	}
	return false
}

// namesContext reports whether an error body says that the prompt is too long, in
// the words of the servers in use (OpenAI, vLLM, DeepSeek, llama.cpp, OpenRouter).
func namesContext(body []byte) bool {
	return names(body, []string{
		"context_length", "context length", "context window", "context size", "exceed_context",
		"prompt is too long", "input is too long", "maximum context",
	})
}

// complaint is what an error body says, made fit for a log: one short line without
// the key. It is empty where the body is not JSON of a known form.
func complaint(body []byte, key string) string {
	var said struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	// A field of another type leaves the rest readable.
	_ = json.Unmarshal(body, &said)
	var nested struct {
		Message string `json:"message"`
	}
	var plain string
	_ = json.Unmarshal(said.Error, &nested)
	_ = json.Unmarshal(said.Error, &plain)
	return short(cmp.Or(nested.Message, plain, said.Message, said.Detail), key)
}

// short makes text one line of at most 200 characters, without the key.
func short(text, key string) string {
	const most = 200
	if key != "" {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	var b strings.Builder
	n := 0
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		if n > 0 {
			b.WriteByte(' ')
		}
		for _, r := range word {
			if n++; n > most {
				return b.String() + "…"
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// retryAfter reads a Retry-After header: seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// tooSlow and silent are the causes with which a reply's context ends.
func tooSlow(limit time.Duration) *Failure {
	return &Failure{Kind: Slow, detail: fmt.Sprintf("not complete within %v", limit)}
}

func silent(limit time.Duration) *Failure {
	return &Failure{Kind: Silent, detail: fmt.Sprintf("nothing came for %v", limit)}
}
