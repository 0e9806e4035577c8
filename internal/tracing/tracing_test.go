package tracing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// environment returns a getenv for pairs of name and value.
func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestTheVariablesSayWhereSpansGo(t *testing.T) {
	const (
		everything = "OTEL_EXPORTER_OTLP_ENDPOINT"
		traces     = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
		exporter   = "OTEL_TRACES_EXPORTER"
	)
	for _, test := range []struct {
		name string
		set  []string
		want string // the address; empty means no traces
	}{
		{"nothing set", nil, ""},
		{"an address for all signals", []string{everything, "http://c:4318"}, "http://c:4318/v1/traces"},
		{"with a path", []string{everything, "https://c/otlp/"}, "https://c/otlp/v1/traces"},
		{"an address for traces", []string{everything, "http://c:4318", traces, "http://t/x"}, "http://t/x"},
		{"only the exporter", []string{exporter, "otlp"}, "http://localhost:4318/v1/traces"},
		{"no exporter", []string{exporter, "none", everything, "http://c"}, ""},
		{"disabled", []string{"OTEL_SDK_DISABLED", "True", everything, "http://c"}, ""},
	} {
		r, err := receiverFrom(environment(test.set...))
		if err != nil || (r == nil) != (test.want == "") || r != nil && r.url != test.want {
			t.Errorf("%s: %+v, %v", test.name, r, err)
		}
	}
	r, err := receiverFrom(environment(
		everything, "http://c",
		"OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20eA==, x-team = a,",
		"OTEL_EXPORTER_OTLP_TIMEOUT", "250",
	))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(http.Header{"Authorization": {"Basic eA=="}, "X-Team": {"a"}}, r.header); diff != "" {
		t.Error(diff)
	}
	if r.timeout != 250*time.Millisecond {
		t.Errorf("timeout %v", r.timeout)
	}
}

func TestAVariableThatMakesNoSenseIsNamedWithoutItsValue(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_TRACES_EXPORTER":               "hush",
		"OTEL_EXPORTER_OTLP_PROTOCOL":        "grpc",
		"OTEL_EXPORTER_OTLP_ENDPOINT":        "hush:4317",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ftp://hush",
		"OTEL_EXPORTER_OTLP_HEADERS":         "hush",
		"OTEL_EXPORTER_OTLP_TIMEOUT":         "hush",
	} {
		set := []string{name, value}
		if !strings.HasSuffix(name, "EXPORTER") {
			set = append(set, "OTEL_TRACES_EXPORTER", "otlp")
		}
		tracer, err := New(t.Context(), environment(set...), "v", nil)
		if tracer != nil || err == nil || !strings.HasPrefix(err.Error(), name+": ") ||
			strings.Contains(err.Error(), "hush") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

// collector starts a receiver of OTLP over HTTP that responds with status.
func collector(t *testing.T, status int) (*httptest.Server, <-chan message) {
	t.Helper()
	got := make(chan message, 16)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m message
		err := json.NewDecoder(r.Body).Decode(&m)
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" ||
			r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Team") != "a" {
			t.Errorf("got %s %s %v, %v", r.Method, r.URL, r.Header, err)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		got <- m
	}))
	t.Cleanup(server.Close)
	return server, got
}

func newTracer(t *testing.T, url string, log *slog.Logger) *Tracer {
	t.Helper()
	getenv := environment("OTEL_EXPORTER_OTLP_ENDPOINT", url, "OTEL_EXPORTER_OTLP_HEADERS", "x-team=a")
	tracer, err := New(t.Context(), getenv, "v9", log)
	if err != nil {
		t.Fatal(err)
	}
	return tracer
}

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestSpansGoOnWithTheCallersTrace(t *testing.T) {
	server, got := collector(t, http.StatusOK)
	tracer := newTracer(t, server.URL, slog.New(slog.DiscardHandler))
	ctx, request := tracer.Request(t.Context(), http.Header{"Traceparent": {traceparent}})
	ctx, turn := tracer.Start(Within(t.Context(), ctx), "turn")
	_, call := tracer.Call(ctx, "model")
	call.End(errors.New("a secret cause"))
	turn.Text("parley.session", "s")
	turn.Number("parley.attempt", 2)
	turn.End(parley.ErrAIUnavailable.WithCause(errors.New("a secret cause")))
	request.Name("POST /api/chat/send")
	request.End(nil)
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := <-got
	spans := m.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 3 {
		t.Fatalf("got %+v", m)
	}
	const kindInternal, kindServer, kindClient = 1, 2, 3 // OTLP's numbers
	text, number, code := "s", "2", "5001"
	want := []span{
		{ParentID: spans[1].SpanID, Name: "model", Kind: kindClient, Status: status{statusError}},
		{
			ParentID: spans[2].SpanID, Name: "turn", Kind: kindInternal, Status: status{statusError},
			Attributes: []keyValue{
				{"parley.session", value{String: &text}},
				{"parley.attempt", value{Int: &number}},
				{"parley.code", value{Int: &code}},
			},
		},
		{ParentID: "b7ad6b7169203331", Name: "POST /api/chat/send", Kind: kindServer},
	}
	for i := range want {
		want[i].TraceID = "0af7651916cd43dd8448eb211c80319c"
		want[i].SpanID, want[i].Start, want[i].End = spans[i].SpanID, spans[i].Start, spans[i].End
		if len(spans[i].SpanID) != 16 || spans[i].Start == "" || spans[i].End < spans[i].Start {
			t.Errorf("got %+v", spans[i])
		}
	}
	if diff := cmp.Diff(want, spans); diff != "" {
		t.Error(diff)
	}
	about, _ := json.Marshal(m.ResourceSpans[0].Resource)
	for _, part := range []string{
		`{"key":"service.name","value":{"stringValue":"parley"}}`,
		`{"key":"service.version","value":{"stringValue":"v9"}}`,
	} {
		if !strings.Contains(string(about), part) {
			t.Errorf("%s is not in %s", part, about)
		}
	}
}

// TestAReceiverThatFailsIsLoggedOnce sends two batches to a receiver that redirects.
func TestAReceiverThatFailsIsLoggedOnce(t *testing.T) {
	server, got := collector(t, http.StatusTemporaryRedirect)
	var log bytes.Buffer
	address := strings.Replace(server.URL, "http://", "http://user:hush@", 1)
	tracer := newTracer(t, address, slog.New(slog.NewTextHandler(&log, nil)))
	for range 2 {
		_, s := tracer.Start(t.Context(), "x")
		s.End(nil)
		if err := tracer.provider.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-got
	}
	server.Close()
	_, s := tracer.Start(t.Context(), "x")
	s.End(nil)
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := log.String()
	if strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, "the receiver responded with HTTP 307") ||
		strings.Contains(text, "hush") {
		t.Errorf("log\n%s", text)
	}
}

func TestWithoutATracerNothingIsAllocated(t *testing.T) {
	var tracer *Tracer
	header := http.Header{"Traceparent": {traceparent}}
	ctx := context.WithValue(context.Background(), t, t)
	allocations := testing.AllocsPerRun(100, func() {
		asked, request := tracer.Request(ctx, header)
		inner, turn := tracer.Start(Within(ctx, asked), "turn")
		_, call := tracer.Call(inner, "model")
		call.End(parley.ErrAIUnavailable)
		turn.Text("a", "b")
		turn.Number("a", 1<<40)
		turn.End(nil)
		request.Name("x")
		request.Failed()
		request.End(nil)
	})
	if allocations != 0 || tracer.Close(ctx) != nil {
		t.Errorf("%v allocations", allocations)
	}
}
