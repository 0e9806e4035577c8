package openaiapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley"
)

// lookAndCall are the events of a reply that says something and calls two functions.
func lookAndCall() []string {
	return []string{
		chunk(`{"role":"assistant","content":"Let me "}`, ""), chunk(`{"content":"look."}`, ""),
		chunk(`{"tool_calls":[{"index":0,"id":"call_a","function":{"name":"ferry","arguments":""}}]}`, ""),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"to\":"}}]}`, ""),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"\"Capri\"}"}}]}`, ""),
		chunk(`{"tool_calls":[{"index":1,"id":"call_b","function":{"name":"time","arguments":"{}"}}]}`, ""),
		chunk("", `"tool_calls"`), `{"choices":[]}`,
	}
}

// shapes are the events of lookAndCall without those of the response. ID is the id of the response.
var shapes = []string{
	`{"type":"response.output_item.added","sequence_number":2,"output_index":0,` +
		`"item":{"id":"msg_ID_0","type":"message","status":"in_progress","role":"assistant","content":[]}}`,
	`{"type":"response.content_part.added","sequence_number":3,"item_id":"msg_ID_0","output_index":0,"content_index":0,` +
		`"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}}`,
	`{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_ID_0","output_index":0,"content_index":0,` +
		`"delta":"Let me ","logprobs":[]}`,
	`{"type":"response.output_text.delta","sequence_number":5,"item_id":"msg_ID_0","output_index":0,"content_index":0,` +
		`"delta":"look.","logprobs":[]}`,
	`{"type":"response.output_text.done","sequence_number":6,"item_id":"msg_ID_0","output_index":0,"content_index":0,` +
		`"text":"Let me look.","logprobs":[]}`,
	`{"type":"response.content_part.done","sequence_number":7,"item_id":"msg_ID_0","output_index":0,"content_index":0,` +
		`"part":{"type":"output_text","text":"Let me look.","annotations":[],"logprobs":[]}}`,
	`{"type":"response.output_item.done","sequence_number":8,"output_index":0,` +
		`"item":{"id":"msg_ID_0","type":"message","status":"completed","role":"assistant",` +
		`"content":[{"type":"output_text","text":"Let me look.","annotations":[],"logprobs":[]}]}}`,
	`{"type":"response.output_item.added","sequence_number":9,"output_index":1,"item":{"id":"fc_ID_1",` +
		`"type":"function_call","status":"in_progress","call_id":"call_a","name":"ferry","arguments":""}}`,
	`{"type":"response.function_call_arguments.delta","sequence_number":10,"item_id":"fc_ID_1","output_index":1,` +
		`"delta":"{\"to\":"}`,
	`{"type":"response.function_call_arguments.delta","sequence_number":11,"item_id":"fc_ID_1","output_index":1,` +
		`"delta":"\"Capri\"}"}`,
	`{"type":"response.output_item.added","sequence_number":12,"output_index":2,"item":{"id":"fc_ID_2",` +
		`"type":"function_call","status":"in_progress","call_id":"call_b","name":"time","arguments":""}}`,
	`{"type":"response.function_call_arguments.delta","sequence_number":13,"item_id":"fc_ID_2","output_index":2,` +
		`"delta":"{}"}`,
	`{"type":"response.function_call_arguments.done","sequence_number":14,"item_id":"fc_ID_1","output_index":1,` +
		`"name":"ferry","arguments":"{\"to\":\"Capri\"}"}`,
	`{"type":"response.output_item.done","sequence_number":15,"output_index":1,"item":{"id":"fc_ID_1",` +
		`"type":"function_call","status":"completed","call_id":"call_a","name":"ferry","arguments":"{\"to\":\"Capri\"}"}}`,
	`{"type":"response.function_call_arguments.done","sequence_number":16,"item_id":"fc_ID_2","output_index":2,` +
		`"name":"time","arguments":"{}"}`,
	`{"type":"response.output_item.done","sequence_number":17,"output_index":2,"item":{"id":"fc_ID_2",` +
		`"type":"function_call","status":"completed","call_id":"call_b","name":"time","arguments":"{}"}}`,
}

// idOf returns the id of the response in the first of its events.
func idOf(events []string) string {
	var first struct{ Response struct{ ID string } }
	_ = json.Unmarshal([]byte(events[0]), &first) // no id is found
	return first.Response.ID
}

func TestTheEventsOfAResponseHaveTheirShapes(t *testing.T) {
	w := newWorld(t, nil)
	w.model.events, w.model.usage = lookAndCall(), parley.Usage{InputTokens: 11, OutputTokens: 13, ThinkingTokens: 5}
	got := w.call("POST", "responses", `{"input":"Which ferry?","stream":true,"store":true}`)
	events := dataOf(got.Body.String())
	if len(events) != len(shapes)+3 {
		t.Fatalf("got %s", got.Body)
	}
	id := idOf(events)
	for i, shape := range shapes {
		if want := strings.ReplaceAll(shape, "ID", strings.TrimPrefix(id, "resp_")); events[i+2] != want {
			t.Errorf("event %d is %s, want %s", i+2, events[i+2], want)
		}
	}
	for i, want := range map[int]string{0: "created", 1: "in_progress", len(events) - 1: "completed"} {
		var e struct {
			Type     string
			Number   int `json:"sequence_number"`
			Response struct {
				Status string
				Output []outputItem
				Usage  json.RawMessage
			}
		}
		w.must(json.Unmarshal([]byte(events[i]), &e))
		status, items := "in_progress", 0
		if want == "completed" {
			status, items = want, 3
		}
		if e.Type != "response."+want || e.Number != i || e.Response.Status != status || len(e.Response.Output) != items {
			t.Errorf("event %d is %s", i, events[i])
		}
	}
	if usage := `"usage":{"input_tokens":11,"input_tokens_details":{"cached_tokens":0},"output_tokens":13,` +
		`"output_tokens_details":{"reasoning_tokens":5},"total_tokens":24}`; !strings.Contains(events[len(events)-1], usage) {
		t.Errorf("the usage is in %s", events[len(events)-1])
	}
	if !slices.Equal(w.counted, []parley.Usage{w.model.usage}) {
		t.Errorf("counted %v", w.counted)
	}

	// What is stored is the same, from every event on.
	for after := range events {
		rest := w.call("GET", fmt.Sprintf("responses/%s?stream=true&starting_after=%d", id, after), "")
		if got := dataOf(rest.Body.String()); !slices.Equal(got, events[after+1:]) {
			t.Errorf("after %d there is %v", after, got)
		}
	}
	var last struct{ Response json.RawMessage }
	w.must(json.Unmarshal([]byte(events[len(events)-1]), &last))
	if got := w.call("GET", "responses/"+id, ""); got.Body.String() != string(last.Response) {
		t.Errorf("stored is %s, want %s", got.Body, last.Response)
	}
}
