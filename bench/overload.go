package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// overloadBy is how many times the best rate the server is asked for.
	overloadBy = 2
	// crowd is how many connections an overload may take.
	crowd = 8_000
	// arrivalsEvery is how often requests are sent that have become due.
	arrivalsEvery = time.Millisecond
)

// overloads are the steps in which a server is asked for too much.
func overloads(p plan) []step {
	all := []step{{"", prepare}}
	for _, op := range operations(p) {
		if op.name != "user info" { // to refuse it costs as much as to answer it
			all = append(all, step{op.name, op.overload})
		}
	}
	return all
}

// overload measures what is left of a server that is asked for twice what it can do.
func (op operation) overload(ctx context.Context, w *world) error {
	w.say("%s, at its best", op.name)
	best, err := op.load(ctx, w, w.target(), w.load, op.request)
	if err != nil {
		return fmt.Errorf("%s: %w", op.name, err)
	}
	w.say("%s, %d times as often", op.name, overloadBy)
	before, err := spent(w.server.process)
	if err != nil {
		return err
	}
	f := &flood{address: w.server.address}
	if err := f.run(ctx, overloadBy*best.PerSecond, w.overload, func(n int) []byte {
		return op.request(w, n%w.connections, n/w.connections)
	}); err != nil {
		return fmt.Errorf("%s, overloaded: %w", op.name, err)
	}
	after, err := spent(w.server.process)
	if err != nil {
		return err
	}
	row := f.row(w.overload)
	row.Operation, row.Best, row.BestCPU = op.name, best.PerSecond, best.CPU
	row.CPU = float64((after.process - before.process).Microseconds()) / row.Accepted / w.overload.Seconds()
	if row.Memory, err = w.server.memory(); err != nil {
		return err
	}
	w.report.Overload = append(w.report.Overload, row)
	return w.target().settle(ctx, settleWithin)
}

// flood is requests that come at their own pace, however long earlier ones take.
type flood struct {
	address string

	mu       sync.Mutex
	free     []*connection
	dialled  int
	accepted []time.Duration
	refused  []time.Duration // with 503 and Retry-After
	missed   int             // no connection was left to send it over
	err      error
}

// run sends so many requests a second for a while, and waits for their answers.
func (f *flood) run(ctx context.Context, perSecond float64, d time.Duration, request func(n int) []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer f.close()
	var all sync.WaitGroup
	defer all.Wait()
	ticker := time.NewTicker(arrivalsEvery)
	defer ticker.Stop()
	begun := time.Now()
	for sent := 0; time.Since(begun) < d; {
		for due := int(time.Since(begun).Seconds() * perSecond); sent < due; sent++ {
			n, at := sent, time.Now()
			all.Go(func() { f.send(ctx, request(n), at) })
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	all.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil && len(f.accepted) == 0 {
		return errors.New("nothing was accepted")
	}
	return f.err
}

// send sends one request and notes how it was answered.
func (f *flood) send(ctx context.Context, request []byte, begun time.Time) {
	c, err := f.connection(ctx)
	if c == nil {
		f.note(0, begun, err)
		return
	}
	status, err := c.try(request)
	if err != nil {
		c.close()
		f.note(0, begun, err)
		return
	}
	f.note(status, begun, nil)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.free = append(f.free, c)
}

// connection is a free one, else a new one; nil where there are enough.
func (f *flood) connection(ctx context.Context) (*connection, error) {
	f.mu.Lock()
	if last := len(f.free) - 1; last >= 0 {
		defer f.mu.Unlock()
		c := f.free[last]
		f.free = f.free[:last]
		return c, nil
	}
	if f.dialled >= crowd {
		defer f.mu.Unlock()
		f.missed++
		return nil, nil
	}
	f.dialled++
	f.mu.Unlock()
	return dial(ctx, f.address)
}

func (f *flood) note(status int, begun time.Time, err error) {
	took := time.Since(begun)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err != nil:
		f.err = errors.Join(f.err, err)
	case status == http.StatusOK:
		f.accepted = append(f.accepted, took)
	case status == http.StatusServiceUnavailable:
		f.refused = append(f.refused, took)
	case status != 0:
		f.err = fmt.Errorf("status %d", status)
	}
}

func (f *flood) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.free {
		c.close()
	}
}

// overloaded is an operation that is asked for too often.
type overloaded struct {
	Operation   string  `json:"operation"`
	Best        float64 `json:"best_per_second"`
	BestCPU     float64 `json:"best_cpu_us"`
	Accepted    float64 `json:"accepted_per_second"`
	CPU         float64 `json:"cpu_us"` // for each that was accepted, refusals included
	P50         float64 `json:"p50_ms"` // of what was accepted
	P99         float64 `json:"p99_ms"`
	Refused     float64 `json:"refused_per_second"`
	RefusedP99  float64 `json:"refused_p99_ms"`
	Missed      int     `json:"missed"`
	Connections int     `json:"connections"`
	Memory      float64 `json:"memory_mb"`
}

func (f *flood) row(d time.Duration) overloaded {
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.Sort(f.accepted)
	slices.Sort(f.refused)
	row := overloaded{
		Accepted: float64(len(f.accepted)) / d.Seconds(), Refused: float64(len(f.refused)) / d.Seconds(),
		P50: milliseconds(percentile(f.accepted, 0.50)), P99: milliseconds(percentile(f.accepted, 0.99)),
		Missed: f.missed, Connections: f.dialled,
	}
	if len(f.refused) > 0 {
		row.RefusedP99 = milliseconds(percentile(f.refused, 0.99))
	}
	return row
}

func (r *report) overloads() *table {
	var t table
	t.add(fmt.Sprintf("asked for %d times its best", overloadBy), "best/s", "CPU µs", "accepted/s", "CPU µs", "of best", "p50 ms", "p99 ms", "refused/s", "p99 ms", "not sent", "connections", "RSS MB")
	for _, o := range r.Overload {
		t.add(o.Operation, count(o.Best), number(o.BestCPU), count(o.Accepted), number(o.CPU), percent(o.Accepted/o.Best), number(o.P50), number(o.P99),
			count(o.Refused), number(o.RefusedP99), count(float64(o.Missed)), count(float64(o.Connections)), count(o.Memory))
	}
	return &t
}
