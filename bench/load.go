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
		MaxIdleConnsPerHost: connections, DisableCompression: true, ReadBufferSize: 2 << 10, WriteBufferSize: 2 << 10,
	}}
}

// statusError is a response other than success.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.text) }

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
		return nil, fmt.Errorf("%s %s: %w", c.method, c.path, &statusError{response.StatusCode, string(text)})
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
// soon as the last is done. drive returns how long each request took. It stops at the first error.
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
	return slices.Concat(took...), nil
}

// figures returns events per second, p50 and p99 in ms, the server's CPU time per event in µs, and its resident
// memory in MB at the end.
func figures(took []time.Duration, d time.Duration, before, after usage) []float64 {
	slices.Sort(took)
	return []float64{
		float64(len(took)) / d.Seconds(),
		milliseconds(percentile(took, 0.50)),
		milliseconds(percentile(took, 0.99)),
		float64((after.cpu - before.cpu).Microseconds()) / float64(len(took)),
		after.memory,
	}
}

// medians returns the median of each column.
func medians(turns [][]float64) (columns []float64) {
	for k := range turns[0] {
		var values []float64
		for _, turn := range turns {
			values = append(values, turn[k])
		}
		columns = append(columns, median(values))
	}
	return columns
}

func median(values []float64) float64 {
	return percentile(slices.Sorted(slices.Values(values)), 0.5)
}

// percentile returns the value below which a share of the ascending values lies.
func percentile[T any](ascending []T, share float64) T {
	return ascending[min(len(ascending)-1, int(share*float64(len(ascending))))]
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
