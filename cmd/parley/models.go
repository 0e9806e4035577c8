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
	"parley/internal/ai/builtin"
	"parley/internal/ai/openai"
	"parley/internal/chat"
	"parley/internal/config"
)

// ollamaAddress is the default address of Ollama.
const ollamaAddress = "http://127.0.0.1:11434"

// chooseModels returns the three available models and a short description of the default one. Without a configured
// server it uses a local Ollama if that has a model, and otherwise the built-in model.
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
	transport := openai.NewTransport()
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
			upstream.BaseURL, upstream.Thinking = ollamaAddress+"/v1", string(openai.DialectOllama)
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

// newModel returns a model on a server, with its fallback if it has one, or the built-in model.
func newModel(settings config.AI, upstream config.Upstream, transport http.RoundTripper) (chat.Model, error) {
	model := chat.Model{ContextTokens: upstream.ContextTokens}
	if upstream.BaseURL == "" || upstream.Builtin() {
		model.Model, model.Builtin = builtin.New(), true
		return model, nil
	}
	first, err := newOpenAI(settings, upstream, transport)
	if err != nil {
		return model, fmt.Errorf("model %q: %w", upstream.Model, err)
	}
	model.Model = first
	model.DeepThinking = upstream.Thinking != string(openai.DialectNone) || upstream.ThinkingModel != ""
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

func newOpenAI(settings config.AI, upstream config.Upstream, transport http.RoundTripper) (*openai.Client, error) {
	return openai.New(openai.Config{
		BaseURL:       upstream.BaseURL.Reveal(),
		APIKey:        upstream.APIKey.Reveal(),
		Model:         upstream.Model,
		ThinkingModel: upstream.ThinkingModel,
		Thinking:      openai.Dialect(upstream.Thinking),
		IdleTimeout:   settings.IdleTimeout,
		MaxTime:       settings.MaxTime,
		MaxReply:      int(settings.MaxReply),
		Transport:     transport,
	})
}

// findOllama returns the requested model of a local Ollama, or its first model if none is requested. It returns "" if
// Ollama does not respond at once or has no model.
func findOllama(ctx context.Context, address, wanted string) string {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/api/tags", nil)
	if err != nil {
		return ""
	}
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&tags) != nil || len(tags.Models) == 0 {
		return ""
	}
	return cmp.Or(wanted, tags.Models[0].Name)
}
