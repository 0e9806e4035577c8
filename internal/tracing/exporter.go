package tracing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// maxAnswer is how much of a receiver's answer is read, so that its connection can be
// used again.
const maxAnswer = 64 << 10

// exporter posts spans as OTLP's JSON. It is used by one goroutine at a time.
type exporter struct {
	*receiver
	log     *slog.Logger
	client  *http.Client
	failing bool
}

func newExporter(to *receiver, log *slog.Logger) *exporter {
	return &exporter{receiver: to, log: log, client: &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: maxAnswer},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ExportSpans implements the SDK's exporter. Spans that can't be sent are dropped: the
// log tells when that begins and when it is over, and nobody else has to know.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.send(ctx, spans)
	switch {
	case err != nil && !e.failing:
		e.log.Warn("traces can't be sent, and are dropped", "error", err)
	case err == nil && e.failing:
		e.log.Info("traces are sent again")
	}
	e.failing = err != nil
	return nil
}

// Shutdown implements the SDK's exporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

func (e *exporter) send(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body, err := json.Marshal(encode(spans))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address can't be used")
	}
	request.Header = e.header.Clone()
	request.Header.Set("Content-Type", "application/json")
	response, err := e.client.Do(request)
	if err != nil {
		var about *url.Error
		if errors.As(err, &about) {
			err = about.Err // without the address, which may hold a password
		}
		return err
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer)
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answers HTTP %d", response.StatusCode)
	}
	return nil
}
