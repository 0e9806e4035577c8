package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/ai/openai"
	"parley/internal/ai/pool"
	"parley/internal/config"
	"parley/internal/metrics"
)

// ollamaAddress is the default address of Ollama.
const ollamaAddress = "http://127.0.0.1:11434"

// ollamaTimeout limits the search for a local Ollama.
const ollamaTimeout = 500 * time.Millisecond

// modelSet holds the models on offer.
type modelSet struct {
	offers ai.Offers
	// about describes the default model in a few words.
	about string
	pools []*pool.Pool
	// upstreams says where each model runs, in the same order.
	upstreams []config.NamedUpstream
}

// chooseModels returns the models on offer. If no server is configured, it uses a local Ollama that has a model, or
// else the built-in model.
func chooseModels(ctx context.Context, settings config.AI, log *slog.Logger) (modelSet, error) {
	local, about := findLocal(ctx, settings)
	chooser := newModelChooser(settings, log)
	var models ai.Offers
	var upstreams []config.NamedUpstream
	for _, choice := range offered(settings) {
		upstream := choice.Upstream
		if upstream.BaseURL == "" && local.Name != "" {
			upstream = onOllama(upstream, local)
		}
		model, err := chooser.choose(ctx, upstream)
		if err != nil {
			return modelSet{}, err
		}
		model.Name = choice.Name
		models = append(models, model)
		upstreams = append(upstreams, config.NamedUpstream{Name: choice.Name, Upstream: upstream})
	}
	if !models[0].Builtin {
		about += fmt.Sprintf(", %d tokens of context", models[0].ContextTokens)
	}
	return modelSet{offers: models, about: about, pools: chooser.pools, upstreams: upstreams}, nil
}

// see reports whether any of the models sees pictures.
func (s modelSet) see() bool {
	return slices.ContainsFunc(s.offers, func(m ai.Offer) bool { return m.Images })
}

// run checks the servers of all models until ctx ends.
func (s modelSet) run(ctx context.Context) {
	var all sync.WaitGroup
	for _, p := range s.pools {
		all.Go(func() { p.Run(ctx) })
	}
	all.Wait()
}

// states returns the states of all servers.
func (s modelSet) states() []metrics.ServerState {
	var states []metrics.ServerState
	for _, p := range s.pools {
		for _, server := range p.States() {
			states = append(states, metrics.ServerState(server))
		}
	}
	return states
}

// offered returns the models on offer, the default first.
func offered(settings config.AI) []config.NamedUpstream {
	return append([]config.NamedUpstream{
		{Name: settings.DefaultName, Upstream: settings.Default},
		{Name: parley.ModelBasic, Upstream: settings.Basic},
		{Name: parley.ModelEnhanced, Upstream: settings.Enhanced},
	}, settings.Added...)
}

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
