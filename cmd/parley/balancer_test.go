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

// balancer passes requests on to replicas that say that they are ready, one after the
// other. It tries nothing twice.
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

// probeEvery is how often a balancer asks its replicas whether they are ready.
const probeEvery = 20 * time.Millisecond

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	b := &balancer{}
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	proxy := &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(b.choose()) },
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				t.Errorf("%s %s got no answer: %v", r.Method, r.URL, err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	// Requests are taken whole, as proxies do: Go's would break off a stream that begins
	// before it has seen the end of its request.
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
		ticker := time.NewTicker(probeEvery)
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

// choose is the next replica that is ready.
func (b *balancer) choose() *url.URL {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.replicas {
		b.next++
		if r := b.replicas[b.next%len(b.replicas)]; r.ready {
			return r.address
		}
	}
	return &url.URL{Scheme: "http", Host: "127.0.0.1:1"} // nobody is
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

// start adds a replica.
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

// client is one that goes through the balancer, with the token of another.
func (b *balancer) client(like *client.Client) *client.Client {
	return client.New(b.URL).WithToken(like.Token())
}
