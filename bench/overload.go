package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// overloadBy is how many times the best rate the server is asked for.
const overloadBy = 2

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
// Best and too much take turns of the same length, so that other programs take from both
// alike.
func (op operation) overload(ctx context.Context, w *world) error {
	w.say("%s", op.name)
	f := &flood{address: w.server.address}
	defer f.close()
	if err := f.dial(ctx, standing); err != nil {
		return fmt.Errorf("%s: %w", op.name, err)
	}
	if _, err := op.best(ctx, w, w.warm); err != nil {
		return fmt.Errorf("%s: %w", op.name, err)
	}
	row := overloaded{Operation: op.name}
	for range w.rounds {
		best, err := op.best(ctx, w, w.load)
		if err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
		most, err := op.tooMuch(ctx, w, f, overloadBy*best.perSecond())
		if err != nil {
			return fmt.Errorf("%s, overloaded: %w", op.name, err)
		}
		row.best.add(best)
		row.accepted.add(most)
		row.Rounds = append(row.Rounds, most.perSecond()/best.perSecond())
	}
	if err := w.target().settle(ctx, settleWithin); err != nil {
		return fmt.Errorf("%s: %w", op.name, err)
	}
	row.sum(f)
	var err error
	row.Memory, err = w.server.memory()
	w.report.Overload = append(w.report.Overload, row)
	return err
}

// best is as much as the server does for those who wait for their answers.
func (op operation) best(ctx context.Context, w *world, d time.Duration) (turn, error) {
	return w.turn(func() (int, error) {
		took, err := drive(ctx, w.server.address, w.connections, d, func(worker, n int) []byte { return op.request(w, worker, n) })
		return len(took), err
	})
}

// tooMuch asks for so much, whether or not it is answered.
func (op operation) tooMuch(ctx context.Context, w *world, f *flood, perSecond float64) (turn, error) {
	profiled := w.server.profile(ctx, w.profiles, op.name+", overloaded", w.overload)
	t, err := w.turn(func() (int, error) {
		return f.send(ctx, perSecond, w.overload, func(n int) []byte { return op.request(w, n%w.connections, n/w.connections) })
	})
	f.all.Wait()
	return t, errors.Join(err, profiled(), f.failed())
}

// turn is what the server did in a while.
type turn struct {
	done int
	took time.Duration
	cpu  time.Duration // the server's
	own  time.Duration // the load generator's
}

func (w *world) turn(do func() (done int, err error)) (turn, error) {
	before, err := spent(w.target().process)
	if err != nil {
		return turn{}, err
	}
	done, err := do()
	if err != nil {
		return turn{}, err
	}
	after, err := spent(w.target().process)
	return turn{done: done, took: after.at.Sub(before.at), cpu: after.process - before.process, own: after.own - before.own}, err
}

func (t turn) perSecond() float64 { return float64(t.done) / t.took.Seconds() }

// cpuEach is the server's CPU time for each that was done, in µs.
func (t turn) cpuEach() float64 { return float64(t.cpu.Microseconds()) / float64(t.done) }

func (t *turn) add(other turn) {
	t.done += other.done
	t.took += other.took
	t.cpu += other.cpu
	t.own += other.own
}

// overloaded is an operation that is asked for too often.
type overloaded struct {
	Operation string  `json:"operation"`
	Best      float64 `json:"best_per_second"`
	BestCPU   float64 `json:"best_cpu_us"`
	Accepted  float64 `json:"accepted_per_second"`
	CPU       float64 `json:"cpu_us"` // for each that was accepted, refusals included
	// Kept is what of the best was accepted in all rounds together, Rounds in each of
	// them, ascending.
	Kept        float64   `json:"kept"`
	Rounds      []float64 `json:"kept_in_rounds"`
	P50         float64   `json:"p50_ms"` // of what was accepted
	P99         float64   `json:"p99_ms"`
	Refused     float64   `json:"refused_per_second"`
	RefusedP99  float64   `json:"refused_p99_ms"`
	Missed      int       `json:"missed"`
	Connections int       `json:"connections"`
	Memory      float64   `json:"memory_mb"`
	// Generator is the load generator's share of its own cores: near 1 it was no longer
	// twice as much that was asked for.
	Generator float64 `json:"generator_share"`

	best, accepted turn // all turns together
}

// sum completes a row after the last turn.
func (row *overloaded) sum(f *flood) {
	slices.Sort(row.Rounds)
	row.Best, row.BestCPU = row.best.perSecond(), row.best.cpuEach()
	row.Accepted, row.CPU = row.accepted.perSecond(), row.accepted.cpuEach()
	row.Kept = row.Accepted / row.Best
	row.Generator = row.accepted.own.Seconds() / row.accepted.took.Seconds() / float64(runtime.GOMAXPROCS(0))
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.Sort(f.accepted)
	row.P50, row.P99 = milliseconds(percentile(f.accepted, 0.50)), milliseconds(percentile(f.accepted, 0.99))
	row.Refused = float64(len(f.refused)) / row.accepted.took.Seconds()
	if len(f.refused) > 0 {
		slices.Sort(f.refused)
		row.RefusedP99 = milliseconds(percentile(f.refused, 0.99))
	}
	row.Missed, row.Connections = f.missed, f.dialled
}

func (r *report) overloads() *table {
	var t table
	t.add(fmt.Sprintf("asked for %d times its best", overloadBy), "best/s", "CPU µs", "accepted/s", "CPU µs", "of best", "in rounds", "p50 ms", "p99 ms", "refused/s", "p99 ms", "not sent", "connections", "RSS MB", "generator")
	for _, o := range r.Overload {
		least, most := o.Rounds[0], o.Rounds[len(o.Rounds)-1]
		t.add(o.Operation, count(o.Best), number(o.BestCPU), count(o.Accepted), number(o.CPU), percent(o.Kept), percent(least)+" to "+percent(most), number(o.P50), number(o.P99),
			count(o.Refused), number(o.RefusedP99), count(float64(o.Missed)), count(float64(o.Connections)), count(o.Memory), percent(o.Generator))
	}
	return &t
}
