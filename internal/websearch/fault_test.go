package websearch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
)

// echo returns all of a request that a service could repeat.
func echo(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	return fmt.Sprintf("%s %v %s", r.URL, r.Header, body)
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, echo(r))
	}
}

// hijack returns a handler that calls do with the raw connection.
func hijack(do func(c *net.TCPConn, r *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer func() { _ = c.Close() }()
		do(c.(*net.TCPConn), r)
	}
}

// endless writes piece until the client disconnects.
func endless(w io.Writer, piece string) {
	for {
		if _, err := io.WriteString(w, piece); err != nil {
			return
		}
	}
}

// bomb returns a small gzip file that decompresses to 32 MiB.
var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, strings.Repeat(" ", 32<<20))
	_ = z.Close()
	return b.Bytes()
})

var faults = map[string]struct {
	service http.HandlerFunc
	want    string
}{
	"401": {status(401), "the API key was refused (HTTP 401)"},
	"404": {status(404), "the request was refused (HTTP 404)"},
	"429": {status(429), "too many searches, or the quota is used up (HTTP 429)"},
	"500": {status(500), "the service failed (HTTP 500)"},
	"204": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, "(HTTP 204)"},
	"HTML in a 200": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `{"results":[]}`)
	}, "a web page, not JSON"},
	"HTML named JSON": {respondWith("\n<!doctype html><p>hello"), "a web page, not JSON"},
	"empty":           {respondWith(""), "not of the service's API"},
	"half":            {respondWith(`{"results":[{"title":"a`), "not of the service's API"},
	"two documents":   {respondWith(`{"results":[]}{}`), "not of the service's API"},
	"another shape":   {respondWith(`{"detail":{"error":"no"}}`), "not of the service's API"},
	"null":            {respondWith(`null`), "not of the service's API"},
	"wrong types":     {respondWith(`{"results":"none","web":[],"data":1}`), "not of the service's API"},
	"an error inside a 200": {
		respondWith(`{"code":"403","message":"no money","type":"ErrorResponse","error":"no"}`),
		"not of the service's API",
	},
	"deep nesting": {respondWith(strings.Repeat(`{"results":[`, 100_000)), "not of the service's API"},
	"reset before the response": {hijack(func(c *net.TCPConn, _ *http.Request) {
		_ = c.SetLinger(0)
	}), "connection reset"},
	"closed before the response": {hijack(func(c *net.TCPConn, _ *http.Request) {
		_ = c.CloseWrite()
		_, _ = io.Copy(io.Discard, c)
	}), "the connection ended before the response did"},
	"closed within the response": {hijack(func(c *net.TCPConn, _ *http.Request) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
		_ = c.CloseWrite()
		_, _ = io.Copy(io.Discard, c)
	}), "the connection ended before the response did"},
	"not HTTP": {hijack(func(c *net.TCPConn, r *http.Request) {
		_, _ = io.WriteString(c, echo(r)+"\r\n\r\n")
	}), "not valid HTTP"},
	"endless response": {func(w http.ResponseWriter, _ *http.Request) {
		endless(w, strings.Repeat(" ", 64<<10))
	}, "larger than 2 MiB"},
	"endless header": {hijack(func(c *net.TCPConn, _ *http.Request) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		endless(c, "A: "+strings.Repeat("a", 4096)+"\r\n")
	}), "not valid HTTP"},
	"gzip bomb": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb())
	}, "larger than 2 MiB"},
	"broken gzip": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, `{"results":[]}`)
	}, "not valid HTTP"},
	"redirect in circles": {func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"?again", http.StatusTemporaryRedirect)
	}, "redirected elsewhere"},
	"redirect to nonsense": {func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://%zz/"+r.Header.Get("Authorization")+r.Header.Get("X-Subscription-Token"))
		w.WriteHeader(http.StatusFound)
	}, "not valid HTTP"},
}

const question = "what-is-the-secret-of-capri"

func TestEveryFaultIsAShortErrorWithoutKeyOrQuery(t *testing.T) {
	for name, fault := range faults {
		for _, provider := range providers {
			t.Run(name+"/"+provider, func(t *testing.T) {
				t.Parallel()
				got, err := serve(t, provider, fault.service).Search(t.Context(), question)
				if err == nil {
					t.Fatalf("no error but %v", got)
				}
				checkFault(t, err, fault.want)
			})
		}
	}
}

func checkFault(t *testing.T, err error, want string) {
	t.Helper()
	text := err.Error()
	if !strings.Contains(text, want) {
		t.Errorf("error %q, want %q", text, want)
	}
	if strings.Contains(text, testKey) || strings.Contains(text, question) {
		t.Errorf("the error holds a secret: %q", text)
	}
	if len(text) > 160 || strings.ContainsAny(text, "\r\n") {
		t.Errorf("the error is not one short line: %q", text)
	}
}

func TestA403OfSearXNGSaysThatJSONIsOff(t *testing.T) {
	_, err := serve(t, "searxng", status(403)).Search(t.Context(), question)
	if err == nil {
		t.Fatal("no error")
	}
	checkFault(t, err, "JSON output is off on this SearXNG: enable 'json' under search.formats")
	for _, provider := range providers[1:] {
		_, err := serve(t, provider, status(403)).Search(t.Context(), question)
		if err == nil {
			t.Fatal("no error")
		}
		checkFault(t, err, "access was refused (HTTP 403)")
	}
}

func TestASlowServiceIsLeftAtTheTimeLimit(t *testing.T) {
	slow := map[string]http.HandlerFunc{
		"hung": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"hung within the response": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"results":`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"a byte at a time": func(w http.ResponseWriter, r *http.Request) {
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-r.Context().Done():
					return
				case <-tick.C:
					_, _ = io.WriteString(w, " ")
					_ = http.NewResponseController(w).Flush()
				}
			}
		},
	}
	for name, service := range slow {
		for _, provider := range providers {
			t.Run(name+"/"+provider, func(t *testing.T) {
				t.Parallel()
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					// A server detects that its client has disconnected only after reading the request.
					_, _ = io.Copy(io.Discard, r.Body)
					service(w, r)
				}))
				t.Cleanup(s.Close)
				_, err := engineAt(t, provider, s.URL, 50*time.Millisecond).Search(t.Context(), question)
				if err == nil {
					t.Fatal("no error")
				}
				checkFault(t, err, "no response in time")
			})
		}
	}
}

func TestARefusedConnectionIsAnError(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	for _, provider := range providers {
		_, err := engineAt(t, provider, s.URL, time.Minute).Search(t.Context(), question)
		if err == nil {
			t.Fatal("no error")
		}
		checkFault(t, err, "connection refused")
	}
}

func TestAnUntrustedCertificateIsAnError(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	_, err := engineAt(t, "tavily", s.URL, time.Minute).Search(t.Context(), question)
	if err == nil {
		t.Fatal("no error")
	}
	checkFault(t, err, "certificate")
}

func TestARedirectToAnotherHostIsNotFollowed(t *testing.T) {
	var visited atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visited.Add(1) }))
	t.Cleanup(other.Close)
	for _, provider := range providers {
		for _, code := range []int{301, 302, 303, 307, 308} {
			e := serve(t, provider, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, other.URL+"/search", code)
			})
			_, err := e.Search(t.Context(), question)
			if err == nil {
				t.Fatal("no error")
			}
			checkFault(t, err, "redirected elsewhere")
		}
	}
	if visited.Load() != 0 {
		t.Errorf("the other host got %d requests", visited.Load())
	}
}

func TestARedirectFromHTTPSToHTTPIsNotFollowed(t *testing.T) {
	first := httptest.NewRequest(http.MethodGet, "https://search.example/search", nil)
	for next, want := range map[string]error{
		"http://search.example/search":     errRedirect,
		"https://search.example/v2/search": nil,
		"https://search.example:444/":      errRedirect,
	} {
		got := stayOnHost(httptest.NewRequest(http.MethodGet, next, nil), []*http.Request{first})
		if !errors.Is(got, want) {
			t.Errorf("%s: %v", next, got)
		}
	}
}

func TestARedirectOnTheSameHostIsFollowed(t *testing.T) {
	for _, provider := range providers {
		e := serve(t, provider, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/moved" {
				http.Redirect(w, r, "/moved", http.StatusPermanentRedirect)
				return
			}
			respondWith(captured[provider])(w, r)
		})
		if got, err := e.Search(t.Context(), question); err != nil || len(got) != 2 {
			t.Errorf("%s: got %v, %v", provider, got, err)
		}
	}
}

func TestAnAnswerJustWithinTheLimitIsTaken(t *testing.T) {
	body := `{"results":[]}`
	e := serve(t, "searxng", respondWith(body+strings.Repeat(" ", maxResponse-len(body))))
	if _, err := e.Search(t.Context(), question); err != nil {
		t.Error(err)
	}
}

func TestEveryFaultHasAReason(t *testing.T) {
	hung := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	for want, test := range map[string]struct {
		service http.HandlerFunc
		limit   time.Duration
	}{
		parley.ReasonKey:         {status(401), time.Minute},
		parley.ReasonQuota:       {status(429), time.Minute},
		parley.ReasonFailed:      {status(500), time.Minute},
		parley.ReasonUnreachable: {hung, 200 * time.Millisecond},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), test.limit)
		_, err := serve(t, "tavily", test.service).Search(ctx, question)
		cancel()
		if got := ReasonOf(err); got != want {
			t.Errorf("the reason of %v is %q, want %q", err, got, want)
		}
	}
	engine, err := New(Config{Provider: "searxng", URL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Search(t.Context(), question); ReasonOf(err) != parley.ReasonUnreachable {
		t.Errorf("the reason of %v is %q", err, ReasonOf(err))
	}
}
