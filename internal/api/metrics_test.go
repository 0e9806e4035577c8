package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

func TestMetricsShowWhatHappened(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.say(ada, session, "How are you?")
		w.Model.Script(aitest.Status(400, "no"))
		_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "And now?"})
		w.wants(err, parley.CodeAIUnavailable, 503)

		text := w.metrics()
		for _, line := range []string{
			`parley_turns_total{outcome="done"} 1`,
			`parley_turns_total{outcome="5001"} 1`,
			`parley_first_token_seconds_count 1`,
			`parley_open_turns 0`,
			`parley_waiting_sends 0`,
			`parley_open_streams 0`,
			`parley_request_seconds_count{method="POST",route="/api/chat/send",status="200"} 1`,
			`parley_tokens_total{kind="reply"}`,
			`parley_tokens_total{kind="prompt"}`,
			`parley_database_seconds_count{kind="write"}`,
			`parley_database_seconds_count{kind="read"}`,
		} {
			if !strings.Contains(text, line) {
				w.Errorf("the metrics lack %q", line)
			}
		}
	})
}

// TestThePromptIsCountedAsItIsSent compares the counter with the request that the model received.
func TestThePromptIsCountedAsItIsSent(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.say(ada, session, "How are you?")
		w.say(ada, session, "And how is the weather?")
		_, err := ada.Upload(w.Context(), session, "timetable.md", strings.NewReader("The hydrofoil leaves at nine."))
		w.must(err)
		w.say(ada, session, "When does it leave?")
		tokens := 0
		for _, request := range w.Model.Requests() {
			for _, m := range request.Messages {
				tokens += ai.Message{Content: m.Content}.Tokens()
			}
		}
		if want := fmt.Sprintf("\nparley_tokens_total{kind=\"prompt\"} %d\n", tokens); !strings.Contains(w.metrics(), want) {
			w.Errorf("the metrics lack %q", want)
		}
	})
}

// metrics returns the response of /metrics.
func (w *world) metrics() string {
	w.Helper()
	response, err := http.Get(w.URL + "/metrics")
	w.must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	w.must(err)
	return string(text)
}
