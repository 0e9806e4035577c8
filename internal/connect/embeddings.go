package connect

import (
	"fmt"
	"time"

	"parley/internal/config"
	"parley/internal/embed"
)

// embedTimeout bounds a request for the vectors of several passages. A model on a CPU is slow.
const embedTimeout = time.Minute

// NewEmbeddings returns the client of the embeddings server, or nil if there is none.
func NewEmbeddings(settings *config.Settings) (*embed.Client, error) {
	if settings.Embed.BaseURL == "" {
		return nil, nil
	}
	client, err := embed.New(embed.Config{
		BaseURL: settings.Embed.BaseURL.Reveal(),
		APIKey:  settings.Embed.APIKey.Reveal(),
		Model:   settings.Embed.Model,
		Timeout: embedTimeout,
	})
	if err != nil {
		return nil, fmt.Errorf("PARLEY_EMBED_BASE_URL: %w", err)
	}
	return client, nil
}

// EmbeddingsName describes the embeddings server in a few words.
func EmbeddingsName(settings *config.Settings) string {
	if settings.Embed.BaseURL == "" {
		return "none"
	}
	return fmt.Sprintf("%s at %s", settings.Embed.Model, settings.Embed.BaseURL)
}
