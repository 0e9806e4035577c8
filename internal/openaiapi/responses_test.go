package openaiapi

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/limit"
	"parley/internal/responses"
)

func TestAResponseIsContinued(t *testing.T) {
	w := newWorld(t, nil)
	w.model.events = lookAndCall()
	first := w.call("POST", "responses", `{"input":"Which ferry?","stream":true,"store":true,"instructions":"Be brief."}`)
	id := idOf(dataOf(first.Body.String()))
	const question, results = `{"role":"user","content":"Which ferry?"}`,
		`{"type":"function_call_output","call_id":"call_a","output":"noon"}`
	const calls = `"tool_calls":[{"id":"call_a","type":"function","function":{"name":"ferry",` +
		`"arguments":"{\"to\":\"Capri\"}"}},{"id":"call_b","type":"function","function":{"name":"time","arguments":"{}"}}]`
	const result = `{"role":"tool","content":"noon","tool_call_id":"call_a"}`
	w.model.events = says("At noon.")
	for name, test := range map[string]struct{ body, want string }{
		"by its id": {
			`{"previous_response_id":"` + id + `","input":[` + results + `]}`,
			`[` + question + `,{"role":"assistant","content":"Let me look.",` + calls + `},` + result + `]`,
		},
		"without input": {
			`{"previous_response_id":"` + id + `"}`,
			`[` + question + `,{"role":"assistant","content":"Let me look.",` + calls + `}]`,
		},
		"by its items": {
			`{"input":[` + question + `,{"type":"item_reference","id":"fc` + id[4:] + `_1"},` +
				`{"type":"item_reference","id":"fc` + id[4:] + `_2"},` + results + `]}`,
			`[` + question + `,{"role":"assistant","content":null,` + calls + `},` + result + `]`,
		},
		"with other instructions": {
			`{"previous_response_id":"` + id + `","instructions":"Be kind.","input":"?"}`,
			`[{"role":"system","content":"Be kind."},` + question + `,{"role":"assistant","content":"Let me look.",` + calls +
				`},{"role":"user","content":"?"}]`,
		},
	} {
		got := w.call("POST", "responses", test.body)
		if sent := string(w.model.last()["messages"]); got.Code != 200 || sent != test.want {
			t.Errorf("%s: HTTP %d, the model got %s, want %s", name, got.Code, sent, test.want)
		}
	}
	calledBefore := w.model.count()
	for name, item := range map[string]string{
		"another index": "fc" + id[4:] + "_3", "another kind": "msg" + id[4:] + "_1", "no index": "fc" + id[4:],
		"another response": "msg_0_0",
	} {
		body := `{"input":[{"type":"item_reference","id":"` + item + `"}]}`
		w.wantsError(name, w.call("POST", "responses", body), 400, badRequest, "", "input")
	}
	reference := `{"type":"item_reference","id":"fc` + id[4:] + `_1"},`
	body := `{"input":[` + strings.Repeat(reference, maxReferences) + reference[:len(reference)-1] + `]}`
	w.wantsError("too many references", w.call("POST", "responses", body), 400, badRequest, "", "input")
	w.wantsError("an unknown one", w.call("GET", "responses/resp_1", ""), 404, badRequest, "", "response_id")
	w.wantsError("no response", w.call("GET", "responses/key_1", ""), 404, badRequest, "", "response_id")
	if w.model.count() != calledBefore {
		t.Error("the model was called")
	}
}

// TestThereIsRoomBeforeTheModelIsCalled has open responses that may take all of their user's space.
func TestThereIsRoomBeforeTheModelIsCalled(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 16 {
		r := responses.Response{UserID: w.who.UserID, ID: fmt.Sprint("resp_", i), Created: time.Now()}
		w.must(w.responses.Begin(t.Context(), r, responses.MaxSize, time.Minute))
	}
	w.call("POST", "responses", `{"input":"a","store":true}`)
	if !errors.Is(w.failed, parley.ErrTooManyOpen) || w.model.count() != 0 {
		t.Errorf("got %v after %d calls of the model", w.failed, w.model.count())
	}
}

// TestAResponseThatDoesNotBeginTakesNoRoom has the model fail more often than there is room for responses.
func TestAResponseThatDoesNotBeginTakesNoRoom(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.MaxReply = responses.MaxSize })
	w.model.err = &ai.Failure{Reason: parley.ReasonOverloaded, Err: errors.New("overloaded")}
	for range 20 {
		got := w.call("POST", "responses", `{"input":"a","store":true}`)
		w.wantsError("a failure", got, 503, "server_error", "model_overloaded", "")
	}
}

func TestAResponseThatFailsSaysSo(t *testing.T) {
	const stream, stored = `{"input":"a","stream":true}`, `{"input":"a","stream":true,"store":true}`
	failure := &ai.Failure{Reason: parley.ReasonOverloaded, Err: errors.New("overloaded")}
	w := newWorld(t, func(c *Config) { c.MaxReply = 10 })
	for name, test := range map[string]struct {
		events []string
		err    error
		last   string // the type of the last event; empty if there is none
		says   string
	}{
		"before it has begun": {nil, failure, "", `"code":"model_overloaded"`},
		"without a reply":     {nil, nil, "", ``},
		"in the middle":       {says("Half ")[:1], failure, "failed", `"error":{"code":"server_error",`},
		"not in JSON":         {[]string{chunk(`{"content":"a"}`, ""), `{`}, nil, "failed", `"status":"incomplete"`},
		"over the limit":      {says("12345", "67890", "1"), nil, "failed", `"text":"1234567890"`},
		"cut off":             {[]string{chunk(`{"content":"a"}`, `"length"`)}, nil, "incomplete", `"max_output_tokens"`},
		"filtered":            {[]string{chunk("", `"content_filter"`)}, nil, "incomplete", `"content_filter"`},
		"refused":             {[]string{chunk(`{"refusal":"No."}`, `"stop"`)}, nil, "completed", `"text":"No."`},
	} {
		w.model.events, w.model.err = test.events, test.err
		for _, body := range []string{stream, stored} {
			got := w.call("POST", "responses", body)
			events := dataOf(got.Body.String())
			last := ""
			if len(events) > 0 {
				last = typesOf(events)[len(events)-1]
			}
			if last != test.last || !strings.Contains(got.Body.String(), test.says) || (got.Code == 200) != (last != "") {
				t.Errorf("%s: HTTP %d, %s", name, got.Code, got.Body)
			}
		}
	}
	w.model.events, w.model.err = says("Half ")[:1], failure
	w.wantsError("a document", w.call("POST", "responses", `{"input":"a"}`), 503, "server_error", "model_overloaded", "")
	got := w.call("POST", "responses", `{"input":"a","store":true}`)
	if got.Code != 200 || !strings.Contains(got.Body.String(), `"status":"failed"`) {
		t.Errorf("a stored document: HTTP %d, %s", got.Code, got.Body)
	}
}

// TestAResponseIsReadWhileItIsGenerated reads a response that goes on.
func TestAResponseIsReadWhileItIsGenerated(t *testing.T) {
	w := newWorld(t, nil)
	w.model.events, w.model.wait = says("Half ", "a ferry")[:2], make(chan struct{})
	req, err := w.newResponseRequest(fields{"input": []byte(`"a"`), "store": []byte(`true`)})
	w.must(err)
	line, err := w.start(t.Context(), w.who, &req)
	w.must(err)
	defer line.release()
	id := req.response.ID
	if got := w.call("GET", "responses/"+id, ""); !strings.Contains(got.Body.String(), `"status":"in_progress"`) {
		t.Errorf("it is %s", got.Body)
	}
	w.wantsError("its continuation", w.call("POST", "responses", `{"input":"a","previous_response_id":"`+id+`"}`),
		400, badRequest, "", "previous_response_id")
	close(w.model.wait)
	events := dataOf(w.call("GET", "responses/"+id+"?stream=true", "").Body.String())
	if types := typesOf(events); len(types) != 10 || types[9] != "completed" || idOf(events) != id {
		t.Errorf("the stream has %v", types)
	}
}

func TestTheNumberOfAResumedStreamIsChecked(t *testing.T) {
	w := newWorld(t, nil)
	for text, want := range map[string]int{"": 0, "0": 1, "17": 18, "2147483647": 2147483648} {
		if got, err := startingAfter(text); got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"-1", "1e3", "0x1", "one", "2147483648", "9223372036854775808"} {
		got := w.call("GET", "responses/resp_1?stream=true&starting_after="+text, "")
		w.wantsError(text, got, 400, badRequest, "", "starting_after")
	}
}

// TestAResponseIsRefusedWithoutMemory has a budget that others have used up.
func TestAResponseIsRefusedWithoutMemory(t *testing.T) {
	shares := limit.NewByteShares[int64](1000, 0)
	w := newWorld(t, func(c *Config) { c.Memory = shares })
	w.model.events = says("Hi.")
	id := idOf(dataOf(w.call("POST", "responses", `{"input":"a","stream":true,"store":true}`).Body.String()))
	full := shares.Hold(-1)
	full.Force(1000)
	for name, body := range map[string]string{
		"input":               `{"input":"` + strings.Repeat("x", 500) + `"}`,
		"a previous response": `{"previous_response_id":"` + id + `"}`,
	} {
		if w.call("POST", "responses", body); !errors.Is(w.failed, parley.ErrOverloaded) {
			t.Errorf("%s: %v", name, w.failed)
		}
	}
	if w.model.count() != 1 {
		t.Error("the model was called")
	}
	full.Release()
	for _, path := range []string{"responses/" + id, "responses/" + id + "?stream=true"} {
		other := limit.NewByteShares[int64](10, 0)
		other.Hold(2).Force(10)
		w.who.Hold = other.Hold(1)
		if w.call("GET", path, ""); !errors.Is(w.failed, parley.ErrOverloaded) {
			t.Errorf("%s: %v", path, w.failed)
		}
	}
	if shares.Used() != 0 {
		t.Errorf("%d bytes are held", shares.Used())
	}
}

func TestAResponseHasToFitIntoTheStore(t *testing.T) {
	w := newWorld(t, nil)
	w.model.events = says("Hi.")
	for size, fits := range map[int]bool{1 << 20: true, 2 << 20: false} {
		for _, name := range []string{"input", "instructions"} {
			body := `{"input":"a","store":true,"` + name + `":"` + strings.Repeat("x", size) + `"}`
			got := w.call("POST", "responses", body)
			if !fits {
				w.wantsError(name, got, 400, badRequest, "", "store")
			} else if got.Code != 200 {
				t.Errorf("%d bytes of %s: HTTP %d, %s", size, name, got.Code, got.Body)
			}
		}
	}
}
