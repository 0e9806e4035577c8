package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"parley"
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

		response, err := http.Get(w.URL + "/metrics")
		w.must(err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		w.must(err)
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
			if !strings.Contains(string(text), line) {
				w.Errorf("the metrics lack %q", line)
			}
		}
	})
}
