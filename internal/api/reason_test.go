package api_test

import (
	"errors"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

func TestReasons(t *testing.T) {
	shared(t, []part{
		{"a failed reply says why", aFailedReplySaysWhy},
		{"a prompt that is too long is shortened once", aPromptThatIsTooLongIsShortenedOnce},
		{"a short prompt that is too long is shortened", aShortPromptThatIsTooLongIsShortened},
	})
}

func aFailedReplySaysWhy(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	defer w.Model.Respond(aitest.Echo)
	for _, test := range []struct {
		name, reason, says string
		step               aitest.Step
	}{
		{"no balance", "quota", "operator", aitest.Status(402, `{"error":{"message":"Insufficient Balance"}}`)},
		{"a filter", "policy", "rephrase", aitest.Status(400, `{"error":{"code":"content_filter"}}`)},
		{"an unknown model", "unknown_model", "another model", aitest.Status(404, `{"error":"no such model"}`)},
		{"a wrong key", "key", "operator", aitest.Status(401, ``)},
		{"too long", "too_long", "new session", aitest.Status(400, `{"error":{"code":"context_length_exceeded"}}`)},
		{"overloaded", "overloaded", "in a moment", aitest.Status(503, ``)},
		{"cut off", "unreachable", "reached", aitest.Cut()},
		{"nonsense", "failed", "unavailable", aitest.Status(200, `<html>`)},
	} {
		w.Model.Respond(func(aitest.Request) []aitest.Step { return []aitest.Step{test.step} })
		sent := w.request("POST", "/api/chat/send", `{"session_id":"`+session+`","content":"x"}`, as(ada))
		if !strings.Contains(sent.text, `"body":{"reason":"`+test.reason+`"}`) || !strings.Contains(sent.text, test.says) {
			w.Errorf("%s: got %s", test.name, sent.text)
		}
		s := w.ask(ada, session, "y")
		replyID := s.started()
		for _, events := range [][]event{s.rest(), w.follow(ada, replyID, "").rest()} {
			last := events[len(events)-1]
			if last.Name != "error" || !strings.Contains(last.Data, `"reason":"`+test.reason+`"`) {
				w.Errorf("%s: the stream ends with %+v", test.name, last)
			}
		}
		followed, err := ada.Follow(w.Context(), replyID, "")
		w.must(err)
		_, err = followed.Wait()
		var failure *client.Error
		if !errors.As(err, &failure) || string(failure.Body) != `{"reason":"`+test.reason+`"}` {
			w.Errorf("%s: a client gets %v", test.name, err)
		}
	}
	if got := w.messages(ada, session); len(got) != 0 {
		w.Errorf("got %+v", got)
	}
}

func aPromptThatIsTooLongIsShortenedOnce(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	defer w.Model.Respond(aitest.Echo)
	w.Model.Respond(func(aitest.Request) []aitest.Step { return aitest.Say("Yes") })
	long := strings.Repeat("one two three four five ", 1_000)
	for range 4 {
		w.say(ada, session, long)
	}
	before := len(w.Model.Requests())
	w.Model.Respond(func(r aitest.Request) []aitest.Step {
		if len(r.Messages) > 6 {
			return []aitest.Step{aitest.Status(400, `{"error":{"code":"context_length_exceeded"}}`)}
		}
		return aitest.Say("It is.")
	})
	out, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "Is it?"})
	w.must(err)
	requests := w.Model.Requests()[before:]
	if out.AIResponse.Content != "It is." || len(requests) != 2 || requests[1].Question() != "Is it?" ||
		len(requests[1].Messages) < 3 {
		w.Errorf("got %+v after %d requests", out, len(requests))
	}
}

// aShortPromptThatIsTooLongIsShortened has a server that counts far more tokens than Parley does, as with a small
// vocabulary.
func aShortPromptThatIsTooLongIsShortened(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	defer w.Model.Respond(aitest.Echo)
	w.say(ada, session, strings.Repeat("one two three four five ", 20))
	w.Model.Respond(func(r aitest.Request) []aitest.Step {
		if len(r.Messages) > 1 {
			return []aitest.Step{aitest.Status(400, `{"error":{"code":400,"message":"request (566 tokens) exceeds the `+
				`available context size (512 tokens), try increasing it","type":"exceed_context_size_error",`+
				`"n_prompt_tokens":566,"n_ctx":512}}`)}
		}
		return aitest.Say("It is.")
	})
	if out := w.say(ada, session, "Is it?"); out.AIResponse.Content != "It is." {
		w.Errorf("got %+v", out)
	}
}
