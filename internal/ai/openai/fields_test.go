package openai

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley"
	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

const answer = `{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}`

// pass passes a call with further fields, given as JSON, and returns what the server got.
func pass(t *testing.T, server *aitest.Server, model *Client, fields string) (map[string]json.RawMessage, error) {
	t.Helper()
	call := ai.Call{Model: "default"}
	body := `{"messages":[{"role":"user","content":"Why?"}]` + fields + `}`
	if err := json.Unmarshal([]byte(body), &call.Body); err != nil {
		t.Fatal(err)
	}
	server.Script(aitest.Status(200, answer))
	if _, err := model.Pass(t.Context(), call, func([]byte) error { return nil }); err != nil {
		return nil, err
	}
	return server.Last(t).Fields, nil
}

func TestTheLimitOfTokensHolds(t *testing.T) {
	server := aitest.New(t)
	model := newModel(t, server.URL, func(c *Config) { c.MaxTokens = 9000 })
	for _, name := range tokenLimits {
		for value, want := range map[string]string{
			"1": "1", "9000": "9000", "9001": "9000", "-1": "9000", "0": "9000", "1e9": "9000", "9000.5": "9000",
			`"90000"`: "9000", "99999999999999999999": "9000", "null": "9000", "true": "9000", "[1]": "9000", "{}": "9000",
		} {
			sent, err := pass(t, server, model, `,"`+name+`":`+value)
			if err != nil {
				t.Fatal(err)
			}
			got, limit := name, "9000"
			if name == "max_completion_tokens" { // some servers pass over it
				got = "max_tokens"
			}
			if string(sent[got]) != want {
				t.Errorf("of %s %s the server got %s, want %s", name, value, sent[got], want)
			}
			if got == "max_tokens" {
				limit = want
			}
			if string(sent["max_tokens"]) != limit || sent["max_completion_tokens"] != nil {
				t.Errorf("with %s %s the limit is %s and %s", name, value, sent["max_tokens"], sent["max_completion_tokens"])
			}
		}
	}
	if sent, _ := pass(t, server, model, ""); string(sent["max_tokens"]) != "9000" {
		t.Errorf("without a limit the server got %s", sent["max_tokens"])
	}
	sent, _ := pass(t, server, model, `,"max_tokens":70,"max_completion_tokens":60`)
	if string(sent["max_tokens"]) != "60" || sent["max_completion_tokens"] != nil {
		t.Errorf("of two limits the server got %s and %s", sent["max_tokens"], sent["max_completion_tokens"])
	}
	pinned := newModel(t, server.URL, func(c *Config) {
		c.MaxTokens, c.Body = 9000, map[string]any{"max_completion_tokens": 500}
	})
	sent, _ = pass(t, server, pinned, `,"max_completion_tokens":8000`)
	if string(sent["max_completion_tokens"]) != "500" || sent["max_tokens"] != nil {
		t.Errorf("with a pinned limit the server got %s and %s", sent["max_completion_tokens"], sent["max_tokens"])
	}
	for _, name := range []string{"MAX_TOKENS", "max_tokenſ", "Messages", "N", "Stream"} {
		_, err := pass(t, server, model, `,"`+name+`":1`)
		if field := new(ai.Unsupported); !errors.As(err, &field) || field.Field != name {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestFieldsThatRedirectACallAreRefused(t *testing.T) {
	server := aitest.New(t)
	plain := newModel(t, server.URL)
	for _, name := range append([]string{"Models", "SERVICE_TIER"}, redirecting...) {
		_, err := pass(t, server, plain, `,"`+name+`":"x"`)
		if field := new(ai.Unsupported); !errors.As(err, &field) || field.Field != name {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if n := len(server.Requests()); n > 0 {
		t.Errorf("the server got %d requests", n)
	}

	server = aitest.New(t)
	own := newModel(t, server.URL, func(c *Config) {
		c.Allow, c.Refuse = []string{"service_tier"}, []string{"logit_bias"}
		c.Body = map[string]any{"seed": 7, "provider": map[string]any{"only": []string{"a"}}}
	})
	sent, err := pass(t, server, own, `,"service_tier":"flex","seed":1,"temperature":0.5`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"service_tier": `"flex"`, "seed": "7", "provider": `{"only":["a"]}`, "temperature": "0.5",
	} {
		if string(sent[name]) != want {
			t.Errorf("the server got %s %s, want %s", name, sent[name], want)
		}
	}
	for _, name := range []string{"models", "provider", "logit_bias", "Logit_Bias", "Seed"} {
		_, err := pass(t, server, own, `,"`+name+`":1`)
		if field := new(ai.Unsupported); !errors.As(err, &field) || field.Field != name {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestTheRulesForFieldsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`"temperature" needs no allow`:    func(c *Config) { c.Allow = []string{"temperature"} },
		`"model" can't be refused`:        func(c *Config) { c.Refuse = []string{"model"} },
		`"models" is both in allow and i`: func(c *Config) { c.Allow, c.Refuse = []string{"models"}, []string{"models"} },
	} {
		cfg := Config{BaseURL: "http://127.0.0.1:1/v1", Model: "small"}
		change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestAllChoicesAreCounted passes two choices of a server that gives no figures.
func TestAllChoicesAreCounted(t *testing.T) {
	server := aitest.New(t)
	model := newModel(t, server.URL)
	body := map[string]json.RawMessage{
		"messages": json.RawMessage(`[{"role":"user","content":"Why?"}]`), "n": json.RawMessage("2"),
	}
	chunk := func(index, content, finish string) aitest.Step {
		return aitest.Event(`{"choices":[{"index":` + index + `,"delta":{"content":"` + content + `"},"finish_reason":` +
			finish + `}]}`)
	}
	const many = "one two three four five six seven eight."
	count := func(stream bool, script ...aitest.Step) (parley.Usage, error) {
		server.Script(script...)
		call := ai.Call{Body: body, Choices: 2, Stream: stream}
		return model.Pass(t.Context(), call, func([]byte) error { return nil })
	}
	want := int64(2 * ai.Tokens(many))
	got, err := count(true, chunk("0", many, `"stop"`), chunk("1", many, `"stop"`), aitest.Event("[DONE]"))
	if err != nil || got.OutputTokens != want {
		t.Errorf("of a stream %+v, %v; want %d", got, err, want)
	}
	got, err = count(false, aitest.Status(200, `{"choices":[{"index":0,"message":{"content":"`+many+`"},"finish_reason":`+
		`"stop"},{"index":1,"message":{"content":"`+many+`"},"finish_reason":"stop"}]}`))
	if err != nil || got.OutputTokens != want {
		t.Errorf("of a document %+v, %v; want %d", got, err, want)
	}
	if _, err = count(true, chunk("0", many, `"stop"`), chunk("1", many, "null"), aitest.Cut()); err == nil {
		t.Error("a stream that breaks off in its second choice is complete")
	}
}
