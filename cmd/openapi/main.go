// Command openapi prints the OpenAPI document of the API. The web client's types are generated from it.
package main

import (
	"fmt"
	"log/slog"

	"parley/internal/api"
	"parley/internal/metrics"
)

func main() {
	a := api.New(api.Config{Log: slog.New(slog.DiscardHandler), Metrics: metrics.New()})
	fmt.Println(string(a.OpenAPI()))
}
