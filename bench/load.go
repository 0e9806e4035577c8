package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
)

// settleWithin is how long a server may be at work after its last request.
const settleWithin = 2 * time.Minute

// maxRequests bounds what one connection is asked in one measurement.
const maxRequests = 1_000_000

// target is a server under load.
type target struct {
	*process
	address string
	// backlog reports work that it has put off; nil where it leaves none behind.
	backlog func(context.Context) (bool, error)
	// profiles shows its inside; nil where it does not.
	profiles *profiles
}

// settle waits until the server has done what requests have left behind, at most for
// a while.
func (t target) settle(ctx context.Context, most time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("it is still at work after %s", most))
	defer cancel()
	for more := t.backlog != nil; more; {
		err := t.calm(ctx)
		if err == nil {
			more, err = t.backlog(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drive sends requests over the connections, at least one over each, and the next as
// soon as the last is answered. It returns how long each took, ascending. Any answer
// but a success ends it.
func drive(ctx context.Context, address string, connections int, d time.Duration, request func(worker, n int) []byte) ([]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	took := make([][]time.Duration, connections)
	until := time.Now().Add(d)
	var all sync.WaitGroup
	for worker := range connections {
		all.Go(func() {
			var err error
			if took[worker], err = driveOne(ctx, address, until, func(n int) []byte { return request(worker, n) }); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	together := slices.Concat(took...)
	slices.Sort(together)
	return together, nil
}

func driveOne(ctx context.Context, address string, until time.Time, request func(n int) []byte) ([]time.Duration, error) {
	c, err := dial(ctx, address)
	if err != nil {
		return nil, err
	}
	defer c.close()
	took := make([]time.Duration, 0, 1<<14)
	begun := time.Now()
	for n := 0; n == 0 || n < maxRequests && begun.Before(until); n++ {
		if err := c.do(request(n)); err != nil {
			return nil, err
		}
		now := time.Now()
		took = append(took, now.Sub(begun))
		begun = now
	}
	return took, nil
}

// percentile is the value that a share of all, which ascend, does not exceed.
func percentile[T any](all []T, share float64) T {
	return all[min(len(all)-1, int(share*float64(len(all))))]
}

// figures are what a server does under load.
type figures struct {
	PerSecond float64 `json:"per_second"`
	P50       float64 `json:"p50_ms"`
	P99       float64 `json:"p99_ms"`
	// CPU is the server's CPU time a request, work left behind included.
	CPU float64 `json:"cpu_us"`
	// Allocations is how many objects the server makes for a request, work left behind
	// included; 0 where that is unknown.
	Allocations float64 `json:"allocations,omitempty"`
	// Generator is the load generator's share of the machine.
	Generator float64 `json:"generator_share"`
	// Memory is the server's resident memory afterwards.
	Memory float64 `json:"memory_mb"`
}

// underLoad measures a server.
func underLoad(ctx context.Context, t target, connections int, d time.Duration, request func(worker, n int) []byte) (figures, error) {
	objects, err := t.profiles.objects(ctx)
	if err != nil {
		return figures{}, err
	}
	before, err := spent(t.process)
	if err != nil {
		return figures{}, err
	}
	took, err := drive(ctx, t.address, connections, d, request)
	if err != nil {
		return figures{}, err
	}
	loaded, err := spent(t.process)
	if err != nil {
		return figures{}, err
	}
	if err := t.settle(ctx, settleWithin); err != nil {
		return figures{}, err
	}
	settled, err := spent(t.process)
	if err != nil {
		return figures{}, err
	}
	made, err := t.profiles.objects(ctx)
	if err != nil {
		return figures{}, err
	}
	memory, err := t.memory()
	seconds := loaded.at.Sub(before.at).Seconds()
	return figures{
		PerSecond:   float64(len(took)) / seconds,
		P50:         milliseconds(percentile(took, 0.50)),
		P99:         milliseconds(percentile(took, 0.99)),
		CPU:         float64((settled.process - before.process).Microseconds()) / float64(len(took)),
		Allocations: float64(made-objects) / float64(len(took)),
		Generator:   (loaded.own - before.own).Seconds() / seconds / float64(runtime.NumCPU()),
		Memory:      memory,
	}, err
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
