package main_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"testing"

	"parley/client"
)

// balancer forwards requests to the ready replicas, round robin. It checks that a replica is ready before each
// request: requests don't depend on an interval between checks. It retries nothing.
type balancer struct {
	*httptest.Server

	mu       sync.Mutex
	replicas []*replica
	next     int
}

// replica is a process behind a balancer.
type replica struct {
	*process
	address *url.URL
}

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	b := &balancer{}
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	proxy := &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(b.choose(r.In.Context())) },
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				t.Errorf("%s %s got no response: %v", r.Method, r.URL, err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	// Buffer the request body, as proxies do: ReverseProxy would cut off a response that starts before the end of its
	// request.
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		b.Close()
		transport.CloseIdleConnections()
	})
	return b
}

// choose returns the next ready replica.
func (b *balancer) choose(ctx context.Context) *url.URL {
	b.mu.Lock()
	b.next++
	first := b.next % len(b.replicas)
	replicas := append(slices.Clone(b.replicas[first:]), b.replicas[:first]...)
	b.mu.Unlock()
	for _, r := range replicas {
		if r.isReady(ctx) {
			return r.address
		}
	}
	return &url.URL{Scheme: "http", Host: "127.0.0.1:1"} // none is ready
}

func (r *replica) isReady(ctx context.Context) bool { return client.New(r.url).Ready(ctx) == nil }

// start starts a replica and adds it.
func (b *balancer) start(t *testing.T, settings ...string) *replica {
	t.Helper()
	p := start(t, settings...)
	address, err := url.Parse(p.url)
	must(t, err)
	r := &replica{process: p, address: address}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas = append(b.replicas, r)
	return r
}

// client returns a client of the balancer. It uses the token of another client.
func (b *balancer) client(like *client.Client) *client.Client {
	return client.New(b.URL).WithToken(like.Token())
}
