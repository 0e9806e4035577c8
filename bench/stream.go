package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// streaming is what was measured of many replies that stream at once.
type streaming struct {
	Streams      int     `json:"streams"`
	Open         float64 `json:"open_s"` // until all were open
	PerSecond    float64 `json:"events_per_second"`
	P50          float64 `json:"p50_ms"` // from the model to the client
	P99          float64 `json:"p99_ms"`
	CPU          float64 `json:"cpu_us"` // of the server for an event
	Memory       float64 `json:"memory_mb"`
	MemoryBefore float64 `json:"memory_before_mb"`
}

// kbEach returns the resident memory of a stream.
func (s streaming) kbEach() float64 {
	return (s.Memory - s.MemoryBefore) * 1000 / float64(max(1, s.Streams))
}

// streams measures many replies that stream at once, each with a connection to the model and one to the client.
func streams(ctx context.Context, all []*candidate) error {
	for _, c := range all {
		if err := c.prepareStreams(ctx); err != nil {
			return c.explain(err)
		}
		c.model.trickle(c.plan.pause)
		err := c.measureStreams(ctx)
		c.stop()
		c.model.reply(usualReply())
		if err != nil {
			return c.explain(err)
		}
	}
	return nil
}

func (c *candidate) prepareStreams(ctx context.Context) error {
	if err := c.start(ctx); err != nil {
		return err
	}
	if err := c.seedSessions(ctx, c.plan.streams); err != nil {
		return err
	}
	c.stop() // the memory of earlier steps does not count
	if err := c.start(ctx); err != nil {
		return err
	}
	return c.awaitIdle(ctx)
}

func (c *candidate) measureStreams(ctx context.Context) error {
	memoryBefore, err := residentMemory(c.server.pid)
	if err != nil {
		return err
	}
	l := &listeners{web: newHTTPClient(c.plan.streams)}
	defer l.reading.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begun := time.Now()
	if err := l.open(ctx, c); err != nil {
		return err
	}
	opened := time.Since(begun)
	if err := sleep(ctx, 2*c.plan.pause); err != nil { // until each has had an event
		return err
	}
	from := time.Now()
	cpuBefore, err := cpuTime(c.server.pid)
	if err != nil {
		return err
	}
	if err := sleep(ctx, c.plan.window); err != nil {
		return err
	}
	cpuAfter, err := cpuTime(c.server.pid)
	if err != nil {
		return err
	}
	until := time.Now()
	memory, err := residentMemory(c.server.pid)
	if err != nil {
		return err
	}
	delays, err := l.delays(from, until)
	if err != nil {
		return err
	}
	f := newFigures(delays, until.Sub(from))
	c.report.Streams = streaming{
		Streams: c.plan.streams, Open: opened.Seconds(), PerSecond: f.PerSecond, P50: f.P50, P99: f.P99,
		CPU:    float64((cpuAfter - cpuBefore).Microseconds()) / float64(len(delays)),
		Memory: memory, MemoryBefore: memoryBefore,
	}
	return nil
}

// listeners read many streams.
type listeners struct {
	web     *http.Client
	reading sync.WaitGroup
	mu      sync.Mutex
	events  []event
	err     error
}

// event is when a piece of a reply was sent, and how long it took to arrive.
type event struct {
	sent  time.Time
	delay time.Duration
}

// open opens the streams. Each is read until ctx ends.
func (l *listeners) open(ctx context.Context, c *candidate) error {
	const atOnce = 64
	var opening errgroup.Group
	opening.SetLimit(atOnce)
	for i := range c.plan.streams {
		opening.Go(func() error {
			body, err := open(ctx, l.web, c.server.url, sendCall("/api/chat/stream", c.seed.user, c.seed.sessions[i]))
			if err != nil {
				return fmt.Errorf("open stream %d: %w", i, err)
			}
			l.reading.Go(func() {
				defer body.Close() //nolint:errcheck // it is only read
				l.read(ctx, bufio.NewReaderSize(body, 1<<10))
			})
			return nil
		})
	}
	return opening.Wait()
}

func (l *listeners) read(ctx context.Context, lines *bufio.Reader) {
	for {
		line, err := lines.ReadSlice('\n')
		now := time.Now()
		if ctx.Err() != nil {
			return
		}
		l.mu.Lock()
		for sent := range sendTimes(line) {
			l.events = append(l.events, event{sent: sent, delay: now.Sub(sent)})
		}
		if err != nil {
			l.err = fmt.Errorf("a stream ended: %w", err)
		}
		l.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// sendTimes returns when the pieces in a line were sent.
func sendTimes(line []byte) iter.Seq[time.Time] {
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

// delays returns the delays of the events of a period, ascending.
func (l *listeners) delays(from, until time.Time) ([]time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var delays []time.Duration
	for _, e := range l.events {
		if !e.sent.Before(from) && e.sent.Before(until) {
			delays = append(delays, e.delay)
		}
	}
	if len(delays) == 0 && l.err == nil {
		return nil, errors.New("no event arrived")
	}
	slices.Sort(delays)
	return delays, l.err
}
