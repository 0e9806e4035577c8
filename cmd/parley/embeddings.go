package main

import (
	"context"
	"fmt"
	"time"

	"parley/internal/config"
	"parley/internal/doctor"
	"parley/internal/embed"
	"parley/internal/library"
	"parley/internal/store"
)

// embedTimeout bounds a request for the vectors of several passages. A model on a CPU is slow.
const embedTimeout = time.Minute

// newEmbeddings returns the client of the embeddings server, or nil if there is none.
func newEmbeddings(settings *config.Settings) (*embed.Client, error) {
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

func embeddingsName(settings *config.Settings) string {
	if settings.Embed.BaseURL == "" {
		return "none"
	}
	return fmt.Sprintf("%s at %s", settings.Embed.Model, settings.Embed.BaseURL)
}

// checkEmbeddings requests one vector and counts the files without vectors.
func checkEmbeddings(ctx context.Context, settings *config.Settings) doctor.Check {
	const name = "embeddings"
	client, err := newEmbeddings(settings)
	if err != nil {
		return doctor.Failed(name, err, "check the PARLEY_EMBED_ settings")
	}
	if client == nil {
		return doctor.Check{Name: name, Status: doctor.OK, Detail: "not set up: passages are found by words alone"}
	}
	defer client.Close()
	probing, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	result, err := client.Embed(probing, []string{"weather"})
	if err != nil {
		return doctor.Failed(name, fmt.Errorf("%s: %w", embeddingsName(settings), err),
			"check the PARLEY_EMBED_ settings, and that the server runs; until then passages are found by words alone")
	}
	dimension := len(result.Vectors[0])
	detail := fmt.Sprintf("%s responds, with %d dimensions", embeddingsName(settings), dimension)
	check := doctor.Check{Name: name, Status: doctor.OK, Detail: detail}
	database, err := store.Attach(ctx, settings.Store.Data, settings.Store.DatabaseURL.Reveal())
	if err != nil {
		return check // the check of the database reports the error
	}
	defer database.Close() //nolint:errcheck // nothing was written
	without, all, err := database.CountFilesWithoutVectors(ctx, library.VectorsBy(client.Model(), dimension))
	if err != nil {
		return doctor.Failed(name, err, "see the check of the database")
	}
	check.Detail += fmt.Sprintf("; %d of %d files without vectors", without, all)
	if without > 0 {
		check.Advice = "a running server makes them in the background; its log says why if it can't"
	}
	return check
}
