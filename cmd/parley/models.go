package main

import (
	"cmp"
	"context"
	"fmt"
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

// ollamaTimeout limits the search for a local Ollama.
const ollamaTimeout = 500 * time.Millisecond

// minContext is the smallest context size that is believed.
const minContext = 256

// defaultContext is the context size of a model whose server does not tell it.
const defaultContext = 32_000

// describeTimeout limits how long a model server is asked for a context size.
const describeTimeout = time.Second

// chooseModels returns the three available models and a short description of the default one. Without a configured
// server it uses a local Ollama if that has a model, and otherwise the built-in model.
func chooseModels(ctx context.Context, settings config.AI) (chat.Models, string, error) {
	local, about := findLocal(ctx, settings)
	chooser := modelChooser{settings: settings, transport: openai.NewTransport(), contexts: map[string]int{}}
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
		if upstream.BaseURL == "" && local.Name != "" {
			upstream = onOllama(upstream, local)
		}
		model, err := chooser.choose(ctx, upstream)
		if err != nil {
			return nil, "", err
		}
		model.Name = choice.name
		models = append(models, model)
	}
	if !models[0].Builtin {
		about += fmt.Sprintf(", %d tokens of context", models[0].ContextTokens)
	}
	return models, about, nil
}

// findLocal looks for a model of a local Ollama if no server is configured, and describes the default model.
func findLocal(ctx context.Context, settings config.AI) (openai.OllamaModel, string) {
	upstream := settings.Default
	switch {
	case upstream.Builtin():
		return openai.OllamaModel{}, "built-in"
	case upstream.BaseURL != "":
		return openai.OllamaModel{}, fmt.Sprintf("%s at %s", upstream.Model, upstream.BaseURL)
	}
	ctx, cancel := context.WithTimeout(ctx, ollamaTimeout)
	defer cancel()
	local, found := openai.NewOllama(ollamaAddress).Find(ctx, upstream.Model)
	switch {
	case found:
		return local, fmt.Sprintf("%s at %s (Ollama)", local.Name, ollamaAddress)
	case upstream.Model != "":
		return local, fmt.Sprintf("built-in, since no Ollama at %s has %s; "+
			"set PARLEY_AI_BASE_URL to the address of its server", ollamaAddress, upstream.Model)
	}
	return local, "built-in (to use a real one set PARLEY_AI_BASE_URL and PARLEY_AI_MODEL)"
}

// onOllama returns an upstream on the local Ollama. A model that was not asked for its abilities is the found one.
func onOllama(upstream config.Upstream, local openai.OllamaModel) config.Upstream {
	upstream.BaseURL, upstream.Thinking = ollamaAddress+"/v1", string(openai.DialectOllama)
	if upstream.Model == "" || upstream.Model == local.Name {
		upstream.Model = local.Name
		upstream.ContextTokens = cmp.Or(upstream.ContextTokens, local.ContextTokens)
		if !local.Thinks && upstream.ThinkingModel == "" {
			upstream.Thinking = string(openai.DialectNone)
		}
	}
	return upstream
}

// modelChooser makes models of settings.
type modelChooser struct {
	settings  config.AI
	transport http.RoundTripper
	contexts  map[string]int // of servers that were asked, by address and model
}

// choose returns a model on a server, with its fallback if it has one, or the built-in model.
func (c *modelChooser) choose(ctx context.Context, upstream config.Upstream) (chat.Model, error) {
	if upstream.BaseURL == "" || upstream.Builtin() {
		return chat.Model{
			Model: builtin.New(), Builtin: true, ContextTokens: cmp.Or(upstream.ContextTokens, defaultContext),
		}, nil
	}
	first, err := newOpenAI(c.settings, upstream, c.transport)
	if err != nil {
		return chat.Model{}, fmt.Errorf("model %q: %w", upstream.Model, err)
	}
	model := chat.Model{
		Model:         first,
		MaxTokens:     upstream.MaxTokens,
		Price:         parley.Price(upstream.Price),
		DeepThinking:  upstream.Thinking != string(openai.DialectNone) || upstream.ThinkingModel != "",
		ContextTokens: c.contextTokens(ctx, upstream, first),
	}
	if upstream.Fallback != nil {
		second, err := c.choose(ctx, *upstream.Fallback)
		if err != nil {
			return model, err
		}
		model.Model = ai.Fallback{First: first, Second: second.Model}
		model.ContextTokens = min(model.ContextTokens, second.ContextTokens)
	}
	return model, nil
}

// contextTokens returns the context size of an upstream: the setting, what its server says, or a default.
func (c *modelChooser) contextTokens(ctx context.Context, upstream config.Upstream, client *openai.Client) int {
	if upstream.ContextTokens != 0 {
		return upstream.ContextTokens
	}
	key := upstream.BaseURL.Reveal() + " " + upstream.Model
	tokens, known := c.contexts[key]
	if !known {
		ctx, cancel := context.WithTimeout(ctx, describeTimeout)
		defer cancel()
		tokens = client.ContextTokens(ctx)
		c.contexts[key] = tokens
	}
	if tokens < minContext {
		return defaultContext
	}
	return tokens
}

func newOpenAI(settings config.AI, upstream config.Upstream, transport http.RoundTripper) (*openai.Client, error) {
	return openai.New(openai.Config{
		BaseURL:       upstream.BaseURL.Reveal(),
		APIKey:        upstream.APIKey.Reveal(),
		Model:         upstream.Model,
		ThinkingModel: upstream.ThinkingModel,
		Thinking:      openai.Dialect(upstream.Thinking),
		Headers:       reveal(upstream.Headers),
		Body:          upstream.Body,
		MaxTokens:     upstream.MaxTokens,
		IdleTimeout:   settings.IdleTimeout,
		MaxTime:       settings.MaxTime,
		MaxReply:      int(settings.MaxReply),
		Transport:     transport,
	})
}

func reveal(headers map[string]config.Secret) map[string]string {
	plain := make(map[string]string, len(headers))
	for name, value := range headers {
		plain[name] = value.Reveal()
	}
	return plain
}
