package main

import (
	"parley/internal/config"
	"parley/internal/websearch"
)

func newSearch(settings *config.Settings) (websearch.Engine, error) {
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

func searchName(settings *config.Settings) string {
	if settings.Search.Provider == "" {
		return "none"
	}
	return settings.Search.Provider
}
