package openaiapi

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/ai"
)

func TestAnErrorHasOpenAIsShape(t *testing.T) {
	for _, test := range []struct {
		err  *Error
		want string
	}{
		{invalid("n", "must be 1"), `"n must be 1","type":"invalid_request_error","param":"n","code":null`},
		{
			unsupported("store"),
			`"store is not supported","type":"invalid_request_error","param":"store","code":"unsupported_parameter"`,
		},
		{&Error{Status: 401, Text: "a"}, `"a","type":"invalid_request_error","param":null,"code":"invalid_api_key"`},
		{&Error{Status: 403, Text: "a"}, `"a","type":"permission_error","param":null,"code":null`},
		{&Error{Status: 429, Text: "a"}, `"a","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"`},
		{&Error{Status: 503, Text: "a", Code: "b"}, `"a","type":"server_error","param":null,"code":"b"`},
	} {
		got := httptest.NewRecorder()
		test.err.Write(got)
		if want := `{"error":{"message":` + test.want + `}}`; got.Code != test.err.Status || got.Body.String() != want ||
			got.Header().Get("Content-Type") != "application/json" {
			t.Errorf("got HTTP %d, %s; want %s", got.Code, got.Body, want)
		}
	}
	got := httptest.NewRecorder()
	(&Error{Status: 503, RetryAfter: 1500 * time.Millisecond}).Write(got)
	if after := got.Header().Get("Retry-After"); after != "2" {
		t.Errorf("Retry-After is %q", after)
	}
}

// TestTheErrorsOfModels has errors. Their causes must not reach the client, unless they are about its request.
func TestTheErrorsOfModels(t *testing.T) {
	secret := errors.New("at http://10.0.0.7")
	const server, rate, limited = "server_error", "rate_limit_error", "rate_limit_exceeded"
	const long, unknown = "context_length_exceeded", "unsupported_parameter"
	w := newWorld(t, nil)
	for name, test := range map[string]struct {
		err               error
		status            int
		kind, code, param string
		says              bool // what the server says
	}{
		"the request is bad": {&ai.Failure{Status: 400, Reason: parley.ReasonFailed}, 400, badRequest, "", "", true},
		"it is too large":    {&ai.Failure{Status: 413, Reason: parley.ReasonFailed}, 400, badRequest, "", "", true},
		"it is not valid":    {&ai.Failure{Status: 422, Reason: parley.ReasonFailed}, 400, badRequest, "", "", true},
		"the key is wrong":   {&ai.Failure{Status: 400, Reason: parley.ReasonKey}, 503, server, "model_key", "", false},
		"too many":           {&ai.Failure{Status: 429, RetryAfter: 3 * time.Second}, 429, rate, limited, "", false},
		"it is too long":     {&ai.Failure{Reason: parley.ReasonTooLong}, 400, badRequest, long, "messages", true},
		"it is not allowed":  {&ai.Failure{Reason: parley.ReasonPolicy}, 400, badRequest, "content_filter", "", true},
		"the server is down": {&ai.Failure{Reason: parley.ReasonUnreachable}, 503, server, "model_unreachable", "", false},
		"a field is unknown": {&ai.Unsupported{Field: "n", Reason: "so it is"}, 400, badRequest, unknown, "n", true},
	} {
		var failure *ai.Failure
		if errors.As(test.err, &failure) {
			failure.Message, failure.Err = "so it is", secret
		}
		w.counted = nil
		w.model.err = fmt.Errorf("call: %w", test.err)
		for _, stream := range []string{"false", "true"} {
			got := w.call("POST", "chat/completions", `{"stream":`+stream+`,`+hello+`}`)
			message := w.wantsError(name, got, test.status, test.kind, test.code, test.param)
			if strings.Contains(message, "so it is") != test.says || strings.Contains(got.Body.String(), "10.0.0.7") {
				t.Errorf("%s: the client gets %s", name, got.Body)
			}
			if after := got.Header().Get("Retry-After"); (after == "3") != (test.status == 429) {
				t.Errorf("%s: Retry-After is %q", name, after)
			}
		}
		if len(w.counted) != 2 || w.counted[0] != (parley.Usage{}) {
			t.Errorf("%s: counted %v", name, w.counted)
		}
	}
}

func TestErrorsEndAStream(t *testing.T) {
	const unavailable = "the model is not available; try again later"
	for name, test := range map[string]struct {
		err    error
		status int
		text   string
	}{
		"one of our own":     {errRestarted, 503, errRestarted.Text},
		"one of the model":   {&ai.Failure{Reason: "failed", Err: errTooLong}, 503, unavailable},
		"the login":          {fmt.Errorf("a: %w", parley.ErrBadToken), 401, parley.ErrBadToken.Message},
		"a known one":        {fmt.Errorf("a: %w", parley.ErrOverloaded), 503, parley.ErrOverloaded.Message},
		"anything else":      {errors.New("disk full at /var/lib"), 500, parley.ErrInternal.Message},
		"the request's time": {context.DeadlineExceeded, 500, parley.ErrInternal.Message},
	} {
		if got := inStream(test.err); got.Status != test.status || got.Text != test.text {
			t.Errorf("%s: HTTP %d, %s", name, got.Status, got.Text)
		}
	}
}

func TestACallEndsForAReason(t *testing.T) {
	failed := errors.New("failed")
	ended, end := context.WithCancelCause(t.Context())
	end(parley.ErrBadToken)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, test := range map[string]struct {
		ctx       context.Context
		err, want error
	}{
		"none":              {t.Context(), nil, nil},
		"none, at the end":  {ended, nil, nil},
		"its own":           {t.Context(), failed, failed},
		"its login":         {ended, failed, parley.ErrBadToken},
		"the server":        {stopped, fmt.Errorf("a: %w", context.Canceled), errStopping},
		"its own, stopping": {stopped, failed, failed},
	} {
		if got := endOf(test.ctx, test.err); !errors.Is(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestLongNamesAreCutInErrors sends names that are as long as a body.
func TestLongNamesAreCutInErrors(t *testing.T) {
	w := newWorld(t, nil)
	long := strings.Repeat("\x7f", 4<<20)
	for path, bodies := range map[string][]string{
		"responses": {
			`{"` + long + `":1,"input":"a"}`,
			`{"input":[{"type":"item_reference","id":"` + long + `"}]}`,
			`{"input":[{"type":"item_reference","id":"msg_` + long + `_0"}]}`,
			`{"input":"a","previous_response_id":"resp_` + long + `"}`,
			`{"input":"a","include":["` + long + `"]}`,
			`{"input":"a","model":"` + long + `"}`,
		},
		"chat/completions": {`{"model":"` + long + `",` + hello + `}`},
	} {
		for _, body := range bodies {
			got := w.call("POST", path, body)
			if got.Code != 400 && got.Code != 404 || got.Body.Len() > 20_000 {
				t.Errorf("%s with %.30s: HTTP %d with %d bytes", path, body, got.Code, got.Body.Len())
			}
		}
	}
	if got := clip(strings.Repeat("渡", maxShown)); !utf8.ValidString(got) || len(got) > maxShown+len("…") {
		t.Errorf("cut to %q", got)
	}
}
