package main_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

// TestOpenAIClients runs the unmodified Node clients of OpenAI, the Vercel AI SDK and LangChain against the server.
func TestOpenAIClients(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("PARLEY_TEST_OPENAI")
	if folder == "" {
		skipUnlessRequired(t, errors.New("PARLEY_TEST_OPENAI is not what scripts/packages prints"))
	}
	model := aitest.New(t)
	model.Respond(answerOpenAI)
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL="+model.URL, "PARLEY_AI_MODEL=scripted")
	ada := client.New(p.url)
	registered, err := ada.Register(t.Context(), parley.RegisterInput{Email: "ada@example.com", Password: "correct horse"})
	must(t, err)
	script, err := filepath.Abs("testdata/openai/use.mjs")
	must(t, err)
	code, err := os.ReadFile(script)
	must(t, err)
	// A module only finds packages next to itself.
	dir := t.TempDir()
	must(t, errors.Join(
		os.WriteFile(filepath.Join(dir, "use.mjs"), code, 0o600),
		os.Symlink(filepath.Join(folder, "node_modules"), filepath.Join(dir, "node_modules"))))
	ts := typescript{dir: dir}
	t.Log(ts.run(t, dir, []string{
		"PARLEY_URL=" + p.url + "/v1", "PARLEY_TOKEN=" + registered.Token, "PARLEY_SESSION=" + session(t, ada),
	}, "node", "use.mjs"))
}

// TestTheInstructionsGoWhereTheyAreSetTo sends one question in a session and one with OpenAI's API.
func TestTheInstructionsGoWhereTheyAreSetTo(t *testing.T) {
	t.Parallel()
	for setting, withCalls := range map[string]bool{"": true, "all": true, "sessions": false} {
		model := aitest.New(t)
		model.Respond(answerOpenAI)
		p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL="+model.URL, "PARLEY_AI_MODEL=scripted",
			"PARLEY_SYSTEM_PROMPT=Be kind.", "PARLEY_SYSTEM_PROMPT_FOR="+setting)
		ada := p.user("ada")
		_, err := ada.Send(t.Context(), parley.SendInput{SessionID: session(t, ada), Content: "Hello"})
		must(t, err)
		if !strings.Contains(model.Last(t).System(), "Be kind.") {
			t.Errorf("%q: a session has no instructions", setting)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/v1/chat/completions",
			strings.NewReader(`{"model":"default","messages":[{"role":"user","content":"Hello"}]}`))
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+ada.Token())
		response, err := http.DefaultClient.Do(r)
		must(t, err)
		must(t, response.Body.Close())
		if got := strings.Contains(model.Last(t).System(), "Be kind."); response.StatusCode != 200 || got != withCalls {
			t.Errorf("%q: a call has instructions: %t, status %d", setting, got, response.StatusCode)
		}
	}
}

// answerOpenAI acts like a model. It calls a tool if there is one, then says what the tool returned.
func answerOpenAI(r aitest.Request) []aitest.Step {
	body, last := string(r.Body), r.Messages[len(r.Messages)-1]
	text := "You said: " + last.Content
	switch {
	case last.Content == "refuse":
		return []aitest.Step{aitest.Status(400, `{"error":{"message":"this is refused"}}`)}
	case last.Content == "busy":
		return []aitest.Step{aitest.Status(429, `{"error":{"message":"slow down"}}`, "Retry-After", "1")}
	case last.Role == "tool":
		text = "The ferry leaves " + last.Content
	case strings.Contains(body, `"json_schema"`):
		text = `{"to":"Capri"}`
	case strings.Contains(body, `"image_url"`):
		text = "I see a picture."
	case r.Fields["tools"] != nil:
		return completion(r, `{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function",`+
			`"function":{"name":"ferry","arguments":"{\"to\":\"Capri\"}"}}]}`, "tool_calls")
	}
	quoted, _ := json.Marshal(text) // a string can always be encoded
	return completion(r, `{"role":"assistant","content":`+string(quoted)+`}`, "stop")
}

// completion returns a message as one document or as a stream.
func completion(r aitest.Request, message, finish string) []aitest.Step {
	const usage = `"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}`
	begin := `{"id":"chatcmpl-1","created":1767225600,"model":"scripted",`
	if string(r.Fields["stream"]) != "true" {
		return []aitest.Step{aitest.Status(200, begin+`"object":"chat.completion","choices":[{"index":0,"message":`+message+
			`,"finish_reason":"`+finish+`"}],`+usage+`}`, "Content-Type", "application/json")}
	}
	begin += `"object":"chat.completion.chunk",`
	return []aitest.Step{
		aitest.Event(begin + `"choices":[{"index":0,"delta":` + message + `,"finish_reason":null}],"usage":null}`),
		aitest.Event(begin + `"choices":[{"index":0,"delta":{},"finish_reason":"` + finish + `"}],"usage":null}`),
		aitest.Event(begin + `"choices":[],` + usage + `}`),
		aitest.Event("[DONE]"),
	}
}
