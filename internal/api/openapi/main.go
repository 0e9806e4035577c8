// Command openapi prints the API's document, for the types of the web client.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"parley/internal/api"
	"parley/internal/metrics"
)

func main() {
	answer := httptest.NewRecorder()
	api.New(api.Config{Log: slog.New(slog.DiscardHandler), Metrics: metrics.New()}).
		ServeHTTP(answer, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/openapi.json", nil))
	fmt.Println(answer.Body.String())
}
