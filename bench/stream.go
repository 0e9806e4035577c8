package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// streamColumns are the columns of figures. Here the time is the delay of an event from the model to the client.
const streamColumns = "events/s\tp50 ms\tp99 ms\tCPU µs\tRSS MB\tKB each\topen in s"

// streams measures many replies that stream at once, each with a connection to the model and one to the client.
func streams(ctx context.Context, all []*candidate) error {
	for _, c := range all {
		err := c.start(ctx)
		if err == nil {
			err = c.seedSessions(ctx, c.streams)
		}
		if err == nil {
			err = c.restart(ctx)
		}
		if err == nil {
			c.model.trickle(c.pause)
			err = c.measureStreams(ctx)
			c.stop()
			c.model.usual()
		}
		if err != nil {
			return c.explain(err)
		}
	}
	return nil
}

func (c *candidate) measureStreams(ctx context.Context) error {
	idle, err := c.server.usage()
	if err != nil {
		return err
	}
	l := &listeners{web: newHTTPClient(c.streams)}
	defer l.reading.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := l.open(ctx, c); err != nil {
		return err
	}
	opened := time.Since(idle.at)
	if err := sleep(ctx, 2*c.pause); err != nil { // until each has received an event
		return err
	}
	if _, err := l.take(); err != nil {
		return err
	}
	before, err := c.server.usage()
	if err != nil {
		return err
	}
	delays, err := l.watch(ctx, c.window)
	if err != nil {
		return err
	}
	after, err := c.server.usage()
	if err != nil {
		return err
	}
	f := figures(delays, after.at.Sub(before.at), before, after)
	each := (after.memory - idle.memory) * 1000 / float64(c.streams)
	c.report.add(streamColumns, fmt.Sprintf("%d streams", c.streams), append(f, each, opened.Seconds())...)
	return nil
}

// watch takes the delays of the events of a window. If the machine is too busy for any, it waits for longer.
func (l *listeners) watch(ctx context.Context, window time.Duration) ([]time.Duration, error) {
	for {
		if err := sleep(ctx, window); err != nil {
			return nil, fmt.Errorf("wait for an event: %w", err)
		}
		if delays, err := l.take(); len(delays) > 0 || err != nil {
			return delays, err
		}
	}
}

// listeners read many streams.
type listeners struct {
	web     *http.Client
	reading sync.WaitGroup
	mu      sync.Mutex
	delays  []time.Duration
	err     error
}

// open opens the streams. Each is read until ctx ends.
func (l *listeners) open(ctx context.Context, c *candidate) error {
	const atOnce = 64
	var opening errgroup.Group
	opening.SetLimit(atOnce)
	for i := range c.streams {
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
		if ctx.Err() != nil {
			return
		}
		delays := parseDelays(line, time.Now())
		l.mu.Lock()
		l.delays = append(l.delays, delays...)
		if err != nil {
			l.err = fmt.Errorf("a stream ended: %w", err)
		}
		l.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// parseDelays returns how long ago the pieces in a line were sent.
func parseDelays(line []byte, now time.Time) (delays []time.Duration) {
	for {
		_, rest, found := bytes.Cut(line, []byte(sentMark))
		if !found {
			return delays
		}
		digits, rest, _ := bytes.Cut(rest, []byte(" "))
		if nanos, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
			delays = append(delays, now.Sub(time.Unix(0, nanos)))
		}
		line = rest
	}
}

// take returns the delays of the events since the last call.
func (l *listeners) take() ([]time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delays := l.delays
	l.delays = nil
	return delays, l.err
}
