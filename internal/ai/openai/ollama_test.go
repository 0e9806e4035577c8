package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// serveOllama serves the tags, the descriptions and the loaded models of an Ollama.
func serveOllama(t *testing.T, tags, running string, shown map[string]string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, tags) })
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, running) })
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Model string }
		body, _ := io.ReadAll(r.Body)
		if json.Unmarshal(body, &in) != nil || shown[in.Model] == "" {
			http.Error(w, `{"error":"model not found"}`, http.StatusNotFound)
			return
		}
		fmt.Fprint(w, shown[in.Model])
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestOllamaModelIsLocalAndCanReply(t *testing.T) {
	const (
		chat   = `{"capabilities":["completion","tools"],"model_info":{"llama.context_length":131072}}`
		think  = `{"capabilities":["completion","thinking"],"parameters":"stop \"<x>\"\nnum_ctx 16384\n"}`
		embed  = `{"capabilities":["embedding"]}`
		remote = `{"capabilities":["completion"],"remote_host":"https://ollama.com:443"}`
		small  = `{"capabilities":["completion"],"model_info":{"general.x":1,"gpt2.context_length":1024}}`
		old    = `{"parameters":""}`
	)
	shown := map[string]string{
		"chat:latest": chat, "think:8b": think, "embed": embed, "big:480b-cloud": remote, "stub": remote,
		"small": small, "old": old,
	}
	tests := []struct {
		name, tags, running, wanted string
		want                        OllamaModel
	}{
		{"none", ``, ``, "", OllamaModel{}},
		{
			"a remote one by its name",
			`{"name":"big:480b-cloud"},{"name":"chat:latest"}`, ``, "",
			OllamaModel{"chat:latest", 4096, false},
		},
		{
			"a remote one by its host",
			`{"name":"stub","remote_host":"https://ollama.com"},{"name":"think:8b"}`, ``, "",
			OllamaModel{"think:8b", 16384, true},
		},
		{"a remote one by its description", `{"name":"stub"}`, ``, "", OllamaModel{}},
		{"an embedding model", `{"name":"embed"},{"name":"small"}`, ``, "", OllamaModel{"small", 1024, false}},
		{"only an embedding model", `{"name":"embed"}`, ``, "", OllamaModel{}},
		{
			"a loaded one", `{"name":"chat:latest"}`, `{"name":"chat:latest","context_length":32768}`, "",
			OllamaModel{"chat:latest", 32768, false},
		},
		{"the wanted one", `{"name":"think:8b"},{"name":"chat:latest"}`, ``, "chat", OllamaModel{"chat:latest", 4096, false}},
		{
			"a remote one that is wanted", `{"name":"big:480b-cloud"}`, ``, "big:480b-cloud",
			OllamaModel{"big:480b-cloud", 4096, false},
		},
		{"a wanted one that is missing", `{"name":"chat:latest"}`, ``, "other", OllamaModel{}},
		{"an Ollama without capabilities", `{"name":"old"}`, ``, "", OllamaModel{"old", 4096, true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			address := serveOllama(t, `{"models":[`+test.tags+`]}`, `{"models":[`+test.running+`]}`, shown)
			got, found := NewOllama(address).Find(t.Context(), test.wanted)
			if got != test.want || found != (test.want.Name != "") {
				t.Errorf("found %+v, %v, want %+v", got, found, test.want)
			}
		})
	}
}

func TestContextSizeIsReadFromTheServer(t *testing.T) {
	serve := func(path, body string) string {
		mux := http.NewServeMux()
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+secret {
				t.Errorf("%s was asked without the key", path)
			}
			fmt.Fprint(w, body)
		})
		server := httptest.NewServer(mux)
		t.Cleanup(server.Close)
		return server.URL
	}
	ollama := serveOllama(t, ``, `{}`, map[string]string{"small": `{"parameters":"num_ctx 9000"}`})
	tests := []struct {
		name, address string
		dialect       Dialect
		want          int
	}{
		{
			"vLLM", serve("/v1/models", `{"data":[{"id":"x","max_model_len":1},{"id":"small","max_model_len":8192}]}`),
			"", 8192,
		},
		{"OpenRouter", serve("/v1/models", `{"data":[{"id":"small","context_length":200000}]}`), "", 200000},
		{"llama-server", serve("/props", `{"default_generation_settings":{"n_ctx":6144}}`), "", 6144},
		{"Ollama", ollama, DialectOllama, 9000},
		{"a list without it", serve("/v1/models", `{"data":[{"id":"small"}]}`), "", 0},
		{"a list without the model", serve("/v1/models", `{"data":[{"id":"x","max_model_len":1}]}`), "", 0},
		{"nonsense", serve("/v1/models", `<html>`), "", 0},
		{"nobody", "http://127.0.0.1:1", "", 0},
	}
	for _, test := range tests {
		model := newModel(t, test.address+"/v1", func(c *Config) { c.Thinking = test.dialect })
		if got := model.ContextTokens(t.Context()); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}
