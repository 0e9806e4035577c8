package api_test

import (
	"errors"
	"net/http"
	"time"

	"parley"
	"parley/client"
	"parley/internal/api"
)

const (
	// patience is how long anything may take before it counts as hung.
	patience = time.Minute
	// shortest is the shortest request timeout of hasty clients.
	shortest = 500 * time.Millisecond
)

// another starts another HTTP server on the same services, with changed settings. It returns the URL.
func (w *world) another(change func(*api.Config)) string {
	config := w.config
	change(&config)
	server := w.serve(api.New(config))
	w.Cleanup(server.Close)
	return server.URL
}

// hasty returns a client of a server with a short request timeout.
func (w *world) hasty(c *client.Client, timeout time.Duration) *client.Client {
	url := w.another(func(config *api.Config) { config.RequestTimeout = timeout })
	return client.New(url, client.WithHTTPClient(w.http)).WithToken(c.Token())
}

// timesOut checks that a request times out with a certain error. On a busy machine it may time out too early. Then
// timesOut repeats it with more time.
func (w *world) timesOut(c *client.Client, ask func(hasty *client.Client) error, wanted func(*client.Error) bool) {
	w.Helper()
	for timeout := shortest; timeout < patience; timeout *= 2 {
		err := ask(w.hasty(c, timeout))
		var e *client.Error
		if !errors.As(err, &e) || e.Status != http.StatusServiceUnavailable && e.Status != http.StatusGatewayTimeout {
			w.Fatalf("got %v, want a timeout", err)
		}
		if wanted(e) {
			return
		}
	}
	w.Fatal("it timed out, but never with the wanted error")
}

// late sends a question, and its reply comes late. It returns the response with the text so far. The key makes a
// repeated send harmless.
func (w *world) late(c *client.Client, sessionID, question, soFar string) (out parley.SendOutput, body []byte) {
	w.Helper()
	w.timesOut(c, func(hasty *client.Client) error {
		_, err := hasty.Send(w.Context(), parley.SendInput{SessionID: sessionID, Content: question},
			client.WithIdempotencyKey("late"))
		return err
	}, func(e *client.Error) bool {
		var is bool
		out, is = e.Late()
		body = e.Body
		return is && e.Code == parley.CodeAIUnavailable && out.UserMessageID != "" && out.AIResponse.ID != "" &&
			out.AIResponse.Content == soFar
	})
	return out, body
}

// busy sends a question and checks that its turn does not begin in time.
func (w *world) busy(c *client.Client, sessionID, question string) {
	w.Helper()
	w.timesOut(c, func(hasty *client.Client) error {
		_, err := hasty.Send(w.Context(), parley.SendInput{SessionID: sessionID, Content: question})
		return err
	}, func(e *client.Error) bool {
		return e.Code == parley.CodeSendFailed && e.Status == http.StatusServiceUnavailable && e.RetryAfter > 0
	})
}
