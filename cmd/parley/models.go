package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat"
	"parley/internal/config"
)

// ollamaAddress is where Ollama usually listens.
const ollamaAddress = "http://127.0.0.1:11434"

// chooseModels makes the three models on offer and says in a few words what the
// default is. One without a model server configured is a local Ollama's, if that has
// a model, else the built-in one.
func chooseModels(ctx context.Context, settings config.AI) (chat.Models, string, error) {
	about := fmt.Sprintf("%s at %s", settings.Default.Model, settings.Default.BaseURL)
	local := ""
	if settings.Default.Builtin() {
		about = "built-in"
	}
	if settings.Default.BaseURL == "" {
		if local = findOllama(ctx, ollamaAddress, settings.Default.Model); local == "" {
			about = "built-in (to use a real one set PARLEY_AI_BASE_URL and PARLEY_AI_MODEL)"
		} else {
			about = fmt.Sprintf("%s at %s (Ollama)", local, ollamaAddress)
		}
	}
	transport := ai.NewTransport()
	var models chat.Models
	for _, choice := range []struct {
		name     string
		upstream config.Upstream
	}{
		{settings.DefaultName, settings.Default},
		{parley.ModelBasic, settings.Basic},
		{parley.ModelEnhanced, settings.Enhanced},
	} {
		upstream := choice.upstream
		if upstream.BaseURL == "" && local != "" {
			upstream.BaseURL, upstream.Thinking = ollamaAddress+"/v1", string(ai.DialectOllama)
			upstream.Model = cmp.Or(upstream.Model, local)
		}
		model, err := newModel(settings, upstream, transport)
		if err != nil {
			return nil, "", err
		}
		model.Name = choice.name
		models = append(models, model)
	}
	return models, about, nil
}

// newModel is a model on a server, with the fallback it may have, or the built-in one.
func newModel(settings config.AI, upstream config.Upstream, transport http.RoundTripper) (chat.Model, error) {
	if upstream.BaseURL == "" || upstream.Builtin() {
		return chat.Model{Model: ai.NewBuiltin(), ContextTokens: upstream.ContextTokens}, nil
	}
	model := chat.Model{ContextTokens: upstream.ContextTokens, DeepThinking: upstream.Thinking != string(ai.DialectNone) || upstream.ThinkingModel != ""}
	first, err := newOpenAI(settings, upstream, transport)
	if err != nil {
		return model, fmt.Errorf("model %q: %w", upstream.Model, err)
	}
	model.Model = first
	if upstream.Fallback != nil {
		second, err := newModel(settings, *upstream.Fallback, transport)
		if err != nil {
			return model, err
		}
		model.Model = ai.Fallback{First: first, Second: second.Model}
		model.ContextTokens = min(model.ContextTokens, second.ContextTokens)
	}
	return model, nil
}

func newOpenAI(settings config.AI, upstream config.Upstream, transport http.RoundTripper) (*ai.OpenAI, error) {
	return ai.NewOpenAI(ai.OpenAIConfig{
		BaseURL: upstream.BaseURL.Reveal(), APIKey: upstream.APIKey.Reveal(), Model: upstream.Model,
		Thinking: ai.Dialect(upstream.Thinking), ThinkingModel: upstream.ThinkingModel,
		IdleTimeout: settings.IdleTimeout, MaxTime: settings.MaxTime, MaxReply: int(settings.MaxReply), Transport: transport,
	})
}

// findOllama asks a local Ollama for a model: the wanted one, else any. It is empty
// where none answers at once.
func findOllama(ctx context.Context, address, wanted string) string {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/api/tags", nil)
	if err != nil {
		return ""
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return ""
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&tags); err != nil || len(tags.Models) == 0 {
		return ""
	}
	if wanted != "" {
		return wanted
	}
	return tags.Models[0].Name
}
