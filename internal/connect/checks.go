package connect

import (
	"context"
	"net/http"

	"parley"
	"parley/internal/admin"
	"parley/internal/ai"
	"parley/internal/ai/openai"
	"parley/internal/config"
	"parley/internal/websearch"
)

// checkedModels returns the models on offer with the checks of their servers. Models on the same server share its
// check.
func checkedModels(settings config.AI, upstreams []config.NamedUpstream, transport http.RoundTripper) []admin.Model {
	known := map[serverIdentity]*admin.Server{}
	models := make([]admin.Model, len(upstreams))
	for i, offer := range upstreams {
		models[i] = admin.Model{Name: offer.Name, Model: offer.Model}
		for _, upstream := range allServersOf(offer.Upstream) {
			id := identityOf(upstream)
			if known[id] == nil {
				known[id] = &admin.Server{Check: func(ctx context.Context) string {
					client, err := NewClient(settings, upstream, false, transport)
					if err == nil {
						var listing openai.Listing
						if listing, err = client.Check(ctx); err == nil && listing == openai.Unlisted {
							return parley.ReasonUnlisted
						}
					}
					return reasonOf(err, ai.ReasonOf)
				}}
			}
			models[i].Servers = append(models[i].Servers, known[id])
		}
		if len(models[i].Servers) == 0 {
			models[i].Model = "built-in"
		}
	}
	return models
}

// CheckedSearch returns the web-search service with its check, if there is a service.
func CheckedSearch(settings config.Search, engine websearch.Engine) admin.Search {
	if engine == nil {
		return admin.Search{}
	}
	return admin.Search{Provider: settings.Provider, Check: func(ctx context.Context) string {
		_, err := TrySearch(ctx, engine)
		return reasonOf(err, websearch.ReasonOf)
	}}
}

// reasonOf returns the reason of an error, or "" if there is none.
func reasonOf(err error, reason func(error) string) string {
	if err == nil {
		return ""
	}
	return reason(err)
}
