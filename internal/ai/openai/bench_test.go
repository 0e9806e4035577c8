package openai

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

// pieces returns the words of a reply of 200 chunks. Some of them need escapes.
func pieces() []string {
	words := strings.SplitAfter("The ferry to \"Capri\" leaves\n at 九点 from Naples daily, ", " ")[:10]
	return slices.Repeat(words, 20)
}

// BenchmarkReply reads a reply of 200 chunks without a network.
func BenchmarkReply(b *testing.B) {
	stream := aitest.Stream(pieces()...)
	model := newModel(b, "http://upstream/v1", func(c *Config) {
		c.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(stream))}, nil
		})
	})
	benchmark(b, model)
}

// BenchmarkReplyOverHTTP reads the same reply from a server. The server's allocations are included.
func BenchmarkReplyOverHTTP(b *testing.B) {
	server := httptest.NewServer(aitest.Prepared(pieces()...))
	b.Cleanup(server.Close)
	benchmark(b, newModel(b, server.URL))
}

func benchmark(b *testing.B, model *Client) {
	b.ReportAllocs()
	for b.Loop() {
		chunks := 0
		err := model.Reply(b.Context(), &ai.Prompt{Question: "Which ferry?"}, func(ai.Chunk) { chunks++ })
		if err != nil || chunks != 200 {
			b.Fatalf("%d chunks, error %v", chunks, err)
		}
	}
}
