package api_test

import (
	"encoding/json"
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

// doneStatus reads to the end of a stream and returns the status in the last event, which must be done.
func (s *wireStream) doneStatus() string {
	s.w.Helper()
	events := s.rest()
	last := events[len(events)-1]
	var out parley.SendOutput
	s.w.must(json.Unmarshal([]byte(last.Data), &out))
	if last.Name != "done" {
		s.w.Fatalf("got %v at the end, want done", last)
	}
	return out.AIResponse.Status
}

// TestAReplyThatEndedEarlySaysSo reads a stopped and an interrupted reply in every way in which a client can read a
// reply.
func TestAReplyThatEndedEarlySaysSo(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		for status, end := range map[string]struct {
			step aitest.Step
			do   func(replyID string)
			live func(s *wireStream)
		}{
			parley.StatusStopped: {
				step: aitest.Hang(),
				do:   func(replyID string) { w.must(ada.Stop(w.Context(), replyID)) },
				live: func(s *wireStream) {
					if got := s.doneStatus(); got != parley.StatusStopped {
						w.Errorf("the stream ends with the status %q", got)
					}
				},
			},
			parley.StatusInterrupted: {
				step: aitest.Reset(),
				do:   func(string) {},
				live: func(s *wireStream) { s.fails(parley.CodeAIUnavailable) },
			},
		} {
			session, key := w.session(ada, ""), "Idempotency-Key: "+status
			body := `{"session_id":"` + session + `","content":"Is it?"}`
			w.Model.Script(aitest.Text("Well"), end.step)
			s := w.open("POST", "/api/chat/stream", body, as(ada), key)
			replyID := s.started()
			s.wants(event{"1.0.4", "delta", `{"text":"Well"}`})
			end.do(replyID)
			end.live(s)
			if got := w.open("POST", "/api/chat/stream", body, as(ada), key).doneStatus(); got != status {
				w.Errorf("the stream that is asked for again ends with the status %q, want %q", got, status)
			}
			if got := w.follow(ada, replyID, "1.0.4").doneStatus(); got != status {
				w.Errorf("the stream that is followed ends with the status %q, want %q", got, status)
			}
			var sent struct{ Body parley.SendOutput }
			w.must(json.Unmarshal([]byte(w.request("POST", "/api/chat/send", body, as(ada), key).text), &sent))
			if sent.Body.AIResponse.Status != status || sent.Body.AIResponse.Content != "Well" {
				w.Errorf("the send that is repeated has %+v", sent.Body.AIResponse)
			}
			w.Model.Script(aitest.Say(", yes.")...)
			out, err := ada.Continue(w.Context(), session, parley.RegenerateInput{})
			w.must(err)
			if out.AIResponse.Status != "" || out.AIResponse.Content != "Well, yes." {
				w.Errorf("once it is complete it is %+v", out.AIResponse)
			}
		}
	})
}
