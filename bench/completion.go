package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// completionRate is how many calls per second go through OpenAI's API.
const completionRate = 1000

const completionColumns = "calls/s\tp50 ms\tp99 ms"

// completions measures chat completions at a fixed rate, of the model alone and through the server. The difference is
// what the server adds.
func completions(ctx context.Context, all []*candidate) error {
	for _, c := range all {
		err := c.start(ctx)
		if err == nil {
			err = c.measureCompletions(ctx, "streams of 20 chunks", true)
		}
		if err == nil {
			c.model.document()
			err = c.measureCompletions(ctx, "documents", false)
			c.model.usual()
		}
		if err != nil {
			return c.explain(err)
		}
	}
	return nil
}

func (c *candidate) measureCompletions(ctx context.Context, kind string, stream bool) error {
	completion := call{
		method: http.MethodPost, path: "/v1/chat/completions", token: c.seed.user,
		body: fmt.Appendf(nil, `{"model":"default","stream":%v,"messages":[{"role":"user","content":%q}]}`, stream, question),
	}
	web := newHTTPClient(completionRate)
	defer web.CloseIdleConnections()
	var alone, through [][]float64
	for turn := range c.turns + 1 {
		a, err := pace(ctx, web, c.model.URL, completion, c.turn)
		if err != nil {
			return err
		}
		t, err := pace(ctx, web, c.server.url, completion, c.turn)
		if err != nil {
			return err
		}
		if turn > 0 { // the first one opens the connections
			alone, through = append(alone, a), append(through, t)
		}
	}
	c.report.add(completionColumns, "completions, "+kind+", the model alone", medians(alone)...)
	c.report.add(completionColumns, "completions, "+kind+", through the server", medians(through)...)
	return nil
}

// pace sends calls at completionRate for d, whether or not earlier ones are done. It returns the calls per second, and
// their p50 and p99 in ms, each from the moment when it was due.
func pace(ctx context.Context, web *http.Client, url string, next call, d time.Duration) ([]float64, error) {
	calls := max(1, int(d.Seconds()*completionRate))
	took := make([]time.Duration, calls)
	running, ctx := errgroup.WithContext(ctx)
	begun := time.Now()
	for i := range calls {
		due := begun.Add(time.Duration(i) * time.Second / completionRate)
		if err := sleep(ctx, time.Until(due)); err != nil {
			break // a call has failed
		}
		running.Go(func() error {
			_, err := do(ctx, web, url, next)
			took[i] = time.Since(due)
			return err
		})
	}
	if err := running.Wait(); err != nil {
		return nil, err
	}
	return figures(took, time.Since(begun), usage{}, usage{})[:3], nil
}
