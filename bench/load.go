package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// call is an API request.
type call struct {
	method, path, token string
	body                []byte // JSON
}

// newHTTPClient returns a client that keeps its connections and decompresses nothing. Its small buffers allow
// for thousands of streams.
func newHTTPClient(connections int) *http.Client {
	return &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: connections,
		DisableCompression:  true,
		ReadBufferSize:      2 << 10,
		WriteBufferSize:     2 << 10,
	}}
}

// open sends a request. Any status but 200 is an error.
func open(ctx context.Context, web *http.Client, url string, c call) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, c.method, url+c.path, bytes.NewReader(c.body))
	if err != nil {
		return nil, err
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if len(c.body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := web.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close() //nolint:errcheck // it is only read
		text, _ := io.ReadAll(io.LimitReader(response.Body, 500))
		return nil, fmt.Errorf("%s %s: status %d: %s", c.method, c.path, response.StatusCode, text)
	}
	return response.Body, nil
}

// do sends a request and returns the size of the response.
func do(ctx context.Context, web *http.Client, url string, c call) (int64, error) {
	body, err := open(ctx, web, url, c)
	if err != nil {
		return 0, err
	}
	defer body.Close() //nolint:errcheck // it is only read
	return io.Copy(io.Discard, body)
}

// drive sends requests over a number of connections for d. Each connection sends at least one request, and the next as
// soon as the last is done. drive returns how long each request took, ascending. It stops at the first error.
func drive(
	ctx context.Context, web *http.Client, url string, connections int, d time.Duration, next func(worker int) call,
) ([]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	took := make([][]time.Duration, connections)
	until := time.Now().Add(d)
	var workers sync.WaitGroup
	for worker := range connections {
		workers.Go(func() {
			for begun := time.Now(); begun.Before(until) || len(took[worker]) == 0; {
				if _, err := do(ctx, web, url, next(worker)); err != nil {
					cancel(err)
					return
				}
				now := time.Now()
				took[worker] = append(took[worker], now.Sub(begun))
				begun = now
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return slices.Sorted(slices.Values(slices.Concat(took...))), nil
}

// figures are the measurements of a server under load.
type figures struct {
	perSecond float64
	p50       float64
	p99       float64
	// cpu is the server's CPU time per request in µs, including later work such as indexing.
	cpu float64
	// memory is the server's resident memory afterwards.
	memory float64
}

func newFigures(took []time.Duration, d time.Duration) figures {
	return figures{
		perSecond: float64(len(took)) / d.Seconds(),
		p50:       milliseconds(percentile(took, 0.50)),
		p99:       milliseconds(percentile(took, 0.99)),
	}
}

// medians returns the median of each figure.
func medians(turns []figures) (m figures) {
	for _, of := range []func(*figures) *float64{
		func(f *figures) *float64 { return &f.perSecond },
		func(f *figures) *float64 { return &f.p50 },
		func(f *figures) *float64 { return &f.p99 },
		func(f *figures) *float64 { return &f.cpu },
		func(f *figures) *float64 { return &f.memory },
	} {
		var values []float64
		for _, f := range turns {
			values = append(values, *of(&f))
		}
		*of(&m) = median(values)
	}
	return m
}

// percentile returns the value below which a share of the ascending values lies.
func percentile[T any](ascending []T, share float64) T {
	return ascending[min(len(ascending)-1, int(share*float64(len(ascending))))]
}

func median(values []float64) float64 {
	return percentile(slices.Sorted(slices.Values(values)), 0.5)
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
