package tracing

import (
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// The JSON form of OTLP's ExportTraceServiceRequest, with the fields that our spans use. OTLP encodes 64-bit
// numbers as strings.
type (
	message struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resourceJSON `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resourceJSON struct {
		Attributes []keyValue `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	scope struct {
		Name string `json:"name"`
	}
	span struct {
		TraceID    string     `json:"traceId"`
		SpanID     string     `json:"spanId"`
		ParentID   string     `json:"parentSpanId,omitempty"`
		Name       string     `json:"name"`
		Kind       int        `json:"kind"`
		Start      string     `json:"startTimeUnixNano"`
		End        string     `json:"endTimeUnixNano"`
		Attributes []keyValue `json:"attributes,omitempty"`
		Status     status     `json:"status"`
	}
	status struct {
		Code int `json:"code,omitempty"`
	}
	keyValue struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
	}
)

// statusError is OTLP's status code for errors. It differs from the SDK's.
const statusError = 2

// encode encodes spans. There has to be at least one. All have the same resource and scope, because there is only one
// tracer.
func encode(spans []sdk.ReadOnlySpan) message {
	encoded := make([]span, len(spans))
	for i, s := range spans {
		encoded[i] = encodeSpan(s)
	}
	return message{[]resourceSpans{{
		Resource:   resourceJSON{encodeAttributes(spans[0].Resource().Attributes())},
		ScopeSpans: []scopeSpans{{Scope: scope{spans[0].InstrumentationScope().Name}, Spans: encoded}},
	}}}
}

func encodeSpan(s sdk.ReadOnlySpan) span {
	encoded := span{
		TraceID:    s.SpanContext().TraceID().String(),
		SpanID:     s.SpanContext().SpanID().String(),
		Name:       s.Name(),
		Kind:       int(s.SpanKind()),
		Start:      nanoseconds(s.StartTime()),
		End:        nanoseconds(s.EndTime()),
		Attributes: encodeAttributes(s.Attributes()),
	}
	if s.Parent().HasSpanID() {
		encoded.ParentID = s.Parent().SpanID().String()
	}
	if s.Status().Code == codes.Error {
		encoded.Status.Code = statusError
	}
	return encoded
}

func encodeAttributes(attributes []attribute.KeyValue) []keyValue {
	encoded := make([]keyValue, len(attributes))
	for i, a := range attributes {
		encoded[i].Key = string(a.Key)
		text := a.Value.String()
		if a.Value.Type() == attribute.INT64 {
			encoded[i].Value.Int = &text
		} else {
			encoded[i].Value.String = &text
		}
	}
	return encoded
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
