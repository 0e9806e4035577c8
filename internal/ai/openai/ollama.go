package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// defaultContext is the context size of an Ollama, unless it is told another one.
const defaultContext = 4096

// Ollama is an Ollama server by its own API.
type Ollama struct {
	http    *http.Client
	address string
}

// NewOllama returns the Ollama at an address, such as http://127.0.0.1:11434. It sends nothing.
func NewOllama(address string) *Ollama {
	return &Ollama{address: address, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// OllamaModel is a model of an Ollama.
type OllamaModel struct {
	Name          string
	ContextTokens int
	Thinks        bool
}

// Is reports whether the model is the one with a name, which may lack the tag latest.
func (m OllamaModel) Is(name string) bool { return sameModel(m.Name, name) }

// Find returns a model that runs on the server itself and can reply: the wanted one, or without a wanted one the first.
// The second result is false if there is none.
func (o *Ollama) Find(ctx context.Context, wanted string) (OllamaModel, bool) {
	var tags struct {
		Models []struct {
			Name       string `json:"name"`
			RemoteHost string `json:"remote_host"`
		} `json:"models"`
	}
	if o.call(ctx, http.MethodGet, "/api/tags", nil, &tags) != nil {
		return OllamaModel{}, false
	}
	for _, model := range tags.Models {
		if wanted != "" && !sameModel(model.Name, wanted) || wanted == "" && isRemote(model.Name, model.RemoteHost) {
			continue
		}
		shown, err := o.show(ctx, model.Name)
		if err != nil || wanted == "" && (!shown.can("completion") || shown.RemoteHost != "") {
			continue
		}
		return OllamaModel{
			Name: model.Name, ContextTokens: o.contextOf(ctx, model.Name, shown), Thinks: shown.can("thinking"),
		}, true
	}
	return OllamaModel{}, false
}

func (o *Ollama) contextTokens(ctx context.Context, model string) int {
	shown, err := o.show(ctx, model)
	if err != nil {
		return 0
	}
	return o.contextOf(ctx, model, shown)
}

// sameModel reports whether a name in the list is the wanted one, which may lack the tag latest.
func sameModel(listed, wanted string) bool { return listed == wanted || listed == wanted+":latest" }

// isRemote reports whether a model runs elsewhere, where its prompts would be sent.
func isRemote(name, host string) bool {
	return host != "" || strings.HasSuffix(name, "-cloud") || strings.HasSuffix(name, ":cloud")
}

// shownModel is what Ollama says of a model.
type shownModel struct {
	Capabilities []string        `json:"capabilities"`
	RemoteHost   string          `json:"remote_host"`
	Parameters   string          `json:"parameters"` // a name and a value in each line
	Info         json.RawMessage `json:"model_info"`
}

// can reports whether the model has a capability. An Ollama before 0.6.4 names none; then it has all.
func (m shownModel) can(capability string) bool {
	return m.Capabilities == nil || slices.Contains(m.Capabilities, capability)
}

func (o *Ollama) show(ctx context.Context, model string) (shownModel, error) {
	var shown shownModel
	err := o.call(ctx, http.MethodPost, "/api/show", map[string]string{"model": model}, &shown)
	return shown, err
}

// contextOf returns the context size with which Ollama runs a model: that of the loaded model, that of its parameters,
// or the default. It is never larger than the model's own.
func (o *Ollama) contextOf(ctx context.Context, model string, shown shownModel) int {
	var running struct {
		Models []struct {
			Name          string `json:"name"`
			ContextLength int    `json:"context_length"`
		} `json:"models"`
	}
	if o.call(ctx, http.MethodGet, "/api/ps", nil, &running) == nil {
		for _, m := range running.Models {
			if sameModel(m.Name, model) && m.ContextLength > 0 {
				return m.ContextLength
			}
		}
	}
	tokens := defaultContext
	for line := range strings.Lines(shown.Parameters) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "num_ctx" {
			if n, err := strconv.Atoi(fields[1]); err == nil && n > 0 {
				tokens = n
			}
		}
	}
	if own := trainedContext(shown.Info); own > 0 {
		return min(tokens, own)
	}
	return tokens
}

// trainedContext returns the context size of the model itself, under a name that begins with its architecture.
func trainedContext(info json.RawMessage) int {
	var fields map[string]any
	if json.Unmarshal(info, &fields) != nil {
		return 0
	}
	for name, value := range fields {
		if n, ok := value.(float64); ok && strings.HasSuffix(name, ".context_length") {
			return int(n)
		}
	}
	return 0
}

func (o *Ollama) call(ctx context.Context, method, path string, body, into any) error {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, o.address+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	return fetchJSON(o.http, req, into)
}
