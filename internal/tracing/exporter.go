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

// maxResponse limits how much of a response is read. Reading to the end makes the connection reusable.
const maxResponse = 64 << 10

// exporter posts spans as OTLP in JSON. It is not safe for concurrent use.
type exporter struct {
	receiver *receiver
	log      *slog.Logger
	client   *http.Client
	failing  bool
}

func newExporter(receiver *receiver, log *slog.Logger) *exporter {
	client := &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			ForceAttemptHTTP2:      true,
			MaxResponseHeaderBytes: maxResponse,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &exporter{receiver: receiver, log: log, client: client}
}

// ExportSpans implements the SDK's exporter. Spans that can't be sent are dropped. It logs the first failure and
// the first success after it.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.send(ctx, spans)
	switch {
	case err != nil && !e.failing:
		e.log.Warn("send traces", "error", err)
	case err == nil && e.failing:
		e.log.Info("send traces: succeeded again")
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
	ctx, cancel := context.WithTimeout(ctx, e.receiver.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.receiver.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("invalid URL")
	}
	req.Header = e.receiver.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	res, err := e.client.Do(req)
	if err != nil {
		var withURL *url.Error
		if errors.As(err, &withURL) {
			err = withURL.Err // without the URL, which may hold a password
		}
		return err
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, maxResponse)
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver responded with HTTP %d", res.StatusCode)
	}
	return nil
}
