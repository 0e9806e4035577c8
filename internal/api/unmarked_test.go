package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

// This reply has no opening tag: its thinking looks like text until the closing tag.
const (
	unmarkedThinking = "Let me think about it.\n"
	unmarkedText     = "The answer is forty-two."
)

// unmarkedReply sends the beginning of the thinking, waits, sends a part of the text and waits again.
func unmarkedReply(thinks, says <-chan struct{}) []aitest.Step {
	return []aitest.Step{
		aitest.Text("Let me"), aitest.Wait(thinks), aitest.Text(" think about it.\n</think>\n\nThe answer"),
		aitest.Wait(says), aitest.Text(" is forty-two."), aitest.End(),
	}
}

// shown is what a client shows of a stream.
type shown struct{ thinking, text string }

func showing(events []event) shown {
	for i, e := range events {
		if e.Name == "restart" {
			return showing(events[i+1:])
		}
	}
	return shown{thinking: text(events, "thinking"), text: text(events, "delta")}
}

// wantsUnmarked checks what a client shows at the end of a stream.
func (w *world) wantsUnmarked(name string, events []event) {
	w.Helper()
	var done parley.SendOutput
	last := events[len(events)-1]
	w.must(json.Unmarshal([]byte(last.Data), &done))
	if got := showing(events); last.Name != "done" || got != (shown{unmarkedThinking, unmarkedText}) ||
		done.AIResponse.Content != unmarkedText || done.AIResponse.Thinking != unmarkedThinking {
		w.Errorf("%s: got %+v, and at the end %s", name, got, last.Data)
	}
}

// resumeEverywhere follows a reply once after each event of a stream.
func (w *world) resumeEverywhere(c *client.Client, replyID string, read []event) (resumed []*wireStream) {
	w.Helper()
	for i := range read {
		resumed = append(resumed, w.follow(c, replyID, read[i].ID))
	}
	return resumed
}

// nextEvents returns the next events up to the first one with the name.
func (s *wireStream) nextEvents(name string) (events []event) {
	s.w.Helper()
	for {
		events = append(events, s.next())
		if events[len(events)-1].Name == name {
			return events
		}
	}
}

// TestTextThatTurnsOutToBeThinking reads a reply with text that turns out to be thinking: live, and resumed from each
// event, both while the model generates it and when it is complete.
func TestTextThatTurnsOutToBeThinking(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		thinks, says := make(chan struct{}), make(chan struct{})
		w.Model.Script(unmarkedReply(thinks, says)...)
		live := w.ask(ada, session, "What is it?")
		read := live.nextEvents("delta")
		replyID := startedID(w, read[0])
		close(thinks)
		read = append(read, live.nextEvents("delta")...)
		during := w.resumeEverywhere(ada, replyID, read)
		close(says)
		read = append(read, live.rest()...)
		w.wantsUnmarked("live", read)
		after := w.resumeEverywhere(ada, replyID, read)
		for name, resumed := range map[string][]*wireStream{"resumed": during, "resumed after the end": after} {
			for i, s := range resumed {
				w.wantsUnmarked(fmt.Sprintf("%s after %v", name, read[i]), append(read[:i+1:i+1], s.rest()...))
			}
		}
		w.wantsUnmarked("read again", w.follow(ada, replyID, "").rest())
		if stored := w.messages(ada, session)[1]; stored.Content != unmarkedText || stored.Thinking != unmarkedThinking {
			w.Errorf("stored %+v", stored)
		}
		w.Model.Script(unmarkedReply(thinks, says)...)
		if sent := w.say(ada, session, "Again?").AIResponse; sent.Content != unmarkedText ||
			sent.Thinking != unmarkedThinking {
			w.Errorf("sent %+v", sent)
		}
	})
}

// startedID returns the id of the reply in a start event.
func startedID(w *world, e event) string {
	w.Helper()
	var ids client.Start
	w.must(json.Unmarshal([]byte(e.Data), &ids))
	return ids.MessageID
}

// TestTextThatTurnsOutToBeThinkingOnAnotherReplica reads such a reply on a replica that only knows its stored
// progress.
func TestTextThatTurnsOutToBeThinkingOnAnotherReplica(t *testing.T) {
	a, b := replicas(t)
	ada := a.user("ada")
	session := a.session(ada, "")
	thinks, says := make(chan struct{}), make(chan struct{})
	a.Model.Script(unmarkedReply(thinks, says)...)
	live := a.ask(ada, session, "What is it?")
	read := live.nextEvents("delta")
	replyID := startedID(a, read[0])
	there := b.follow(b.again(ada), replyID, "")
	seen := there.nextEvents("delta")
	before := b.resumeEverywhere(b.again(ada), replyID, read)
	close(thinks)
	read = append(read, live.nextEvents("delta")...)
	seen = append(seen, there.nextEvents("thinking")...)
	after := b.resumeEverywhere(b.again(ada), replyID, read)
	close(says)
	b.wantsUnmarked("another replica", append(seen, there.rest()...))
	for name, resumed := range map[string][]*wireStream{"before": before, "after": after} {
		for i, s := range resumed {
			b.wantsUnmarked(fmt.Sprintf("resumed there %s it, after %v", name, read[i]), append(read[:i+1:i+1], s.rest()...))
		}
	}
	live.rest()
}

// TestOpenAIsAPIDoesNotSendThinkingAsText streams such replies through OpenAI's API. The first ends with an error
// because sent text can't be taken back. From then on the API holds the model's text back until it is clear what it
// is.
func TestOpenAIsAPIDoesNotSendThinkingAsText(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		ask := func(stream string) reached {
			return w.call(ada, "POST", "chat/completions", `{`+stream+hello+`}`, "Parley-Session: "+session)
		}
		thinks, says := make(chan struct{}), make(chan struct{})
		w.Model.Script(unmarkedReply(thinks, says)...)
		response := w.openCall(ada, "chat/completions", `{"stream":true,`+hello+`}`, "Parley-Session: "+session)
		beginning := response.until("Let me")
		close(thinks)
		close(says)
		first := beginning + response.rest()
		if !strings.Contains(first, `"error":{"message":"the text so far turned out to be the model's thinking`) ||
			strings.Contains(first, "[DONE]") || strings.Contains(first, `"stop"`) {
			w.Errorf("the first is %s", first)
		}
		thinks = make(chan struct{})
		w.Model.Script(unmarkedReply(thinks, says)...)
		response = w.openCall(ada, "chat/completions", `{"stream":true,`+hello+`}`, "Parley-Session: "+session)
		beginning = response.until(`"role":"assistant"`) // while it is not clear yet
		close(thinks)
		second := beginning + response.rest()
		if completionText(w, second) != (shown{unmarkedThinking, unmarkedText}) || !strings.HasSuffix(second, "[DONE]\n\n") {
			w.Errorf("the second is %s", second)
		}
		w.Model.Script(aitest.Say("No ", "thought.")...)
		if got := ask(`"stream":true,`); completionText(w, got.text) != (shown{"", "No thought."}) {
			w.Errorf("a reply without thinking is %s", got.text)
		}
		// The API sends held-back text before the thinking that follows it.
		w.Model.Script(aitest.Text("One. "), aitest.Thinking("Hm."), aitest.Text("Two."), aitest.End())
		if got := ask(`"stream":true,`); completionText(w, got.text) != (shown{"Hm.", "One. Two."}) {
			w.Errorf("a reply with thinking in its middle is %s", got.text)
		}
		w.Model.Script(unmarkedReply(thinks, says)...)
		if got := ask(""); !strings.Contains(got.text, `"content":"`+unmarkedText+`"`) {
			w.Errorf("without a stream it is %s", got.text)
		}
	})
}

// completionText returns what a client shows of a stream of OpenAI's API.
func completionText(w *world, stream string) (s shown) {
	w.Helper()
	for line := range strings.Lines(stream) {
		data, found := strings.CutPrefix(strings.TrimSpace(line), "data: {")
		if !found {
			continue
		}
		var e struct {
			Choices []struct {
				Delta struct {
					Content   string
					Reasoning string `json:"reasoning_content"`
				}
			}
		}
		w.must(json.Unmarshal([]byte("{"+data), &e))
		for _, choice := range e.Choices {
			s.text += choice.Delta.Content
			s.thinking += choice.Delta.Reasoning
		}
	}
	return s
}
