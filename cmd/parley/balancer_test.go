package main_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"parley/client"
)

// balancer forwards requests to the ready replicas, round robin. It retries nothing.
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
	ready   bool
}

// probeInterval is how often a balancer checks its replicas.
const probeInterval = 20 * time.Millisecond

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	b := &balancer{}
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	proxy := &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(b.choose()) },
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				t.Errorf("%s %s got no response: %v", r.Method, r.URL, err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	// Request bodies are buffered, as proxies do: ReverseProxy would cut off a response that
	// starts before the end of its request.
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		proxy.ServeHTTP(w, r)
	}))
	over := make(chan struct{})
	var probing sync.WaitGroup
	probing.Go(func() {
		ticker := time.NewTicker(probeInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				b.probe(t)
			case <-over:
				return
			}
		}
	})
	t.Cleanup(func() {
		close(over)
		probing.Wait()
		b.Close()
		transport.CloseIdleConnections()
	})
	return b
}

// choose returns the next ready replica.
func (b *balancer) choose() *url.URL {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.replicas {
		b.next++
		if r := b.replicas[b.next%len(b.replicas)]; r.ready {
			return r.address
		}
	}
	return &url.URL{Scheme: "http", Host: "127.0.0.1:1"} // none is ready
}

func (b *balancer) probe(t *testing.T) {
	b.mu.Lock()
	replicas := append([]*replica(nil), b.replicas...)
	b.mu.Unlock()
	for _, r := range replicas {
		ready := client.New(r.url).Ready(t.Context()) == nil
		b.mu.Lock()
		r.ready = ready
		b.mu.Unlock()
	}
}

// start starts a replica and adds it.
func (b *balancer) start(t *testing.T, settings ...string) *replica {
	t.Helper()
	p := start(t, settings...)
	address, err := url.Parse(p.url)
	must(t, err)
	r := &replica{process: p, address: address, ready: true}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas = append(b.replicas, r)
	return r
}

// waitUntilGone waits until the balancer sends no more requests to a replica.
func (b *balancer) waitUntilGone(t *testing.T, r *replica) {
	t.Helper()
	until(t, "the balancer has noticed that the replica is gone", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return !r.ready
	})
}

// client returns a client of the balancer with the token of another.
func (b *balancer) client(like *client.Client) *client.Client {
	return client.New(b.URL).WithToken(like.Token())
}
