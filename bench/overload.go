package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"
)

const (
	// overloadBy is how many times the best rate the server is asked for.
	overloadBy = 2
	// standing is how many connections there are before an overload, and crowd how many
	// it may take: where none is free another is opened.
	standing = 1_000
	crowd    = 8_000
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
// Best and too much take turns, so that other programs take from both alike.
func (op operation) overload(ctx context.Context, w *world) error {
	f := &flood{address: w.server.address}
	defer f.close()
	if err := f.dial(ctx, standing); err != nil {
		return fmt.Errorf("%s: %w", op.name, err)
	}
	all := overloaded{Operation: op.name}
	for round := range w.rounds {
		w.say("%s, round %d of %d", op.name, round+1, w.rounds)
		best, err := op.load(ctx, w, w.target(), w.load, op.request)
		if err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
		all.Best += best.PerSecond / float64(w.rounds)
		all.BestCPU += best.CPU / float64(w.rounds)
		cpu, err := op.flood(ctx, w, f, overloadBy*best.PerSecond)
		if err != nil {
			return fmt.Errorf("%s, overloaded: %w", op.name, err)
		}
		all.CPU += float64(cpu.Microseconds())
	}
	f.sum(&all)
	var err error
	all.Memory, err = w.server.memory()
	w.report.Overload = append(w.report.Overload, all)
	return err
}

// flood asks for so much, and returns the CPU time that it took the server, work left
// behind included.
func (op operation) flood(ctx context.Context, w *world, f *flood, perSecond float64) (time.Duration, error) {
	before, err := w.server.cpu()
	if err != nil {
		return 0, err
	}
	profiled := w.server.profile(ctx, w.profiles, op.name+", overloaded", w.overload)
	if err := f.run(ctx, perSecond, w.overload, func(n int) []byte {
		return op.request(w, n%w.connections, n/w.connections)
	}); err != nil {
		return 0, err
	}
	if err := errors.Join(profiled(), w.target().settle(ctx, settleWithin)); err != nil {
		return 0, err
	}
	after, err := w.server.cpu()
	return after - before, err
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
	until    time.Time       // when no more is sent
	within   int             // how many were accepted, and answered by then
	sending  time.Duration   // how long it was in all
	own      time.Duration   // CPU time of the generator
	err      error
}

// run sends so many requests a second for a while, and waits for their answers.
func (f *flood) run(ctx context.Context, perSecond float64, d time.Duration, request func(n int) []byte) error {
	before, err := ownCPU()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	defer all.Wait()
	ticker := time.NewTicker(arrivalsEvery)
	defer ticker.Stop()
	begun := time.Now()
	f.until = begun.Add(d)
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
	after, err := ownCPU()
	if err != nil {
		return err
	}
	f.sending += time.Since(begun)
	f.own += after - before
	all.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil && len(f.accepted) == 0 {
		return errors.New("nothing was accepted")
	}
	return f.err
}

// dial opens connections that requests can then use. Each makes one: the server soon
// closes those that never did.
func (f *flood) dial(ctx context.Context, count int) error {
	for range count {
		c, err := dial(ctx, f.address)
		if err != nil {
			return err
		}
		f.free = append(f.free, c)
		f.dialled++
		if err := c.do(newRequest(http.MethodGet, "/healthz", "", nil)); err != nil {
			return err
		}
	}
	return nil
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
		f.err = cmp.Or(f.err, err) // the first tells enough
	case status == http.StatusOK:
		f.accepted = append(f.accepted, took)
		if begun.Add(took).Before(f.until) {
			f.within++
		}
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
	// Generator is the load generator's share of its own cores: near 1 it was no longer
	// twice as much that was asked for.
	Generator float64 `json:"generator_share"`
}

// sum completes the row of a flood; its CPU is the server's for all of it.
func (f *flood) sum(row *overloaded) {
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.Sort(f.accepted)
	slices.Sort(f.refused)
	row.Accepted, row.Refused = float64(f.within)/f.sending.Seconds(), float64(len(f.refused))/f.sending.Seconds()
	row.Generator = f.own.Seconds() / f.sending.Seconds() / float64(runtime.GOMAXPROCS(0))
	row.CPU /= float64(len(f.accepted))
	row.P50, row.P99 = milliseconds(percentile(f.accepted, 0.50)), milliseconds(percentile(f.accepted, 0.99))
	if len(f.refused) > 0 {
		row.RefusedP99 = milliseconds(percentile(f.refused, 0.99))
	}
	row.Missed, row.Connections = f.missed, f.dialled
}

func (r *report) overloads() *table {
	var t table
	t.add(fmt.Sprintf("asked for %d times its best", overloadBy), "best/s", "CPU µs", "accepted/s", "CPU µs", "of best", "p50 ms", "p99 ms", "refused/s", "p99 ms", "not sent", "connections", "RSS MB", "generator")
	for _, o := range r.Overload {
		t.add(o.Operation, count(o.Best), number(o.BestCPU), count(o.Accepted), number(o.CPU), percent(o.Accepted/o.Best), number(o.P50), number(o.P99),
			count(o.Refused), number(o.RefusedP99), count(float64(o.Missed)), count(float64(o.Connections)), count(o.Memory), percent(o.Generator))
	}
	return &t
}
