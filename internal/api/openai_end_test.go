package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

// openAIStreams opens a stream of each kind and reads its beginning. The models continue after their clients leave.
func (w *world) openAIStreams(c *client.Client) map[string]*openAIStream {
	w.Helper()
	streams := map[string]*openAIStream{}
	for name, open := range map[string]func() *openAIStream{
		"a call": func() *openAIStream { return w.openCall(c, "chat/completions", `{"stream":true,`+hello+`}`) },
		"a turn": func() *openAIStream {
			header := "Parley-Session: " + w.session(c, "")
			return w.openCall(c, "chat/completions", `{"stream":true,`+hello+`}`, header)
		},
		"a call with a key": func() *openAIStream {
			return w.openCall(c, "chat/completions", `{"stream":true,`+hello+`}`, "Idempotency-Key: call")
		},
		"a stored response with a key": func() *openAIStream {
			return w.openCall(c, "responses", `{"stream":true,"store":true,"input":"Hello"}`, "Idempotency-Key: response")
		},
		"a response": func() *openAIStream {
			return w.openCall(c, "responses", `{"stream":true,"store":false,"input":"Hello"}`)
		},
		"a stored response": func() *openAIStream {
			return w.openCall(c, "responses", `{"stream":true,"store":true,"input":"Hello"}`)
		},
	} {
		w.Model.Script(aitest.Text("Half a"), aitest.Hang())
		streams[name] = open()
		streams[name].until("Half a")
	}
	return streams
}

// TestAStreamOfOpenAIsAPIEndsWithItsAccount disables a user with open streams.
func TestAStreamOfOpenAIsAPIEndsWithItsAccount(t *testing.T) {
	each(t, func(w *world) {
		admin, ada := w.admin("root"), w.user("ada")
		streams := w.openAIStreams(ada)
		w.must(admin.DisableUser(w.Context(), w.id(ada)))
		for name, s := range streams {
			rest := s.rest()
			if !strings.Contains(rest, parley.ErrBadToken.Message) || strings.Contains(rest, "[DONE]") ||
				strings.Contains(rest, parley.ErrInternal.Message) {
				w.Errorf("%s ends with %s", name, rest)
			}
		}
	})
}

// TestAnUnfinishedStreamOfOpenAIsAPIIsNotDone shuts down a server that does not wait for its replies.
func TestAnUnfinishedStreamOfOpenAIsAPIIsNotDone(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		streams := w.openAIStreams(ada)
		now, cancel := context.WithCancel(w.Context())
		cancel()
		w.app.Turns.Drain(now)
		w.app.OpenAI.Drain(now)
		for _, name := range []string{"a turn", "a call with a key"} {
			rest := streams[name].rest()
			if !strings.Contains(rest, `"error":{"message":"the server is shutting down`) || strings.Contains(rest, "[DONE]") {
				w.Errorf("%s ends with %s", name, rest)
			}
		}
		stored := streams["a stored response"].rest()
		events := w.events(stored[strings.Index(stored, "\n\n"):])
		last := events[len(events)-1]
		if last.Type != "response.failed" || last.Response.Output[0].Status != "incomplete" ||
			last.Response.Output[0].Content[0].Text != "Half a" || strings.Contains(stored, `"completed"`) {
			w.Errorf("a stored response ends with %s", stored)
		}
		var found streamedResponse
		got := w.call(ada, "GET", "responses/"+last.Response.ID, "")
		w.must(json.Unmarshal([]byte(got.text), &found))
		if found.Status != "failed" || found.Output[0].Status != "incomplete" {
			w.Errorf("stored: %s", got.text)
		}
		for _, name := range []string{"a call", "a response"} {
			_ = streams[name].res.Body.Close() // they end when their clients leave
		}
	})
}

// TestOpenAIsAPISaysThatAReplyWasInterrupted repeats a turn with its idempotency key, as a stream and as a document.
// The API must not present the reply as complete.
func TestOpenAIsAPISaysThatAReplyWasInterrupted(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		headers := []string{"Parley-Session: " + w.session(ada, ""), "Idempotency-Key: again"}
		w.Model.Script(aitest.Text("Well"), aitest.Reset())
		for _, try := range []string{"the first", "the second"} {
			got := w.call(ada, "POST", "chat/completions", `{"stream":true,`+hello+`}`, headers...)
			if completionText(w, got.text).text != "Well" || !strings.Contains(got.text, parley.ErrReplyInterrupted.Message) ||
				strings.Contains(got.text, "[DONE]") || strings.Contains(got.text, `"stop"`) {
				w.Errorf("%s stream is %s", try, got.text)
			}
		}
		got := w.call(ada, "POST", "chat/completions", `{`+hello+`}`, headers...)
		if got.status != http.StatusServiceUnavailable || !strings.Contains(got.text, parley.ErrReplyInterrupted.Message) {
			w.Errorf("without a stream: %d %s", got.status, got.text)
		}
	})
}
