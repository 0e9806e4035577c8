package api_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"time"

	"parley"
	"parley/client"
	"parley/internal/api"
)

const (
	// patience is how long anything may take before it counts as hung.
	patience = time.Minute
	// shortest and longest are how long a request of somebody hasty may take.
	shortest = 500 * time.Millisecond
	longest  = 4 * time.Second
)

// door is the URL of another door of the server, with settings of its own.
func (w *world) door(change func(*api.Config)) string {
	config := w.config
	change(&config)
	server := httptest.NewServer(api.New(config))
	w.Cleanup(server.Close)
	return server.URL
}

// hasty is a client at a door where requests may not take long.
func (w *world) hasty(c *client.Client, limit time.Duration) *client.Client {
	url := w.door(func(config *api.Config) { config.RequestTimeout = limit })
	return client.New(url, client.WithHTTPClient(w.http)).WithToken(c.Token())
}

// hurry asks something that can't be answered in time until it is told so in the right
// words. Where the machine is busy, time may be up before the request has got to what it
// has to wait for: then it has more of it.
func (w *world) hurry(c *client.Client, ask func(hasty *client.Client) error, told func(*client.Error) bool) {
	w.Helper()
	limit := shortest
	for begun := time.Now(); time.Since(begun) < patience; limit = min(2*limit, longest) {
		err := ask(w.hasty(c, limit))
		var e *client.Error
		if !errors.As(err, &e) || e.Status != http.StatusServiceUnavailable && e.Status != http.StatusGatewayTimeout {
			w.Fatalf("got %v, want to be told that time is up", err)
		}
		if told(e) {
			return
		}
	}
	w.Fatalf("not told so after %v", patience)
}

// late sends a question whose reply is late, and returns the answer: that it has got so
// far. The key makes sending again harmless.
func (w *world) late(c *client.Client, sessionID, question, soFar string) (out parley.SendOutput, body []byte) {
	w.Helper()
	w.hurry(c, func(hasty *client.Client) error {
		_, err := hasty.Send(w.Context(), parley.SendInput{SessionID: sessionID, Content: question}, client.WithIdempotencyKey("late"))
		return err
	}, func(e *client.Error) bool {
		var is bool
		out, is = e.Late()
		body = e.Body
		return is && e.Code == parley.CodeAIUnavailable && out.UserMessageID != "" && out.AIResponse.ID != "" && out.AIResponse.Content == soFar
	})
	return out, body
}

// busy sends a question whose turn does not come in time.
func (w *world) busy(c *client.Client, sessionID, question string) {
	w.Helper()
	w.hurry(c, func(hasty *client.Client) error {
		_, err := hasty.Send(w.Context(), parley.SendInput{SessionID: sessionID, Content: question})
		return err
	}, func(e *client.Error) bool {
		return e.Code == parley.CodeSendFailed && e.Status == http.StatusServiceUnavailable && e.RetryAfter > 0
	})
}
