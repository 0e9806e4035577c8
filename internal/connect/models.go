// Package connect makes the connections to other services: model servers, web search and embeddings.
package connect

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"parley"
	"parley/internal/admin"
	"parley/internal/ai"
	"parley/internal/ai/openai"
	"parley/internal/ai/pool"
	"parley/internal/config"
	"parley/internal/metrics"
)

// Models are the models on offer.
type Models struct {
	Offers ai.Offers
	// About describes the default model in a few words.
	About string
	// Checked are the models with the checks of their servers.
	Checked []admin.Model
	// upstreams says where each model runs, in the same order.
	upstreams []config.NamedUpstream
	pools     []*pool.Pool
}

// NewModels returns the models on offer. If no server is configured, it uses a local Ollama that has a model, or
// else the built-in model.
func NewModels(ctx context.Context, settings config.AI, log *slog.Logger) (Models, error) {
	local, about := findLocal(ctx, settings)
	return newModels(ctx, newMaker(settings, log, openai.NewTransport()), local, about)
}

// newModels returns the models on offer. Those without a server are on a local Ollama, or built in.
func newModels(ctx context.Context, maker *maker, local openai.OllamaModel, about string) (Models, error) {
	var models ai.Offers
	var upstreams []config.NamedUpstream
	for _, choice := range Offered(maker.settings) {
		upstream := choice.Upstream
		if upstream.BaseURL == "" && local.Name != "" {
			upstream = onOllama(upstream, local)
		}
		model, err := maker.make(ctx, upstream)
		if err != nil {
			return Models{}, err
		}
		model.Name = choice.Name
		models = append(models, model)
		upstreams = append(upstreams, config.NamedUpstream{Name: choice.Name, Upstream: upstream})
	}
	if !models[0].Builtin {
		about += fmt.Sprintf(", %d tokens of context", models[0].ContextTokens)
	}
	return Models{
		Offers: models, About: about, upstreams: upstreams, pools: maker.pools,
		Checked: checkedModels(maker.settings, upstreams, maker.transport),
	}, nil
}

// See reports whether any of the models sees pictures.
func (m Models) See() bool {
	return slices.ContainsFunc(m.Offers, func(offer ai.Offer) bool { return offer.Images })
}

// Run checks the servers of all models until ctx ends.
func (m Models) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, p := range m.pools {
		all.Go(func() { p.Run(ctx) })
	}
	all.Wait()
}

// States returns the states of all servers.
func (m Models) States() []metrics.ServerState {
	var states []metrics.ServerState
	for _, p := range m.pools {
		for _, server := range p.States() {
			states = append(states, metrics.ServerState(server))
		}
	}
	return states
}

// Offered returns the models on offer, the default first.
func Offered(settings config.AI) []config.NamedUpstream {
	return append([]config.NamedUpstream{
		{Name: settings.DefaultName, Upstream: settings.Default},
		{Name: parley.ModelBasic, Upstream: settings.Basic},
		{Name: parley.ModelEnhanced, Upstream: settings.Enhanced},
	}, settings.Added...)
}
