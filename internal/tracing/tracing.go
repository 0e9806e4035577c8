// Package tracing sends spans to an OpenTelemetry collector. Spans hold ids, routes and codes, but nothing that
// users write.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"parley"
)

// Tracer starts spans. A nil Tracer starts none and costs nothing.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// New returns a tracer configured by the OTEL variables, or nil if they disable traces. The SDK itself reads the
// variables for sampling and batches.
func New(ctx context.Context, getenv func(string) string, version string, log *slog.Logger) (*Tracer, error) {
	receiver, err := receiverFrom(getenv)
	if err != nil || receiver == nil {
		return nil, err
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(
			attribute.String("service.name", "parley"),
			attribute.String("service.version", version),
		),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithResource(about), sdk.WithBatcher(newExporter(receiver, log)))
	return &Tracer{provider: provider, tracer: provider.Tracer("parley")}, nil
}

// Close sends the remaining spans, until ctx ends.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Request starts the span of a request. It continues the trace in the header's traceparent.
func (t *Tracer) Request(ctx context.Context, header http.Header) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(header))
	return t.start(ctx, "request", trace.SpanKindServer)
}

// Start starts a child of the span in ctx.
func (t *Tracer) Start(ctx context.Context, name string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return t.start(ctx, name, trace.SpanKindInternal)
}

// Call starts the span of a call to another service.
func (t *Tracer) Call(ctx context.Context, name string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return t.start(ctx, name, trace.SpanKindClient)
}

func (t *Tracer) start(ctx context.Context, name string, kind trace.SpanKind) (context.Context, *Span) {
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(kind))
	return ctx, &Span{span: span}
}

// Within returns ctx with the span of other, for work that outlives other.
func Within(ctx, other context.Context) context.Context {
	if parent := trace.SpanContextFromContext(other); parent.IsValid() {
		return trace.ContextWithSpanContext(ctx, parent)
	}
	return ctx
}

// Span is an operation. The methods of a nil Span do nothing.
type Span struct {
	span trace.Span
}

// Name renames the span.
func (s *Span) Name(name string) {
	if s != nil {
		s.span.SetName(name)
	}
}

// Text adds a string attribute.
func (s *Span) Text(key, value string) {
	if s != nil {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// Number adds an integer attribute.
func (s *Span) Number(key string, value int64) {
	if s != nil {
		s.span.SetAttributes(attribute.Int64(key, value))
	}
}

// Failed marks the span as an error.
func (s *Span) Failed() {
	if s != nil {
		s.span.SetStatus(codes.Error, "")
	}
}

// End ends the span. It records the code of err, never its text.
func (s *Span) End(err error) {
	if s == nil {
		return
	}
	var known *parley.Error
	if errors.As(err, &known) {
		s.Number("parley.code", int64(known.Code))
	}
	if err != nil {
		s.Failed()
	}
	s.span.End()
}
