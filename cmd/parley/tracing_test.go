package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

type attribute struct{ Key string }

// traced is the part of a span that the test checks.
type traced struct {
	TraceID      string `json:"traceId"`
	SpanID       string `json:"spanId"`
	ParentSpanID string `json:"parentSpanId"`
	Attributes   []attribute
	Name         string `json:"name"`
}

// TestASendIsTracedFromTheCallerToTheModel runs a receiver of OTLP over HTTP. It also checks that no span contains
// the text of messages.
func TestASendIsTracedFromTheCallerToTheModel(t *testing.T) {
	t.Parallel()
	const trace, caller = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	spans := make(chan traced, 64)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var message struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []traced } }
		}
		err := json.Unmarshal(body, &message)
		if err != nil || r.URL.Path != "/v1/traces" || strings.Contains(string(body), "private") ||
			strings.Contains(string(body), "ada@") {
			t.Errorf("%s: %v, %s", r.URL.Path, err, body)
			return
		}
		for _, span := range message.ResourceSpans[0].ScopeSpans[0].Spans {
			select {
			case spans <- span:
			case <-r.Context().Done():
			}
		}
	}))
	t.Cleanup(collector.Close)
	model := aitest.New(t)
	model.Script(aitest.Say("a private answer")...)
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL="+model.URL, "PARLEY_AI_MODEL=m",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "OTEL_BSP_SCHEDULE_DELAY=20")
	ada := p.user("ada")
	c := client.New(p.url, client.WithToken(ada.Token()),
		client.WithHTTPClient(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			r.Header.Set("Traceparent", "00-"+trace+"-"+caller+"-01")
			return http.DefaultTransport.RoundTrip(r)
		})}))
	sessionID := session(t, ada)
	stream, err := c.Stream(t.Context(), parley.SendInput{SessionID: sessionID, Content: "a private question"})
	must(t, err)
	_, err = stream.Wait()
	must(t, err)
	must(t, stream.Close())

	found := map[string]traced{}
	for len(found) < 3 {
		select {
		case span := <-spans:
			if span.TraceID == trace {
				found[span.Name] = span
			}
		case <-time.After(patience):
			t.Fatalf("only these came: %+v", found)
		}
	}
	request, turn, call := found["POST /api/chat/stream"], found["turn"], found["model"]
	if request.ParentSpanID != caller || turn.ParentSpanID != request.SpanID || call.ParentSpanID != turn.SpanID ||
		request.SpanID == "" {
		t.Errorf("the spans have the wrong parents: %+v", found)
	}
	for _, name := range []string{"gen_ai.request.model", "parley.input_tokens", "parley.output_tokens"} {
		if !slices.ContainsFunc(call.Attributes, func(a attribute) bool { return a.Key == name }) {
			t.Errorf("the model's span has %+v, not %s", call.Attributes, name)
		}
	}
}
