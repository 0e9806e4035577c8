package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"parley/client"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// request is a recorded request.
type request struct {
	Method string
	URI    string
	Body   string
	Header http.Header
}

// serve runs a server with one handler and returns a client of it with the token "secret".
func serve(t *testing.T, handler http.HandlerFunc) *client.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return client.New(server.URL+"/", client.WithHTTPClient(server.Client()), client.WithToken("secret"))
}

// responding runs a server that sends one response and records the last request.
func responding(t *testing.T, status int, answer string) (*client.Client, *request) {
	t.Helper()
	last := new(request)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		*last = request{Method: r.Method, URI: r.RequestURI, Body: string(body), Header: r.Header.Clone()}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}), last
}

// success wraps a body in the envelope; an empty one is left out.
func success(body string) string {
	if body != "" {
		body = `"body":` + body + `,`
	}
	return `{"error":0,` + body + `"message":"ok","success":true}`
}
