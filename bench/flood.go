package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// standing is how many connections there are before a flood, and crowd how many it may
	// take: where none is free another is opened.
	standing = 1_000
	crowd    = 8_000
	// arrivalsEvery is how often requests are sent that have become due.
	arrivalsEvery = time.Millisecond
)

// flood is requests that come at their own pace, however long earlier ones take.
type flood struct {
	address string
	all     sync.WaitGroup

	mu       sync.Mutex
	free     []*connection
	dialled  int
	accepted []time.Duration
	refused  []time.Duration // with 503 and Retry-After
	missed   int             // no connection was left to send it over
	err      error
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

// send sends so many requests a second for a while. It returns how many have been
// accepted and answered by then; all is for those that haven't.
func (f *flood) send(ctx context.Context, perSecond float64, d time.Duration, request func(n int) []byte) (int, error) {
	ticker := time.NewTicker(arrivalsEvery)
	defer ticker.Stop()
	before := f.count()
	begun := time.Now()
	for sent := 0; time.Since(begun) < d; {
		for due := int(time.Since(begun).Seconds() * perSecond); sent < due; sent++ {
			n, at := sent, time.Now()
			f.all.Go(func() { f.sendOne(ctx, request(n), at) })
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	return f.count() - before, nil
}

func (f *flood) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.accepted)
}

// failed says why the flood is none: something went wrong, or all were turned away.
func (f *flood) failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil && len(f.accepted) == 0 {
		return errors.New("nothing was accepted")
	}
	return f.err
}

// sendOne sends one request and notes how it was answered.
func (f *flood) sendOne(ctx context.Context, request []byte, begun time.Time) {
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
