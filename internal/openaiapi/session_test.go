package openaiapi

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat/turn"
)

func TestACallBecomesASend(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want parley.SendInput
	}{
		"the last message": {
			`{"messages":[{"role":"system","content":"ignored"},{"role":"user","content":"Hello"}]}`,
			parley.SendInput{Content: "Hello"},
		},
		"texts in parts": {
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`,
			parley.SendInput{Content: "a\nb"},
		},
		"thinking": {
			`{"reasoning_effort":"medium",` + hello + `}`,
			parley.SendInput{Content: "Hello", ReplyOptions: parley.ReplyOptions{DeepThinking: true}},
		},
		"little thinking": {`{"reasoning_effort":"low",` + hello + `}`, parley.SendInput{Content: "Hello"}},
		"search": {
			`{"web_search_options":{},` + hello + `}`,
			parley.SendInput{Content: "Hello", ReplyOptions: parley.ReplyOptions{WebSearch: true}},
		},
		"what asks for nothing": {`{"n":1,"user":"u","metadata":{},` + hello + `}`, parley.SendInput{Content: "Hello"}},
	} {
		test.want.SessionID, test.want.Model = "s", "default"
		var body fields
		if err := json.Unmarshal([]byte(test.body), &body); err != nil {
			t.Fatal(err)
		}
		if got, err := sendInput("s", ai.Call{Body: body, Model: "default"}); err != nil || got != test.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestWhatNoTurnCanHonorIsRefused(t *testing.T) {
	w := newWorld(t, nil)
	const unknown = "unsupported_parameter"
	for _, test := range []struct{ body, code, param string }{
		{`{"temperature":1,` + hello + `}`, unknown, "temperature"},
		{`{"tools":[],` + hello + `}`, unknown, "tools"},
		{`{"n":2,` + hello + `}`, "", "n"},
		{`{"reasoning_effort":3,` + hello + `}`, "", "reasoning_effort"},
		{`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`, "", "messages"},
		{`{"messages":["Hello"]}`, "", "messages"},
		{`{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}`, "", "messages"},
		{`{"messages":[{"role":"user","content":"\u0000"}]}`, "", "messages"},
		{`{"messages":[{"role":"user","content":"` + strings.Repeat("渡", parley.MaxContent+1) + `"}]}`, "", "messages"},
	} {
		got := w.call("POST", "chat/completions", test.body, "Parley-Session: s")
		w.wantsError(test.body[:min(100, len(test.body))], got, 400, badRequest, test.code, test.param)
	}
}

// TestATurnEndsItsStream has the events that end the stream of a reply. What comes before is tested with the whole
// server.
func TestATurnEndsItsStream(t *testing.T) {
	done := func(reply parley.AIResponse) turn.Event {
		return turn.Event{Name: "done", Data: parley.SendOutput{AIResponse: reply}}
	}
	for name, test := range map[string]struct {
		turn  turnEvents
		event turn.Event
		sent  []string // what the events have in them
		err   error
	}{
		"it is complete": {
			turnEvents{}, done(parley.AIResponse{}), []string{`"role":"assistant"`, `"finish_reason":"stop"`}, nil,
		},
		"it was cut off": {
			turnEvents{begun: true},
			done(parley.AIResponse{Details: parley.Details{Finish: "length"}}),
			[]string{`"finish_reason":"length"`},
			nil,
		},
		"with its usage": {
			turnEvents{begun: true, call: ai.Call{Usage: true}},
			done(parley.AIResponse{Details: parley.Details{Usage: &parley.Usage{InputTokens: 3, OutputTokens: 4}}}),
			[]string{`"finish_reason":"stop"`, `"total_tokens":7`},
			nil,
		},
		"it was interrupted": {
			turnEvents{begun: true}, done(parley.AIResponse{Status: parley.StatusInterrupted}), nil, parley.ErrReplyInterrupted,
		},
		"it failed": {
			turnEvents{begun: true},
			turn.Event{Name: "error", Data: parley.NewStreamError(parley.ErrTurnEnded)},
			nil,
			&Error{Status: 503, Text: parley.ErrTurnEnded.Message},
		},
		"begun anew": {turnEvents{}, turn.Event{Name: "restart", At: turn.Position{Attempt: 2}}, nil, nil},
		"begun anew, late": {
			turnEvents{said: true}, turn.Event{Name: "restart", At: turn.Position{Attempt: 2}}, nil, errRestarted,
		},
		"text that is taken": {turnEvents{said: true}, turn.Event{Name: "restart"}, nil, errWasThinking},
	} {
		var sent []string
		test.turn.emit = func(data []byte) error {
			sent = append(sent, string(data))
			return nil
		}
		err := test.turn.write(test.event)
		var own, want *Error
		switch {
		case errors.As(err, &own) && errors.As(test.err, &want) && own.Text == want.Text && own.Status == want.Status:
		case !errors.Is(err, test.err) || err != nil && test.err == nil:
			t.Errorf("%s: %v", name, err)
		}
		if len(sent) != len(test.sent) {
			t.Fatalf("%s: sent %q", name, sent)
		}
		for i, part := range test.sent {
			if !strings.Contains(sent[i], part) {
				t.Errorf("%s: event %d is %s", name, i, sent[i])
			}
		}
	}
}

// TestAUserMakesNoModelWaitForOthers has a user make a model write what looks like thinking.
func TestAUserMakesNoModelWaitForOthers(t *testing.T) {
	var u unmarkedThinking
	u.add(1, "m")
	if !u.has(1, "m") || u.has(2, "m") || u.has(1, "other") {
		t.Errorf("known are %v", u.known)
	}
	for user := range int64(maxUnmarked) {
		u.add(user, "m")
	}
	if len(u.known) > maxUnmarked {
		t.Errorf("%d are known", len(u.known))
	}
}
