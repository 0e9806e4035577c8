package api_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/internal/ai/aitest"
)

// streamed is an event of a response.
type streamed struct {
	Type           string
	SequenceNumber int `json:"sequence_number"`
	Delta          string
	Response       streamedResponse
	raw            string
}

type streamedResponse struct {
	ID, Status string
	Output     []struct {
		ID, Type, Name, Arguments, Status string
		CallID                            string `json:"call_id"`
		Content                           []struct{ Type, Text string }
	}
	Usage struct {
		InputTokens  int `json:"input_tokens"`
		OutputTokens int `json:"output_tokens"`
	}
}

// events returns the events of a stream.
func (w *world) events(stream string) (all []streamed) {
	w.Helper()
	for line := range strings.Lines(stream) {
		data, found := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !found {
			continue
		}
		e := streamed{raw: data}
		w.must(json.Unmarshal([]byte(data), &e))
		all = append(all, e)
	}
	return all
}

// toolCall is a reply that says something and calls two functions.
func toolCall() []aitest.Step {
	chunk := func(delta, finish string) aitest.Step {
		return aitest.Event(`{"id":"c","created":1,"model":"m","choices":[{"index":0,"delta":` + delta +
			`,"finish_reason":` + finish + `}]}`)
	}
	return []aitest.Step{
		chunk(`{"role":"assistant","content":"Let me "}`, "null"),
		chunk(`{"content":"look."}`, "null"),
		chunk(`{"tool_calls":[{"index":0,"id":"call_a","function":{"name":"ferry","arguments":""}}]}`, "null"),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"to\":"}}]}`, "null"),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"\"Capri\"}"}}]}`, "null"),
		chunk(`{"tool_calls":[{"index":1,"id":"call_b","function":{"name":"time","arguments":"{}"}}]}`, "null"),
		chunk(`{}`, `"tool_calls"`),
		aitest.Event(`{"id":"c","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":13}}`),
		aitest.Event("[DONE]"),
	}
}

// eventNames lists the events of toolCall in order.
var eventNames = []string{
	"created", "in_progress",
	"output_item.added", "content_part.added", "output_text.delta", "output_text.delta",
	"output_text.done", "content_part.done", "output_item.done",
	"output_item.added", "function_call_arguments.delta", "function_call_arguments.delta",
	"output_item.added", "function_call_arguments.delta",
	"function_call_arguments.done", "output_item.done", "function_call_arguments.done", "output_item.done",
	"completed",
}

func TestAResponseIsStreamedInOrder(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		w.Model.Script(toolCall()...)
		got := w.call(ada, "POST", "responses", `{"input":"Which ferry?","stream":true,"store":true,`+
			`"instructions":"Be brief.",`+
			`"tools":[{"type":"function","name":"ferry","parameters":{"type":"object"},"strict":true}],"max_output_tokens":50}`)
		events := w.events(got.text)
		var names []string
		for i, e := range events {
			names = append(names, strings.TrimPrefix(e.Type, "response."))
			if e.SequenceNumber != i {
				w.Errorf("event %d has the number %d", i, e.SequenceNumber)
			}
		}
		if strings.Join(names, " ") != strings.Join(eventNames, " ") {
			w.Fatalf("the events are %v", names)
		}
		last := events[len(events)-1].Response
		if last.Status != "completed" || len(last.Output) != 3 || last.Output[0].Content[0].Text != "Let me look." ||
			last.Output[1].Arguments != `{"to":"Capri"}` || last.Output[1].CallID != "call_a" ||
			last.Output[2].Name != "time" || last.Usage.InputTokens != 11 || last.Usage.OutputTokens != 13 {
			w.Errorf("the response is %s", events[len(events)-1].raw)
		}
		sent := w.Model.Last(w.T).Fields
		for name, want := range map[string]string{
			"messages": `[{"role":"system","content":"Be brief."},{"role":"user","content":"Which ferry?"}]`,
			"tools": `[{"function":{"name":"ferry","parameters":{"type":"object"},"strict":true},` +
				`"type":"function"}]`,
			"max_tokens": "50",
		} {
			if string(sent[name]) != want {
				w.Errorf("the model got %s %s", name, sent[name])
			}
		}

		// The stored response must be the same, and so must the rest of its stream.
		w.restart()
		ada = w.again(ada)
		stored := w.call(ada, "GET", "responses/"+last.ID, "")
		var document streamedResponse
		w.must(json.Unmarshal([]byte(stored.text), &document))
		if document.Status != "completed" || document.Output[0].Content[0].Text != "Let me look." {
			w.Errorf("the stored response is %s", stored.text)
		}
		for _, after := range []int{0, 4, 9, len(events) - 1} {
			rest := w.call(ada, "GET", "responses/"+last.ID+"?stream=true&starting_after="+strconv.Itoa(after), "")
			for i, e := range w.events(rest.text) {
				if e.raw != events[after+1+i].raw {
					w.Errorf("after %d there is %s", after, e.raw)
				}
			}
			if n := len(w.events(rest.text)); n != len(events)-after-1 {
				w.Errorf("after %d there are %d events", after, n)
			}
		}
		w.continueResponse(ada, last.ID, last.Output[1].ID)
	})
}

// continueResponse continues the response of toolCall, once by its id and once by references to its items.
func (w *world) continueResponse(ada *client.Client, responseID, itemID string) {
	w.Helper()
	results := `{"type":"function_call_output","call_id":"call_a","output":"at noon"},` +
		`{"type":"function_call_output","call_id":"call_b","output":"now"}`
	w.call(ada, "POST", "responses", `{"previous_response_id":"`+responseID+`","input":[`+results+`]}`)
	var roles []string
	var messages []struct {
		Role      string
		ToolCalls []struct{ ID string } `json:"tool_calls"`
	}
	w.must(json.Unmarshal(w.Model.Last(w.T).Fields["messages"], &messages))
	for _, m := range messages {
		roles = append(roles, m.Role)
	}
	if strings.Join(roles, " ") != "user assistant tool tool" || len(messages[1].ToolCalls) != 2 {
		w.Errorf("the model got %s", w.Model.Last(w.T).Fields["messages"])
	}
	got := w.call(ada, "POST", "responses", `{"input":[{"role":"user","content":"Which ferry?"},`+
		`{"type":"item_reference","id":"`+itemID+`"},`+results+`]}`)
	sent := string(w.Model.Last(w.T).Fields["messages"])
	if got.status != 200 || !strings.Contains(sent, `{\"to\":\"Capri\"}`) {
		w.Errorf("HTTP %d, the model got %s", got.status, sent)
	}
	bob := w.user("bob")
	w.wantsOpenAI(w.call(bob, "GET", "responses/"+responseID, ""), 404, "invalid_request_error", "", "response_id")
	w.wantsOpenAI(w.call(bob, "POST", "responses", `{"input":"a","previous_response_id":"`+responseID+`"}`),
		400, "invalid_request_error", "previous_response_not_found", "previous_response_id")
	w.clock.forward(24 * time.Hour)
	w.wantsOpenAI(w.call(ada, "GET", "responses/"+responseID, ""), 404, "invalid_request_error", "", "response_id")
}

func TestAStoredResponseGoesOnWithoutItsClient(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		left := make(chan struct{})
		w.Model.Script(aitest.Text("Half "), aitest.Wait(left), aitest.Text("a ferry"), aitest.End())
		request := w.openAIRequest(ada, "POST", "responses", `{"input":"Hello","stream":true,"store":true}`)
		response, err := http.DefaultClient.Do(request)
		w.must(err)
		var begun streamed
		for lines := bufio.NewScanner(response.Body); begun.Delta == "" && lines.Scan(); {
			if data, found := strings.CutPrefix(lines.Text(), "data: "); found {
				id := begun.Response.ID
				w.must(json.Unmarshal([]byte(data), &begun))
				if begun.Response.ID == "" {
					begun.Response.ID = id
				}
			}
		}
		w.must(response.Body.Close())
		path := "responses/" + begun.Response.ID
		if got := w.call(ada, "GET", path, ""); !strings.Contains(got.text, `"status":"in_progress"`) {
			w.Errorf("meanwhile it is %s", got.text)
		}
		close(left)
		rest := w.call(ada, "GET", path+"?stream=true&starting_after="+strconv.Itoa(begun.SequenceNumber), "")
		events := w.events(rest.text)
		if len(events) == 0 || events[0].Delta != "a ferry" || events[len(events)-1].Type != "response.completed" {
			w.Errorf("the rest is %s", rest.text)
		}
	})
}

func TestAResponseThatIsNotStoredLeavesNothing(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		got := w.call(ada, "POST", "responses",
			`{"input":[{"role":"user","content":[{"type":"input_text","text":"Hello"}]}]}`)
		var document streamedResponse
		w.must(json.Unmarshal([]byte(got.text), &document))
		if document.Status != "completed" || document.Output[0].Content[0].Text != "You said: Hello" {
			w.Errorf("got %s", got.text)
		}
		w.wantsOpenAI(w.call(ada, "GET", "responses/"+document.ID, ""), 404, "invalid_request_error", "", "response_id")

		gone := make(chan struct{})
		w.Model.Script(aitest.Text("Half a"), aitest.Gone(gone))
		request := w.openAIRequest(ada, "POST", "responses", `{"input":"Hello","stream":true}`)
		response, err := http.DefaultClient.Do(request)
		w.must(err)
		w.must(response.Body.Close())
		<-gone
	})
}

func TestAResponseThatFailsSaysSo(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		w.Model.Script(aitest.Status(500, ""))
		got := w.call(ada, "POST", "responses", `{"input":"Hello","stream":true,"store":true}`)
		w.wantsOpenAI(got, 503, "server_error", "model_overloaded", "")
		w.Model.Script(aitest.Text("Half a"), aitest.Cut())
		events := w.events(w.call(ada, "POST", "responses", `{"input":"Hello","stream":true}`).text)
		if last := events[len(events)-1]; last.Type != "response.failed" || last.Response.Status != "failed" {
			w.Errorf("it ends with %s", last.raw)
		}
		w.Model.Script(aitest.Text("Half a"),
			aitest.Event(`{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`), aitest.Event("[DONE]"))
		events = w.events(w.call(ada, "POST", "responses", `{"input":"Hello","stream":true}`).text)
		if last := events[len(events)-1]; last.Type != "response.incomplete" ||
			!strings.Contains(last.raw, `"incomplete_details":{"reason":"max_output_tokens"}`) {
			w.Errorf("it ends with %s", last.raw)
		}
	})
}
