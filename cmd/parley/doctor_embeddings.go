package main

import (
	"context"
	"fmt"

	"parley/internal/config"
	"parley/internal/connect"
	"parley/internal/doctor"
	"parley/internal/library"
	"parley/internal/store"
)

// checkEmbeddings requests one vector and counts the files without vectors.
func checkEmbeddings(ctx context.Context, settings *config.Settings) doctor.Check {
	const name = "embeddings"
	client, err := connect.NewEmbeddings(settings)
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
		return doctor.Failed(name, fmt.Errorf("%s: %w", connect.EmbeddingsName(settings), err),
			"check the PARLEY_EMBED_ settings, and that the server runs; until then passages are found by words alone")
	}
	dimension := len(result.Vectors[0])
	detail := fmt.Sprintf("%s responds, with %d dimensions", connect.EmbeddingsName(settings), dimension)
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
