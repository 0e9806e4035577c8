// Command openapi prints the OpenAPI document of the API. It is committed as openapi.json, from which the types of the
// TypeScript client are made.
package main

import (
	"log/slog"
	"os"

	"parley/internal/api"
	"parley/internal/metrics"
)

func main() {
	if _, err := os.Stdout.Write(document()); err != nil {
		os.Exit(1)
	}
}

func document() []byte {
	a := api.New(api.Config{Log: slog.New(slog.DiscardHandler), Metrics: metrics.New()})
	return append(a.OpenAPI(), '\n')
}
