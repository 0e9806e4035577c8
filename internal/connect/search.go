package connect

import (
	"context"

	"parley/internal/config"
	"parley/internal/websearch"
)

// NewSearch returns the web-search engine, or nil if none is set up.
func NewSearch(settings *config.Settings) (websearch.Engine, error) {
	if settings.Search.Provider == "" {
		return nil, nil
	}
	return websearch.New(websearch.Config{
		Provider: settings.Search.Provider,
		URL:      settings.Search.URL.Reveal(),
		APIKey:   settings.Search.APIKey.Reveal(),
		Timeout:  settings.HTTP.RequestTimeout / 3,
	})
}

// SearchName names the web-search service in a word.
func SearchName(settings *config.Settings) string {
	if settings.Search.Provider == "" {
		return "none"
	}
	return settings.Search.Provider
}

// TrySearch runs one search, to check the service.
func TrySearch(ctx context.Context, engine websearch.Engine) ([]websearch.Result, error) {
	return engine.Search(ctx, "weather")
}
