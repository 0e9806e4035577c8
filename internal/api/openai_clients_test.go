package api_test

import (
	"strings"
	"testing"

	"parley/internal/ai/aitest"
)

// pythonHeaders are the headers of openai-python 1.109.1. It accepts only JSON even if it wants a stream.
var pythonHeaders = []string{
	"Accept: application/json", "Accept-Encoding: gzip, deflate", "Content-Type: application/json",
	"User-Agent: OpenAI/Python 1.109.1", "X-Stainless-Lang: python", "X-Stainless-Package-Version: 1.109.1",
	"X-Stainless-OS: Linux", "X-Stainless-Arch: x64", "X-Stainless-Runtime: CPython",
	"X-Stainless-Runtime-Version: 3.11.2", "X-Stainless-Async: false", "x-stainless-retry-count: 0",
	"x-stainless-read-timeout: 600",
}

// TestRequestsOfOpenAIsPythonClient sends recorded requests of that client.
func TestRequestsOfOpenAIsPythonClient(t *testing.T) {
	tests := []struct{ name, method, path, body, kind, says string }{
		{"models", "GET", "models", ``, "application/json", `"id":"default"`},
		{
			"a document", "POST", "chat/completions",
			`{"messages": [{"role": "user", "content": "Hello"}], "model": "default", "temperature": 0}`,
			"application/json", `"content":"Hi."`,
		},
		{
			"a stream", "POST", "chat/completions",
			`{"messages": [{"role": "user", "content": "Hello"}], "model": "default", "stream": true, ` +
				`"stream_options": {"include_usage": true}}`,
			"text/event-stream", `"prompt_tokens":7`,
		},
		{
			"a streamed response", "POST", "responses", `{"input": "Hello", "model": "default", "stream": true}`,
			"text/event-stream", "event: response.completed",
		},
	}
	each(t, func(w *world) {
		w.Model.Respond(func(r aitest.Request) []aitest.Step {
			if string(r.Fields["stream"]) == "true" {
				return []aitest.Step{aitest.Text("Hi."), aitest.EndCounted(7, 2)}
			}
			return []aitest.Step{aitest.Status(200, plainAnswer)}
		})
		ada := w.user("ada")
		for _, test := range tests {
			got := w.call(ada, test.method, test.path, test.body, pythonHeaders...)
			if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), test.kind) ||
				got.header.Get("Content-Encoding") != "" || !strings.Contains(got.text, test.says) {
				w.Errorf("%s: got HTTP %d, %v, %s", test.name, got.status, got.header, got.text)
			}
		}
	})
}

// TestRequestsOfCodex sends a recorded step of the coding agent Codex 0.169.0: its prompt, a call of a tool with its
// output, and fields that request nothing.
func TestRequestsOfCodex(t *testing.T) {
	const step = `{"model": "default", "stream": true, "store": false, "tool_choice": "auto", "parallel_tool_calls": true,
		"input": [
			{"type": "message", "id": "msg_1", "role": "developer",
				"content": [{"type": "input_text", "text": "You are an agent."}]},
			{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What does a.txt say?"}]},
			{"type": "function_call", "id": "fc_1", "name": "exec_command", "arguments": "{}", "call_id": "call_1"},
			{"type": "function_call_output", "call_id": "call_1", "output": "Hello"}],
		"tools": [{"type": "function", "name": "exec_command", "strict": false, "parameters": {"type": "object"}}],
		"reasoning": {"summary": "auto"}, "include": ["reasoning.encrypted_content"], "prompt_cache_key": "k",
		"client_metadata": {"session_id": "s", "turn_id": "t"}}`
	each(t, func(w *world) {
		w.Model.Script(aitest.Text("It says hello."), aitest.EndCounted(7, 2))
		got := w.call(w.user("ada"), "POST", "responses", step, "Accept: text/event-stream")
		if got.status != 200 || !strings.Contains(got.text, "It says hello.") ||
			!strings.Contains(got.text, "event: response.completed") {
			w.Errorf("got HTTP %d, %s", got.status, got.text)
		}
		asked := w.Model.Last(w.T)
		var roles []string
		for _, m := range asked.Messages {
			roles = append(roles, m.Role)
		}
		if strings.Join(roles, " ") != "system user assistant tool" || asked.Fields["client_metadata"] != nil {
			w.Errorf("the model was asked %v, %v", roles, asked.Fields)
		}
	})
}
