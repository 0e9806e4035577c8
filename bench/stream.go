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

// streaming holds the measurements of many replies that stream at once. The figures are the delay of each event from
// the model to the client, and the server's CPU time per event.
type streaming struct {
	number       int
	open         float64 // seconds until all were open
	memoryBefore float64
	figures
}

// kbEach returns the resident memory per stream, in KB.
func (s streaming) kbEach() float64 {
	return (s.memory - s.memoryBefore) * 1000 / float64(max(1, s.number))
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
	idle, err := c.server.usage()
	if err != nil {
		return err
	}
	l := &listeners{web: newHTTPClient(c.plan.streams)}
	defer l.reading.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := l.open(ctx, c); err != nil {
		return err
	}
	opened := time.Since(idle.at)
	if err := sleep(ctx, 2*c.plan.pause); err != nil { // until each has received an event
		return err
	}
	before, err := c.server.usage()
	if err != nil {
		return err
	}
	if err := sleep(ctx, c.plan.window); err != nil {
		return err
	}
	after, err := c.server.usage()
	if err != nil {
		return err
	}
	delays, err := l.delays(before.at, after.at)
	if err != nil {
		return err
	}
	f := newFigures(delays, after.at.Sub(before.at))
	f.cpu, f.memory = perRequest(after.cpu-before.cpu, delays), after.memory
	c.report.streams = streaming{number: c.plan.streams, open: opened.Seconds(), memoryBefore: idle.memory, figures: f}
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
