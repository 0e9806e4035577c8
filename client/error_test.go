package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"

	"github.com/google/go-cmp/cmp"
)

// wantError checks that err is an *Error equal to want. An empty message matches any.
func wantError(t *testing.T, err error, want client.Error) {
	t.Helper()
	got, ok := errors.AsType[*client.Error](err)
	if !ok {
		t.Fatalf("error is %v, want a *client.Error", err)
	}
	if got.Message == "" {
		t.Error("the message is empty")
	}
	if want.Message == "" {
		want.Message = got.Message
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestAnErrorCarriesAllThatTheServerSaid(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, `{"error":1006,"body":{"a":1},"message":"too many attempts","success":false}`)
	})
	_, err := c.User(t.Context())
	wantError(t, err, client.Error{
		Code: parley.CodeTooManyAttempts, Message: "too many attempts", Status: http.StatusTooManyRequests,
		RetryAfter: 7 * time.Second, Body: []byte(`{"a":1}`),
	})
	if text := err.Error(); !strings.Contains(text, "too many attempts") || !strings.Contains(text, "1006") {
		t.Errorf("the text is %q", text)
	}
}

func TestRetryAfterCanBeADate(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, `{"error":2002,"message":"busy","success":false}`)
	})
	got, ok := errors.AsType[*client.Error](c.Logout(t.Context()))
	if !ok || got.RetryAfter < 59*time.Minute || got.RetryAfter > time.Hour {
		t.Errorf("error is %+v", got)
	}
}

func TestWhatIsNoEnvelopeIsAnError(t *testing.T) {
	tests := []struct {
		name   string
		status int
		answer string
	}{
		{"nothing", 200, ``},
		{"a proxy's page", 502, `<html>Bad Gateway</html>`},
		{"other JSON", 200, `{"hello":"world"}`},
		{"a list", 200, `[]`},
		{"null", 200, `null`},
		{"no success", 200, `{"error":0,"body":{},"message":"ok"}`},
		{"no error", 200, `{"body":{},"message":"ok","success":true}`},
		{"a code that is text", 200, `{"error":"0","body":{},"message":"ok","success":true}`},
		{"two documents", 200, success(`{}`) + success(`{}`)},
		{"half", 200, success(`{}`)[:20]},
		{"success with a code", 200, `{"error":5000,"body":{},"message":"ok","success":true}`},
		{"failure without a code", 500, `{"error":0,"message":"no","success":false}`},
		{"success under a failing status", 500, success(`{}`)},
		{"failure under 200", 200, `{"error":5000,"message":"no","success":false}`},
		{"the body missing", 200, success(``)},
		{"the body null", 200, success(`null`)},
		{"the body of another form", 200, success(`{"user_id":"seven"}`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, _ := responding(t, test.status, test.answer)
			_, err := c.User(t.Context())
			wantError(t, err, client.Error{Status: test.status})
		})
	}
}

func TestALateReplyTellsItsIDs(t *testing.T) {
	c, _ := responding(t, http.StatusGatewayTimeout,
		`{"error":5001,"body":{"user_message_id":"m1","ai_response":{"id":"m2","content":"so f","timestamp":4}},`+
			`"message":"late","success":false}`)
	_, err := c.Send(t.Context(), parley.SendInput{})
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		t.Fatalf("error is %v", err)
	}
	out, late := e.Late()
	want := parley.SendOutput{UserMessageID: "m1", AIResponse: parley.AIResponse{ID: "m2", Content: "so f", Timestamp: 4}}
	if !late || !cmp.Equal(want, out) {
		t.Errorf("late is %v, reply %+v", late, out)
	}
}

func TestAnUnavailableModelIsNotLate(t *testing.T) {
	for _, e := range []client.Error{
		{Code: parley.CodeAIUnavailable, Status: http.StatusServiceUnavailable},
		{Code: parley.CodeAIUnavailable, Status: http.StatusGatewayTimeout},
		{Code: parley.CodeInternal, Status: http.StatusGatewayTimeout, Body: []byte(`{"ai_response":{"id":"m2"}}`)},
	} {
		if _, late := e.Late(); late {
			t.Errorf("%+v is late", e)
		}
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	arrived := make(chan struct{})
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := c.User(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestAnAddressThatIsNoneIsAnError(t *testing.T) {
	if err := client.New("http://[broken").Logout(t.Context()); err == nil {
		t.Error("the call succeeded")
	}
}
