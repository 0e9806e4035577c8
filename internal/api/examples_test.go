package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/client"
)

// TestEverySuccessHasAnExample checks that each form of a success has an example. TestTheDocumentIsValid checks the
// examples against their schemas.
func TestEverySuccessHasAnExample(t *testing.T) {
	d := mustDocument(t)
	for key, op := range d.operations {
		for kind, media := range op.Operation.Responses.Value("200").Value.Content {
			if media.Example == nil {
				t.Errorf("%s: %s has no example", key, kind)
				continue
			}
			// The schemas of the document allow unknown fields. The schemas of this test do not.
			if err := media.Schema.Value.VisitJSON(media.Example); err != nil {
				t.Errorf("%s: the example of %s: %v", key, kind, err)
			}
		}
	}
}

// TestTheExampleOfAStreamIsOne checks that the client can read the example.
func TestTheExampleOfAStreamIsOne(t *testing.T) {
	media := mustDocument(t).operations["POST /api/chat/stream"].Operation.Responses.Value("200").Value.
		Content["text/event-stream"]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, media.Example.(string))
	}))
	defer server.Close()
	stream, err := client.New(server.URL, client.WithHTTPClient(server.Client())).Follow(t.Context(), "id", "")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var text strings.Builder
	for event, err := range stream.Events() {
		if err != nil {
			t.Fatal(err)
		}
		switch e := event.(type) {
		case client.Delta:
			text.WriteString(e.Text)
		case client.Done:
			if e.AIResponse.Content != text.String() || e.AIResponse.ID == "" {
				encoded, _ := json.Marshal(e)
				t.Errorf("the pieces are %q, and the end is %s", text.String(), encoded)
			}
		}
	}
	if text.Len() == 0 || stream.LastEventID() != "1.0.46" {
		t.Errorf("text %q, last id %s", text.String(), stream.LastEventID())
	}
}
