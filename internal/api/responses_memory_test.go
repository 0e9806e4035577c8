package api_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/api"
	"parley/internal/limit"
)

// budgets gives a world the same limits on the memory of responses as a server.
func budgets(w *world) {
	w.Limits.Responses = limit.NewByteShares[int64](64<<20, api.FreeResponse)
	w.Limits.Generations = limit.NewByteShares[int64](64<<20, api.FreeResponse)
}

// storeReply stores a response with the reply and returns it.
func (w *world) storeReply(c *client.Client, reply string) (stored streamedResponse) {
	w.Helper()
	w.Model.Script(aitest.Say(reply)...)
	got := w.call(c, "POST", "responses", `{"input":"Hello","store":true}`)
	w.must(json.Unmarshal([]byte(got.text), &stored))
	if stored.Status != "completed" {
		w.Fatalf("got HTTP %d, %s", got.status, got.text)
	}
	return stored
}

func (w *world) nothingIsHeld() {
	w.Helper()
	w.eventually("nothing is held", func() bool {
		return w.Limits.Responses.Used() == 0 && w.Limits.Generations.Used() == 0
	})
}

// TestDisconnectsLeaveNothingHeld has a client disconnect from many responses that are not stored.
func TestDisconnectsLeaveNothingHeld(t *testing.T) {
	eachWith(t, budgets, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.say(ada, session, longText(40_000))
		for range 80 {
			gone := make(chan struct{})
			w.Model.Script(aitest.Text(longText(40_000)), aitest.Text(longText(40_000)), aitest.Gone(gone))
			response, err := http.DefaultClient.Do(w.openAIRequest(ada, "POST", "responses", `{"input":"Hello","stream":true}`))
			w.must(err)
			_, err = io.CopyN(io.Discard, response.Body, 1000)
			w.must(err)
			w.must(response.Body.Close())
			<-gone
		}
		w.nothingIsHeld()
		if got := w.messages(ada, session); len(got) != 2 {
			w.Errorf("%d messages", len(got))
		}
	})
}

// TestAConversationIsBoundedWithWhatItRefersTo refers to one stored item many times.
func TestAConversationIsBoundedWithWhatItRefersTo(t *testing.T) {
	eachWith(t, budgets, func(w *world) {
		ada := w.user("ada")
		stored := w.storeReply(ada, strings.Repeat("x", 100_000))
		refer := func(times int) reached {
			reference := `{"type":"item_reference","id":"` + stored.Output[0].ID + `"}`
			references := strings.Repeat(reference+",", times)
			return w.call(ada, "POST", "responses", `{"input":[`+references+`{"role":"user","content":"?"}]}`)
		}
		w.Model.Script(aitest.Say("Fine.")...)
		if got := refer(10); got.status != 200 {
			w.Errorf("got HTTP %d, %s", got.status, got.text)
		}
		if sent := len(w.Model.Last(w.T).Fields["messages"]); sent < 1_000_000 {
			w.Errorf("the model got %d bytes", sent)
		}
		w.wantsOpenAI(refer(600), 400, "invalid_request_error", "context_length_exceeded", "input")
		w.wantsOpenAI(refer(1001), 400, "invalid_request_error", "", "input")
		w.nothingIsHeld()
	})
}

// TestTheQuotaIsCheckedBeforeAConversationIsLoaded continues a response that does not exist.
func TestTheQuotaIsCheckedBeforeAConversationIsLoaded(t *testing.T) {
	refuse := func(w *world) {
		w.BeginCall = func(context.Context, int64, string, int) (func(context.Context, parley.Usage) error, error) {
			return nil, parley.QuotaUsed(w.clock.now())
		}
	}
	eachWith(t, refuse, func(w *world) {
		got := w.call(w.user("ada"), "POST", "responses", `{"input":"Hello","previous_response_id":"resp_1"}`)
		if got.status != http.StatusTooManyRequests {
			w.Errorf("got HTTP %d, %s", got.status, got.text)
		}
	})
}

// TestAConversationIsHeldUntilTheModelBegins continues a long response.
func TestAConversationIsHeldUntilTheModelBegins(t *testing.T) {
	eachWith(t, budgets, func(w *world) {
		ada, ben := w.user("ada"), w.user("ben")
		stored := w.storeReply(ada, strings.Repeat("x", 1_000_000))
		body := `{"input":"Go on","stream":true,"previous_response_id":"` + stored.ID + `"}`
		begin, end := make(chan struct{}), make(chan struct{})
		w.Model.Script(aitest.Wait(begin), aitest.Text("Well"), aitest.Wait(end), aitest.End())
		done := make(chan reached)
		go func() { done <- w.call(ada, "POST", "responses", body) }()
		w.eventually("the conversation is held", func() bool { return w.Limits.Generations.Used() > 950_000 })
		close(begin)
		w.eventually("it is not held any more", func() bool { return w.Limits.Generations.Used() == 0 })
		close(end)
		<-done

		// With no memory left, the server loads nothing.
		full := w.Limits.Generations.Hold(-1)
		full.Force(65 << 20)
		calls := len(w.Model.Requests())
		w.wantsOpenAI(w.call(ada, "POST", "responses", body), 503, "server_error", "", "")
		if len(w.Model.Requests()) != calls {
			w.Error("the model was called")
		}
		w.storeReply(ben, "A short one.")
		full.Release()
		w.nothingIsHeld()
	})
}

// TestEveryStoredFieldCounts repeats long fields in stored responses.
func TestEveryStoredFieldCounts(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		long := strings.Repeat("x", 2<<20)
		for name, field := range map[string]string{
			"instructions": `"` + long + `"`,
			"metadata":     `{"a":"` + long + `"}`,
			"tools":        `[{"type":"function","name":"f","description":"` + long + `"}]`,
			"text":         `{"format":{"type":"json_schema","name":"` + long + `"}}`,
			"user":         `"` + long + `"`,
		} {
			body := `{"input":"Hello","` + name + `":` + field
			w.wantsOpenAI(w.call(ada, "POST", "responses", body+`,"store":true}`), 400, "invalid_request_error", "", "store")
			w.Model.Script(aitest.Say("Fine.")...)
			if got := w.call(ada, "POST", "responses", body+`}`); got.status != 200 {
				w.Errorf("%s is not stored: HTTP %d, %.200s", name, got.status, got.text)
			}
		}
	})
}

// TestAStoredResponseIsHeldBeforeItIsLoaded reads stored responses when the memory is used up.
func TestAStoredResponseIsHeldBeforeItIsLoaded(t *testing.T) {
	eachWith(t, budgets, func(w *world) {
		ada := w.user("ada")
		short, long := w.storeReply(ada, "Well."), w.storeReply(ada, strings.Repeat("x", 100_000))
		const key, keyed = "Idempotency-Key: k", `{"input":"Repeat me"}`
		w.Model.Script(aitest.Say(strings.Repeat("x", 100_000))...)
		first := w.call(ada, "POST", "responses", keyed, key)
		reads := func() (all []reached) {
			for _, path := range []string{long.ID, long.ID + "?stream=true"} {
				all = append(all, w.call(ada, "GET", "responses/"+path, ""))
			}
			return append(all, w.call(ada, "POST", "responses", keyed, key))
		}
		full := w.Limits.Responses.Hold(-1)
		full.Force(65 << 20)
		for _, got := range reads() {
			w.wantsOpenAI(got, 503, "server_error", "", "")
		}
		if got := w.call(ada, "GET", "responses/"+short.ID, ""); got.status != 200 {
			w.Errorf("a short one: HTTP %d, %s", got.status, got.text)
		}
		full.Release()
		got := reads()
		for i := range got {
			if got[i].status != 200 || !strings.Contains(got[i].text, strings.Repeat("x", 100_000)) {
				w.Errorf("read %d: HTTP %d, %.200s", i, got[i].status, got[i].text)
			}
		}
		if got[2].text != first.text {
			w.Error("the call was made again")
		}
		w.nothingIsHeld()
	})
}

// TestWhatRunsWithoutItsClientIsHeld disconnects from a long stored response, and reads it while the model generates
// it.
func TestWhatRunsWithoutItsClientIsHeld(t *testing.T) {
	eachWith(t, budgets, func(w *world) {
		ada := w.user("ada")
		end := make(chan struct{})
		w.Model.Script(aitest.Text(strings.Repeat("x", 200_000)), aitest.Wait(end), aitest.End())
		response, err := http.DefaultClient.Do(w.openAIRequest(ada, "POST", "responses",
			`{"input":"Hello","stream":true,"store":true}`))
		w.must(err)
		_, err = io.CopyN(io.Discard, response.Body, 1000)
		w.must(err)
		w.must(response.Body.Close())
		w.eventually("only the response is held", func() bool {
			return w.Limits.Responses.Used() == 0 && w.Limits.Generations.Used() > 150_000
		})
		var id string
		w.must(w.database().QueryRowContext(w.Context(), "SELECT id FROM responses").Scan(&id))
		full := w.Limits.Responses.Hold(-1)
		full.Force(65 << 20)
		w.wantsOpenAI(w.call(ada, "GET", "responses/"+id, ""), 503, "server_error", "", "")
		full.Release()
		if got := w.call(ada, "GET", "responses/"+id, ""); got.status != 200 {
			w.Errorf("it is read: HTTP %d, %.200s", got.status, got.text)
		}
		close(end)
		w.nothingIsHeld()
	})
}

// TestManyItemsAreRefused sends more items, parts and values than the server decodes.
func TestManyItemsAreRefused(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		list := func(count int) string { return `[` + strings.Repeat(`{},`, count-1) + `{}]` }
		for _, test := range []struct{ path, body, param string }{
			{"responses", `{"input":` + list(10_001) + `}`, "input"},
			{"responses", `{"input":` + list(10_000) + `}`, "input[0].role"},
			{"responses", `{"input":[{"role":"user","content":` + list(10_001) + `}]}`, "input[0].content"},
			{"responses", `{"input":` + list(2_200_000) + `}`, ""},
			{"chat/completions", `{"messages":` + list(2_200_000) + `}`, ""},
		} {
			w.wantsOpenAI(w.call(ada, "POST", test.path, test.body), 400, "invalid_request_error", "", test.param)
		}
		many := strings.Repeat(`{"role":"user","content":"a"},`, 5000)
		w.Model.Script(aitest.Say("Fine.")...)
		if got := w.call(ada, "POST", "responses", `{"input":[`+strings.TrimSuffix(many, ",")+`]}`); got.status != 200 {
			w.Errorf("5,000 messages: HTTP %d, %s", got.status, got.text)
		}
	})
}
