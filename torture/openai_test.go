package torture

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ai/aitest"
	"parley/internal/testdb"
)

// TestUsageOfOpenAIsAPIAddsUpAfterKills calls OpenAI's API from several users to a model that counts tokens, and kills
// the server in between. Half of the calls are turns of sessions. In the end every reply of a session and every
// acknowledged call is counted once. If a kill cut a call off, it is counted once or not at all.
func TestUsageOfOpenAIsAPIAddsUpAfterKills(t *testing.T) {
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		w := newWorld(t, databaseURL)
		w.respond = countedCall
		w.restart(false)
		callers := make([]*caller, users)
		calls := make([]func() error, users)
		for i := range callers {
			callers[i] = &caller{sender: w.newSender(i)}
			calls[i] = func() error { return w.call(callers[i]) }
		}
		changes := setting(t, "TORTURE_CHANGES", 120)
		for range setting(t, "TORTURE_CYCLES", 1) {
			w.repeatUntilKilled(calls, w.acked.Load()+changes)
			w.restart(false)
		}
		replies, cutOff, counted := 0, 0, 0
		for _, c := range callers {
			inSession, once := w.checkCalls(c)
			replies, cutOff, counted = replies+inSession, cutOff+len(c.cutOff), counted+once
		}
		t.Logf("%d kills, %d acknowledged calls, %d replies in sessions; %d calls were cut off, %d of them counted",
			w.kills, w.acked.Load(), replies, cutOff, counted)
	})
}

// caller is a user who calls OpenAI's API.
type caller struct {
	*sender
	acked  parley.Usage // of the calls outside of sessions
	calls  int64        // how many they are
	cutOff []parley.Usage
}

// countedCall is countedReply for documents too, and takes a moment in the middle of some replies.
func countedCall(r aitest.Request) []aitest.Step {
	steps := countedReply(r)
	wait := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-r.Context().Done():
		}
	}
	if string(r.Fields["stream"]) == "true" {
		return []aitest.Step{steps[0], wait, steps[1], steps[2]}
	}
	usage := countedTokens(r.Question())
	document := fmt.Sprintf(`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",`+
		`"content":"You said: %s"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`,
		r.Question(), usage.InputTokens, usage.OutputTokens)
	return []aitest.Step{wait, aitest.Status(http.StatusOK, document)}
}

// call makes the next call of a caller: a document or a stream, of a session or of none.
func (w *world) call(c *caller) error {
	c.sent++
	question := fmt.Sprintf("question %d", c.sent)
	stream, inSession := c.sent%2 == 0, c.sent%4 >= 2
	body, err := json.Marshal(map[string]any{
		"model": "default", "stream": stream, "messages": []map[string]string{{"role": "user", "content": question}},
	})
	must(w.T, err)
	r, err := w.server.request(w.Context(), c.token, "/v1/chat/completions", string(body))
	must(w.T, err)
	if inSession {
		r.Header.Set("Parley-Session", c.session)
	}
	err = w.complete(r, question, stream)
	switch used := countedTokens(question); {
	case inSession:
	case err != nil:
		c.cutOff = append(c.cutOff, used)
	default:
		c.acked = c.acked.Plus(used)
		c.calls++
	}
	return err
}

// complete sends a call and returns an error if its response was cut off.
func (w *world) complete(r *http.Request, question string, stream bool) error {
	response, err := w.server.http.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	ended := !stream || strings.HasSuffix(string(text), "data: [DONE]\n\n")
	if response.StatusCode != http.StatusOK || !ended || !strings.Contains(string(text), question) {
		w.Errorf("the response to %q is HTTP %d, %s", question, response.StatusCode, text)
	}
	return nil
}

// checkCalls compares the usage of a caller with the model's figures. It returns the number of replies in the session,
// and how many of the calls that were cut off are counted.
func (w *world) checkCalls(c *caller) (replies, once int) {
	w.Helper()
	user := w.server.guest().WithToken(c.token)
	messages := w.completeHistory(w.Context(), user, c.session)
	sure := c.acked
	for i := 1; i < len(messages); i += 2 {
		sure = sure.Plus(countedTokens(messages[i-1].Content))
	}
	replies = len(messages) / 2
	out, err := user.Usage(w.Context(), parley.UsageInput{By: parley.ByModel})
	must(w.T, err)
	if len(out.Usage) != 1 || out.Usage[0].Estimated {
		w.Errorf("the usage is %+v", out.Usage)
		return replies, 0
	}
	used := out.Usage[0]
	for chosen := range 1 << len(c.cutOff) {
		sum, calls := sure, c.calls+int64(replies)
		for i, usage := range c.cutOff {
			if chosen>>i&1 == 1 {
				sum = sum.Plus(usage)
				calls++
			}
		}
		if used.InputTokens == sum.InputTokens && used.OutputTokens == sum.OutputTokens && used.Messages == calls {
			return replies, int(calls - c.calls - int64(replies))
		}
	}
	w.Errorf("the usage is %+v, want %d replies and %d calls with %+v, and some of %+v", used, replies, c.calls, sure,
		c.cutOff)
	return replies, 0
}
