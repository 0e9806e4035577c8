// Command openapi prints the OpenAPI document of the API. It is committed as openapi.json, from which the types of the
// TypeScript client are made. With the argument reference it prints docs/api.md, which is made from it too.
package main

import (
	"fmt"
	"log/slog"
	"os"

	"parley/internal/api"
	"parley/internal/api/reference"
	"parley/internal/metrics"
)

func main() {
	text, err := string(document()), error(nil)
	if len(os.Args) > 1 && os.Args[1] == "reference" {
		text, err = reference.Page(document())
	}
	if err == nil {
		_, err = os.Stdout.WriteString(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func document() []byte {
	a := api.New(api.Config{Log: slog.New(slog.DiscardHandler), Metrics: metrics.New()})
	return append(a.OpenAPI(), '\n')
}
