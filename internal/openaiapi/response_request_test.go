package openaiapi

import (
	"encoding/json"
	"testing"
	"time"

	"parley/internal/ai"
)

// TestARequestBecomesAChatCompletion checks the fields of the call beside its messages.
func TestARequestBecomesAChatCompletion(t *testing.T) {
	const function = `{"type":"function","name":"f","parameters":{},"strict":true}`
	a := New(Config{Models: ai.Offers{{Name: "default"}}.Fixed, Now: time.Now})
	for name, test := range map[string]struct{ body, field, want string }{
		"a stream is asked for": {`"stream":false`, "stream", `true`},
		"with usage": {
			`"stream_options":{"include_obfuscation":false}`, "stream_options", `{"include_usage":true}`,
		},
		"the same name":       {`"temperature":0.25`, "temperature", `0.25`},
		"the limit of tokens": {`"max_output_tokens":50`, "max_tokens", `50`},
		"a function": {
			`"tools":[` + function + `]`, "tools",
			`[{"function":{"name":"f","parameters":{},"strict":true},"type":"function"}]`,
		},
		"no function": {`"tools":[]`, "tools", ``},
		"a choice":    {`"tool_choice":"required"`, "tool_choice", `"required"`},
		"a chosen function": {
			`"tool_choice":{"type":"function","name":"f"}`, "tool_choice", `{"function":{"name":"f"},"type":"function"}`,
		},
		"plain text": {`"text":{"format":{"type":"text"}}`, "response_format", ``},
		"JSON":       {`"text":{"format":{"type":"json_object"}}`, "response_format", `{"type":"json_object"}`},
		"JSON of a schema": {
			`"text":{"format":{"type":"json_schema","name":"s","schema":{}}}`, "response_format",
			`{"json_schema":{"name":"s","schema":{}},"type":"json_schema"}`,
		},
		"verbosity":              {`"text":{"verbosity":"low"}`, "verbosity", `"low"`},
		"no verbosity":           {`"text":{"verbosity":null}`, "verbosity", ``},
		"effort":                 {`"reasoning":{"effort":"high","summary":"auto"}`, "reasoning_effort", `"high"`},
		"no effort":              {`"reasoning":{"effort":null}`, "reasoning_effort", ``},
		"what asks for nothing":  {`"metadata":{"a":"b"}`, "metadata", ``},
		"truncation as it is":    {`"truncation":"disabled"`, "truncation", ``},
		"what there is not":      {`"include":["reasoning.encrypted_content"]`, "include", ``},
		"instructions by itself": {`"instructions":"Be brief."`, "instructions", ``},
	} {
		var body fields
		if err := json.Unmarshal([]byte(`{"input":"Hello",`+test.body+`}`), &body); err != nil {
			t.Fatal(err)
		}
		req, err := a.newResponseRequest(body)
		if got := string(req.call.Body[test.field]); err != nil || got != test.want {
			t.Errorf("%s: %s is %s, want %s, %v", name, test.field, got, test.want, err)
		}
	}
}

func TestAResponseRepeatsItsRequest(t *testing.T) {
	w := newWorld(t, nil)
	w.model.events = says("Hi.")
	got := w.call("POST", "responses", `{"input":"Hello","model":"other","instructions":"Be brief.","temperature":0.5,`+
		`"max_output_tokens":50,"parallel_tool_calls":false,"metadata":{"a":"b"},"text":{"format":{"type":"json_object"}},`+
		`"tools":[{"type":"function","name":"f"}],"tool_choice":"none","user":"u","top_p":1,"max_tool_calls":3}`)
	var repeated map[string]json.RawMessage
	w.must(json.Unmarshal(got.Body.Bytes(), &repeated))
	for name, want := range map[string]string{
		"object": `"response"`, "model": `"other"`, "instructions": `"Be brief."`, "temperature": `0.5`,
		"max_output_tokens": `50`, "parallel_tool_calls": `false`, "metadata": `{"a":"b"}`,
		"text": `{"format":{"type":"json_object"}}`, "tools": `[{"type":"function","name":"f"}]`, "tool_choice": `"none"`,
		"user": `"u"`, "top_p": `1`, "max_tool_calls": `3`, "store": `false`, "previous_response_id": `null`,
		"truncation": `"disabled"`, "status": `"completed"`, "error": `null`,
		"reasoning": `{"effort":null,"summary":null}`,
	} {
		if string(repeated[name]) != want {
			t.Errorf("%s is %s, want %s", name, repeated[name], want)
		}
	}
}

func TestWhatCannotBeHonoredIsRefused(t *testing.T) {
	w := newWorld(t, nil)
	const unknown = "unsupported_parameter"
	for _, test := range []struct{ body, code, param string }{
		{`{}`, "", "input"},
		{`{"input":7}`, "", "input"},
		{`{"input":[]}`, "", "input"},
		{`{"input":"a","conversation":"c"}`, unknown, "conversation"},
		{`{"input":"a","background":true}`, unknown, "background"},
		{`{"input":"a","background":"yes"}`, "", "background"},
		{`{"input":"a","truncation":"auto"}`, unknown, "truncation"},
		{`{"input":"a","top_logprobs":3}`, unknown, "top_logprobs"},
		{`{"input":"a","reasoning":{"summary":"detailed"}}`, unknown, "reasoning.summary"},
		{`{"input":"a","reasoning":"high"}`, "", "reasoning"},
		{`{"input":"a","include":["file_search_call.results"]}`, unknown, "include: file_search_call.results"},
		{`{"input":"a","tools":[{"type":"function","name":"f"},{"type":"web_search"}]}`, unknown, "tools[1].type"},
		{`{"input":"a","tools":"f"}`, "", "tools"},
		{`{"input":"a","tool_choice":{"type":"file_search"}}`, unknown, "tool_choice"},
		{`{"input":"a","text":{"format":{"type":"grammar"}}}`, unknown, "text.format.type"},
		{`{"input":"a","text":"plain"}`, "", "text"},
		{`{"input":"a","stream":"yes"}`, "", "stream"},
		{`{"input":"a","metadata":{"a":1}}`, "", "metadata"},
		{`{"input":"a","previous_response_id":"resp_1"}`, "previous_response_not_found", "previous_response_id"},
		{`{"input":"a","previous_response_id":"key_1"}`, "previous_response_not_found", "previous_response_id"},
		{`{"input":[{"type":"item_reference","id":"msg_1_0"}]}`, "", "input"},
	} {
		w.wantsError(test.body, w.call("POST", "responses", test.body), 400, badRequest, test.code, test.param)
	}
	w.wantsError("a model", w.call("POST", "responses", `{"input":"a","model":"gpt-0"}`), 404, badRequest,
		"model_not_found", "model")
	w.wantsError("a session", w.call("POST", "responses", `{"input":"a"}`, "Parley-Session: s"), 400, badRequest,
		"", "Parley-Session")
	if w.model.count() > 0 {
		t.Error("the model was called")
	}
}
