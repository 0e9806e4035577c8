package openai

import (
	"net/url"
	"testing"

	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

func TestDialectsAskInTheirOwnWay(t *testing.T) {
	tests := []struct {
		dialect  Dialect
		field    string
		on, off  string // the field's value; empty if it is left out
		thinking string
	}{
		{DialectOpenAI, "reasoning_effort", `"high"`, "", "big"},
		{DialectDeepSeek, "thinking", `{"type":"enabled"}`, `{"type":"disabled"}`, "big"},
		{DialectQwen, "enable_thinking", `true`, `false`, "big"},
		{DialectVLLM, "chat_template_kwargs", `{"enable_thinking":true}`, `{"enable_thinking":false}`, "big"},
		{DialectOllama, "reasoning_effort", `"high"`, `"none"`, "big"},
		{DialectEffort, "reasoning_effort", `"high"`, `"none"`, "big"},
		{DialectOpenRouter, "reasoning", `{"enabled":true,"effort":"high"}`, `{"enabled":false}`, "big"},
		{DialectNone, "reasoning_effort", "", "", "big"},
		{DialectQwen, "enable_thinking", `true`, `false`, ""},
	}
	for _, test := range tests {
		t.Run(string(test.dialect)+" "+test.thinking, func(t *testing.T) {
			server := aitest.New(t)
			model := newModel(t, server.URL, func(c *Config) { c.Thinking, c.ThinkingModel = test.dialect, test.thinking })
			for _, deep := range []bool{false, true} {
				prompt := &ai.Prompt{Question: "Why?", DeepThinking: deep}
				if err := model.Reply(t.Context(), prompt, func(ai.Chunk) {}); err != nil {
					t.Fatal(err)
				}
				value, name, fields := test.off, "small", 4
				if deep {
					value = test.on
					if test.thinking != "" {
						name = test.thinking
					}
				}
				if value != "" {
					fields++
				}
				request := server.Last(t)
				if got := string(request.Fields[test.field]); got != value || len(request.Fields) != fields {
					t.Errorf("deep %v: sent %s, want %s to be %s", deep, request.Body, test.field, value)
				}
				if request.Model != name {
					t.Errorf("deep %v: sent model %q, want %q", deep, request.Model, name)
				}
			}
		})
	}
}

func TestAutoDialectGoesByTheHost(t *testing.T) {
	tests := map[string]Dialect{
		"https://api.deepseek.com/v1":                             DialectDeepSeek,
		"https://API.DeepSeek.com":                                DialectDeepSeek,
		"https://dashscope.aliyuncs.com/compatible-mode/v1":       DialectQwen,
		"https://dashscope-intl.aliyuncs.com/compatible-mode":     DialectQwen,
		"https://openrouter.ai/api/v1":                            DialectOpenRouter,
		"https://api.moonshot.cn/v1":                              DialectDeepSeek,
		"https://api.moonshot.ai/v1":                              DialectDeepSeek,
		"https://open.bigmodel.cn/api/paas/v4":                    DialectDeepSeek,
		"https://api.z.ai/api/paas/v4":                            DialectDeepSeek,
		"https://ark.cn-beijing.volces.com/api/v3":                DialectDeepSeek,
		"https://api.siliconflow.cn/v1":                           DialectQwen,
		"https://api.siliconflow.com/v1":                          DialectQwen,
		"https://api.groq.com/openai/v1":                          DialectEffort,
		"https://generativelanguage.googleapis.com/v1beta/openai": DialectEffort,
		"https://buz.ai/v1":                                       DialectOpenAI,
		"http://localhost:11434/v1":                               DialectOllama,
		"http://[::1]:11434/v1":                                   DialectOllama,
		"http://ollama:8000/v1":                                   DialectOllama,
		"https://ollama.com/v1":                                   DialectOllama,
		"https://api.openai.com/v1":                               DialectOpenAI,
		"http://localhost:8000/v1":                                DialectOpenAI,
		"https://notdeepseek.com/v1":                              DialectOpenAI,
		"https://example.com/openrouter.ai/dashscope/deepseek":    DialectOpenAI,
	}
	for address, want := range tests {
		base, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		for _, auto := range []Dialect{"", DialectAuto} {
			if got, err := auto.resolve(base); got != want || err != nil {
				t.Errorf("%s: %q, %v, want %q", address, got, err, want)
			}
		}
	}
}

func TestRejectedFieldIsLeftOutFromThenOn(t *testing.T) {
	tests := []struct {
		dialect Dialect
		status  int
		body    string
	}{
		{DialectOpenAI, 400, `{"error":{"message":"Unsupported parameter: 'reasoning_effort' is not supported."}}`},
		{DialectDeepSeek, 400, `{"error":{"message":"Unrecognized request argument supplied: thinking"}}`},
		{DialectQwen, 400, `{"error":{"message":"parameter.enable_thinking is not supported"}}`},
		{DialectVLLM, 422, `{"detail":[{"type":"extra_forbidden","loc":["body","chat_template_kwargs"]}]}`},
		{DialectOllama, 400, `{"error":{"message":"\"small\" does not support thinking"}}`},
		{DialectOpenRouter, 400, `{"error":{"message":"Reasoning is mandatory for this endpoint and cannot be disabled."}}`},
	}
	for _, test := range tests {
		t.Run(string(test.dialect), func(t *testing.T) {
			server := aitest.New(t)
			server.Respond(func(r aitest.Request) []aitest.Step {
				if len(r.Fields) > 4 {
					return []aitest.Step{aitest.Status(test.status, test.body)}
				}
				return aitest.Echo(r)
			})
			model := newModel(t, server.URL, func(c *Config) { c.Thinking = test.dialect })
			for i, requests := range []int{2, 3, 4} {
				var got received
				err := model.Reply(t.Context(), &ai.Prompt{Question: "Why?", DeepThinking: true}, got.emit)
				if err != nil || got.text != "You said: Why?" {
					t.Fatalf("reply %d: received %+v, error %v", i+1, got, err)
				}
				if n := len(server.Requests()); n != requests {
					t.Errorf("%d requests after %d replies, want %d", n, i+1, requests)
				}
			}
		})
	}
}

func TestOtherRejectionsAreNotBlamedOnTheField(t *testing.T) {
	server := aitest.New(t)
	model := newModel(t, server.URL, func(c *Config) { c.Thinking = DialectQwen })
	deep := &ai.Prompt{Question: "Why?", DeepThinking: true}

	server.Script(aitest.Status(400, `{"error":{"message":"no such model"}}`))
	wantFailure(t, model.Reply(t.Context(), deep, func(ai.Chunk) {}), UnknownModel)
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}

	// If the request fails without the field too, the field was not the reason.
	server.Script(aitest.Status(400, `{"error":{"message":"bad request: enable_thinking, messages"}}`))
	server.Script(aitest.Status(400, `{"error":{"message":"bad request: messages"}}`))
	wantFailure(t, model.Reply(t.Context(), deep, func(ai.Chunk) {}), Rejected)
	if err := model.Reply(t.Context(), deep, func(ai.Chunk) {}); err != nil {
		t.Fatal(err)
	}
	if !server.Last(t).DeepThinking() {
		t.Error("the field is no longer sent")
	}
}
