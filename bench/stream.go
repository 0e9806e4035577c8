package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// sentMark stands before the moment in each piece of the trickling model.
const sentMark = "sent="

// openersAtOnce is how many streams are opened at the same time.
const openersAtOnce = 64

// streams measures many replies that stream at once, each from its own connection to
// the model to its own reader, and beside them readers of the model itself.
func streams(ctx context.Context, w *world) error {
	w.stop()
	if err := descriptorsFor(2*w.streams + 256); err != nil { // the server's: one to the reader, one to the model
		return err
	}
	if err := w.serve(ctx, roleTrickle, orders{Pause: w.pause}); err != nil {
		return err
	}
	defer w.stop()
	w.say("%d replies streaming at once", w.streams)
	before, err := w.server.memory()
	if err != nil {
		return err
	}
	ours, err := watch(ctx, w.server.process, w.plan, w.server.address, func(n int) []byte {
		return newRequest(http.MethodPost, "/api/chat/stream", w.token, sendBody(w.seed.sessions[n]))
	})
	if err != nil {
		return fmt.Errorf("streams: %w", err)
	}
	w.stop()
	direct, err := watch(ctx, w.model.process, w.plan, w.model.address, func(int) []byte { return askModel(w, 0, 0) })
	if err != nil {
		return fmt.Errorf("streams of the model server: %w", err)
	}
	w.report.Streams = streaming{
		Streams: w.streams, Open: ours.open, EventsPerSecond: ours.perSecond, Memory: ours.memory, MemoryBefore: before,
		P50: ours.p50, P99: ours.p99, CPU: ours.cpu, Generator: ours.generator, DirectP50: direct.p50, DirectP99: direct.p99,
	}
	return nil
}

// watched is what readers of streams have seen.
type watched struct {
	open      float64 // seconds until all were open
	perSecond float64 // pieces
	p50, p99  float64 // how late a piece came, in ms
	memory    float64 // of the server, with all streams open
	cpu       float64 // of the server for a piece, in µs
	generator float64 // share of the machine
}

// watch opens streams and reads them for a while.
func watch(ctx context.Context, p *process, plan plan, address string, request func(n int) []byte) (watched, error) {
	var w watched
	a := &audience{}
	defer a.readers.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begun := time.Now()
	if err := a.open(ctx, address, plan.streams, request); err != nil {
		return w, err
	}
	w.open = time.Since(begun).Seconds()
	if err := pause(ctx, 2*plan.pause); err != nil { // until each has had a piece
		return w, err
	}
	before, err := spent(p)
	if err != nil {
		return w, err
	}
	if err := pause(ctx, plan.window); err != nil {
		return w, err
	}
	after, err := spent(p)
	if err != nil {
		return w, err
	}
	if w.memory, err = p.memory(); err != nil {
		return w, err
	}
	delays, err := a.delays(before.at, after.at)
	if err != nil {
		return w, err
	}
	seconds := after.at.Sub(before.at).Seconds()
	w.perSecond = float64(len(delays)) / seconds
	w.p50, w.p99 = milliseconds(percentile(delays, 0.50)), milliseconds(percentile(delays, 0.99))
	w.cpu = float64((after.process - before.process).Microseconds()) / float64(len(delays))
	w.generator = (after.own - before.own).Seconds() / seconds / float64(runtime.NumCPU())
	return w, nil
}

// audience is the readers of many streams.
type audience struct {
	readers sync.WaitGroup
	mu      sync.Mutex
	pieces  []piece
	err     error
}

// piece is when a piece of a reply was sent, and how late it came.
type piece struct {
	sent  time.Time
	delay time.Duration
}

// open opens the streams. Each is read until ctx ends.
func (a *audience) open(ctx context.Context, address string, streams int, request func(n int) []byte) error {
	var opening errgroup.Group
	opening.SetLimit(openersAtOnce)
	for n := range streams {
		opening.Go(func() error {
			c, err := dial(ctx, address)
			if err != nil {
				return err
			}
			head, err := c.ask(request(n))
			if err != nil {
				c.close()
				return fmt.Errorf("open stream %d: %w", n, err)
			}
			a.readers.Go(func() {
				defer c.close()
				a.read(ctx, bufio.NewReaderSize(head.body(c.in), 1<<10))
			})
			return nil
		})
	}
	return opening.Wait()
}

// read notes each piece of a stream.
func (a *audience) read(ctx context.Context, lines *bufio.Reader) {
	for {
		line, err := lines.ReadSlice('\n')
		if ctx.Err() != nil {
			return
		}
		now := time.Now()
		a.mu.Lock()
		for sent := range moments(line) {
			a.pieces = append(a.pieces, piece{sent: sent, delay: now.Sub(sent)})
		}
		if err != nil {
			a.err = errors.Join(a.err, fmt.Errorf("a stream ended: %w", err))
		}
		a.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// moments finds when the pieces in a line were sent.
func moments(line []byte) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		for {
			_, rest, found := bytes.Cut(line, []byte(sentMark))
			if !found {
				return
			}
			digits, rest, _ := bytes.Cut(rest, []byte(" "))
			if nanos, err := strconv.ParseInt(string(digits), 10, 64); err == nil && !yield(time.Unix(0, nanos)) {
				return
			}
			line = rest
		}
	}
}

// delays are how late the pieces of a stretch of time came, ascending.
func (a *audience) delays(from, until time.Time) ([]time.Duration, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return nil, a.err
	}
	var delays []time.Duration
	for _, p := range a.pieces {
		if !p.sent.Before(from) && p.sent.Before(until) {
			delays = append(delays, p.delay)
		}
	}
	if len(delays) == 0 {
		return nil, errors.New("no piece came")
	}
	slices.Sort(delays)
	return delays, nil
}
