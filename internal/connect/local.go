package connect

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"parley/internal/ai/openai"
	"parley/internal/config"
)

// ollamaAddress is the default address of Ollama.
const ollamaAddress = "http://127.0.0.1:11434"

// ollamaTimeout limits the search for a local Ollama.
const ollamaTimeout = 500 * time.Millisecond

// findLocal looks for a local Ollama with a model if no server is configured. It also returns a description of the
// default model.
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

// onOllama returns an upstream on the local Ollama. The abilities are known only of the model that findLocal found.
func onOllama(upstream config.Upstream, local openai.OllamaModel) config.Upstream {
	upstream.BaseURL, upstream.Thinking = ollamaAddress+"/v1", string(openai.DialectOllama)
	if upstream.Model == "" || local.Is(upstream.Model) {
		upstream.Model = local.Name
		upstream.ContextTokens = cmp.Or(upstream.ContextTokens, local.ContextTokens)
		if !local.Thinks && upstream.ThinkingModel == "" {
			upstream.Thinking = string(openai.DialectNone)
		}
	}
	return upstream
}
