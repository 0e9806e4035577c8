package embed

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/internal/embed/embedtest"
)

func newTestClient(t *testing.T, url string, timeout time.Duration) *Client {
	t.Helper()
	client, err := New(Config{BaseURL: url, APIKey: "hush", Model: "m", Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func TestVectorsAreInTheOrderOfTheTexts(t *testing.T) {
	server := embedtest.New(t)
	client := newTestClient(t, server.URL+"/", time.Minute)
	result, err := client.Embed(t.Context(), []string{"a boat", "a dog", "a ferry"})
	if err != nil {
		t.Fatal(err)
	}
	vectors := result.Vectors
	product := func(a, b Vector) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	if len(vectors) != 3 || len(vectors[0]) != embedtest.DefaultDimension {
		t.Fatalf("the vectors are %v", vectors)
	}
	if length := product(vectors[0], vectors[0]); math.Abs(length-1) > 1e-5 {
		t.Errorf("the length is %v", length)
	}
	if near, far := product(vectors[0], vectors[2]), product(vectors[0], vectors[1]); near < 0.9 || far > 0.5 {
		t.Errorf("a boat and a ferry: %v, a boat and a dog: %v", near, far)
	}
	if model, key := server.Last(); model != "m" || key != "Bearer hush" {
		t.Errorf("the server got %q and %q", model, key)
	}
}

func TestTheIndexDecidesTheOrder(t *testing.T) {
	client := newTestClient(t, answering(t, http.StatusOK,
		`{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,0]}]}`), time.Minute)
	result, err := client.Embed(t.Context(), []string{"a", "b"})
	if err != nil || result.Vectors[0][0] != 1 || result.Vectors[1][1] != 1 || result.Tokens != 0 {
		t.Errorf("got %v, %v", result, err)
	}
}

func TestTheTokensAreThoseOfTheServer(t *testing.T) {
	for usage, want := range map[string]int64{
		`{"prompt_tokens":7,"total_tokens":7}`: 7, `{"total_tokens":9}`: 9, `{"prompt_tokens":-1}`: 0, `"many"`: 0, `null`: 0,
		`{"prompt_tokens":99999999999}`: 0,
	} {
		client := newTestClient(t, answering(t, http.StatusOK, `{"data":[{"embedding":[1]}],"usage":`+usage+`}`), time.Minute)
		if got, err := client.Embed(t.Context(), []string{"a"}); err != nil || got.Tokens != want {
			t.Errorf("of %s: %d, %v; want %d", usage, got.Tokens, err, want)
		}
	}
}

// answering starts a server that sends one response.
func answering(t *testing.T, status int, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "7")
		}
		if status == http.StatusFound {
			w.Header().Set("Location", "http://127.0.0.1:1/hush")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     int
		says       string
		texts      bool
		retryAfter time.Duration
	}{
		{name: "no vectors", body: `{"data":[]}`, says: "0 vectors for 2 texts", texts: true},
		{name: "fewer", body: `{"data":[{"embedding":[1,0]}]}`, says: "1 vectors for 2 texts", texts: true},
		{name: "NaN", body: `{"data":[{"embedding":[NaN]},{"embedding":[1]}]}`, says: "not of an", texts: true},
		{name: "null", body: `{"data":[{"embedding":null},{"embedding":[1]}]}`, says: "no direction", texts: true},
		{name: "zero", body: `{"data":[{"embedding":[0,0]},{"embedding":[1,0]}]}`, says: "no direction", texts: true},
		{name: "dimensions", body: `{"data":[{"embedding":[1,0]},{"embedding":[1]}]}`, says: "differ", texts: true},
		{
			name: "twice", body: `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`,
			says: "not those", texts: true,
		},
		{
			name: "out of range", body: `{"data":[{"index":5,"embedding":[1]},{"index":0,"embedding":[1]}]}`,
			says: "not those", texts: true,
		},
		{name: "a page", body: `<html>`, says: "not of an", texts: true},
		{name: "refused texts", status: http.StatusBadRequest, body: "hush", says: "HTTP 400", texts: true},
		{name: "key", status: http.StatusUnauthorized, body: "hush", says: "key was refused"},
		{name: "model", status: http.StatusNotFound, says: "no such address or model"},
		{name: "busy", status: http.StatusTooManyRequests, says: "too many", retryAfter: 7 * time.Second},
		{name: "broken", status: http.StatusBadGateway, says: "server failed"},
		{name: "elsewhere", status: http.StatusFound, says: "redirected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status := c.status
			if status == 0 {
				status = http.StatusOK
			}
			client := newTestClient(t, answering(t, status, c.body), time.Minute)
			_, err := client.Embed(t.Context(), []string{"hush text", "other"})
			var failure *Failure
			if !errors.As(err, &failure) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hush") {
				t.Fatalf("got %v", err)
			}
			if failure.Texts != c.texts || failure.RetryAfter != c.retryAfter {
				t.Errorf("got %+v", failure)
			}
		})
	}
}

func TestAServerThatDoesNotRespond(t *testing.T) {
	server := embedtest.New(t)
	server.Respond(func(_ http.ResponseWriter, r *http.Request, _ []string) bool {
		<-r.Context().Done()
		return true
	})
	_, err := newTestClient(t, server.URL, time.Millisecond).Embed(t.Context(), []string{"a"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("slow: %v", err)
	}
	_, err = newTestClient(t, "http://127.0.0.1:1/v1", time.Minute).Embed(t.Context(), []string{"a"})
	if err == nil || !strings.Contains(err.Error(), "can't be reached") {
		t.Errorf("down: %v", err)
	}
}
