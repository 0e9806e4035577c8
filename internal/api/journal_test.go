package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"parley"
	"parley/internal/metrics"
)

func TestADeadlineIsNoInternalError(t *testing.T) {
	a := New(Config{Log: slog.New(slog.DiscardHandler), Metrics: metrics.New()})
	for _, tt := range []struct {
		err    error
		status int
	}{
		{fmt.Errorf("list credentials: %w", context.DeadlineExceeded), 504},
		{fmt.Errorf("read quota: %w", os.ErrDeadlineExceeded), 504},
		{parley.ErrOverloaded.WithCause(context.DeadlineExceeded), 503},
		{errors.New("no such table"), 500},
	} {
		if got := a.journal.fail(t.Context(), tt.err); got.status != tt.status {
			t.Errorf("%v: HTTP %d, want %d", tt.err, got.status, tt.status)
		}
	}
}

func TestAPanicIsLoggedAndEndsOneRequest(t *testing.T) {
	var log bytes.Buffer
	a := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Metrics: metrics.New()})
	a.router.Get("/panic", func(http.ResponseWriter, *http.Request) { panic("no words") })
	a.router.Get("/panic-late", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "event: half")
		_ = http.NewResponseController(w).Flush()
		panic("in the middle")
	})
	server := httptest.NewServer(a)
	get := func(path string) (int, string, error) {
		response, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return response.StatusCode, string(body), err
	}
	if status, body, err := get("/panic"); status != 500 || !strings.Contains(body, `"error":5000`) || err != nil {
		t.Errorf("HTTP %d, %s, %v", status, body, err)
	}
	if status, body, err := get("/panic-late"); status != 200 || body != "event: half" || err == nil {
		t.Errorf("HTTP %d, %q, %v; want a response that is cut off", status, body, err)
	}
	if status, _, err := get("/healthz"); status != 200 || err != nil {
		t.Errorf("HTTP %d, %v", status, err)
	}
	server.Close()
	for _, want := range []string{"no words", "in the middle", "status=500", "route=/panic-late status=200"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q", want)
		}
	}
}
