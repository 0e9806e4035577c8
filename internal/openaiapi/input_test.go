package openaiapi

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/internal/ai"
)

func TestInputBecomesMessages(t *testing.T) {
	const call, result = `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`,
		`{"type":"function_call_output","call_id":"c","output":"noon"}`
	const called = `"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]`
	for name, test := range map[string]struct{ input, want string }{
		"none":   {``, `[]`},
		"a text": {`"Hello"`, `[{"role":"user","content":"Hello"}]`},
		"a text with escapes": {
			`"<渡\n\"\u00e9"`, `[{"role":"user","content":"<渡\n\"é"}]`,
		},
		"roles": {
			`[{"role":"developer","content":"a"},{"type":"message","role":"assistant","content":"b"}]`,
			`[{"role":"system","content":"a"},{"role":"assistant","content":"b"}]`,
		},
		"texts in parts": {
			`[{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"output_text","text":"b"},` +
				`{"type":"refusal","refusal":"c"}]}]`,
			`[{"role":"user","content":"a\nb\nc"}]`,
		},
		"a picture": {
			`[{"role":"user","content":[{"type":"input_text","text":"a"},` +
				`{"type":"input_image","image_url":"data:,","detail":"low"}]}]`,
			`[{"role":"user","content":[{"text":"a","type":"text"},` +
				`{"image_url":{"detail":"low","url":"data:,"},"type":"image_url"}]}]`,
		},
		"a call and its result": {
			`[` + call + `,` + result + `]`,
			`[{"role":"assistant","content":null,` + called + `},{"role":"tool","content":"noon","tool_call_id":"c"}]`,
		},
		"a call after a text": {
			`[{"role":"assistant","content":"Let me look."},` + call + `]`,
			`[{"role":"assistant","content":"Let me look.",` + called + `}]`,
		},
		"thinking": {`[{"type":"reasoning","summary":[]},{"role":"user","content":"a"}]`, `[{"role":"user","content":"a"}]`},
	} {
		items, err := inputItems([]byte(test.input))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c := conversation{}
		if err := c.addItems(items); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := encodeMessages(c.messages, 100); err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, want %s, %v", name, got, test.want, err)
		}
	}
}

func TestWrongInputIsRefused(t *testing.T) {
	list := func(count int) string { return `[` + strings.Repeat(`{},`, count-1) + `{}]` }
	for name, test := range map[string]struct{ input, code, param string }{
		"a number":         {`7`, "", "input"},
		"an object":        {`{}`, "", "input"},
		"no items":         {`[]`, "", "input"},
		"no item":          {`["a"]`, "", "input"},
		"too many items":   {list(maxItems + 1), "", "input"},
		"many empty items": {list(maxItems), "", "input[0].role"},
		"no role":          {`[{"role":"user","content":"a"},{"content":"a"}]`, "", "input[1].role"},
		"another role":     {`[{"role":"tool","content":"a"}]`, "", "input[0].role"},
		"another type":     {`[{"type":"computer_call"}]`, "unsupported_parameter", "input[0].type"},
		"no content":       {`[{"role":"user"}]`, "", "input[0].content"},
		"too many parts":   {`[{"role":"user","content":` + list(maxItems+1) + `}]`, "", "input[0].content"},
		"another part": {
			`[{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_audio"}]}]`,
			"unsupported_parameter", "input[0].content[1]",
		},
		"a picture of a file": {
			`[{"role":"user","content":[{"type":"input_image","file_id":"f"}]}]`, "unsupported_parameter", "input[0].content[0]",
		},
		"no output": {`[{"type":"function_call_output","call_id":"c"}]`, "", "input[0].output"},
	} {
		items, err := inputItems([]byte(test.input))
		if err == nil {
			err = (&conversation{}).addItems(items)
		}
		var own *Error
		if !errors.As(err, &own) || own.Status != 400 || own.Code != test.code || own.Param != test.param {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

func TestTheIDOfAnItemHasThatOfItsResponse(t *testing.T) {
	for id, want := range map[string]struct {
		response string
		index    int
		ok       bool
	}{
		"msg_ab_0": {"resp_ab", 0, true}, "fc_ab_12": {"resp_ab", 12, true}, "msg_ab_-1": {"resp_ab", -1, false},
		"msg_ab": {"resp_ab", 0, false}, "msg": {"resp_", 0, false}, "": {"resp_", 0, false},
		"msg_ab_x": {"resp_ab", 0, false},
	} {
		if response, index, ok := splitItemID(id); response != want.response || index != want.index || ok != want.ok {
			t.Errorf("%q: %q, %d, %v", id, response, index, ok)
		}
	}
}

// FuzzAResponsesRequest translates requests. What is not refused has to become JSON.
func FuzzAResponsesRequest(f *testing.F) {
	for _, text := range []string{
		`{"input":"Hello","tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"function","name":"f"}}`,
		`{"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:,"}]}],"text":{"verbosity":"low"}}`,
		`{"input":[{"type":"function_call","call_id":"c"},{"type":"function_call_output","call_id":"c","output":[]}]}`,
		`{"input":[{"type":"item_reference","id":"msg_a_0"},{"type":"reasoning"}],"reasoning":{"effort":null}}`,
		`{"previous_response_id":"resp_1","metadata":{"a":"b"},"include":["reasoning.encrypted_content"],"n":1}`,
	} {
		f.Add([]byte(text))
	}
	a := New(Config{Models: ai.Offers{{Name: "default"}}.Fixed, Now: time.Now})
	f.Fuzz(func(t *testing.T, text []byte) {
		var body fields
		if json.Unmarshal(text, &body) != nil || body == nil {
			return
		}
		req, err := a.newResponseRequest(body)
		if err != nil {
			return
		}
		if _, err := json.Marshal(req.call.Body); err != nil {
			t.Errorf("the call can't be encoded: %v", err)
		}
		items, err := inputItems(req.input)
		if err != nil {
			return
		}
		c := conversation{outputs: map[string][]outputItem{}, read: func(string) ([]outputItem, error) { return nil, nil }}
		if c.addItems(items) != nil {
			return
		}
		if messages, err := encodeMessages(c.messages, 0); err != nil || !json.Valid(messages) {
			t.Errorf("got %s, %v", messages, err)
		}
	})
}
