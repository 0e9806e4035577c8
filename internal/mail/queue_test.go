package mail

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var (
	errLater = &failure{errors.New("later"), true}
	errNever = &failure{errors.New("never"), false}
)

// post is a server that notes when mails come, and replies to each one in turn.
type post struct {
	mu      sync.Mutex
	replies []error
	took    time.Duration
	came    []time.Duration // since it began
	began   time.Time
}

func (p *post) send(ctx context.Context, _ Message) error {
	select {
	case <-time.After(p.took):
	case <-ctx.Done():
		return ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.came = append(p.came, time.Since(p.began))
	if len(p.replies) == 0 {
		return nil
	}
	reply := p.replies[0]
	p.replies = p.replies[1:]
	return reply
}

// count returns how many mails came.
func (p *post) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.came)
}

// run runs a queue during do, in a bubble with its own time.
func run(t *testing.T, p *post, do func(q *Queue, stop func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p.began = time.Now()
		q := NewQueue(QueueConfig{Send: p.send, Log: slog.New(slog.DiscardHandler), Now: time.Now})
		ctx, cancel := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() { q.Run(ctx) })
		do(q, func() {
			cancel()
			done.Wait()
		})
		cancel()
		done.Wait()
	})
}

// halfAnHour composes a mail that expires in 30 minutes.
func halfAnHour(context.Context) (Message, bool, error) {
	return Message{Until: time.Now().Add(30 * time.Minute)}, true, nil
}

func TestAMailIsTriedAgainWhileItIsOfUse(t *testing.T) {
	const s, m = time.Second, time.Minute
	later := func(n int) []error { return slices.Repeat([]error{errLater}, n) }
	for _, c := range []struct {
		name    string
		replies []error
		want    []time.Duration
	}{
		{"at once", nil, []time.Duration{0}},
		{"greylisting", later(3), []time.Duration{0, 10 * s, m, 3 * m}},
		{"never", []error{errNever}, []time.Duration{0}},
		{"never, later", []error{errLater, errNever}, []time.Duration{0, 10 * s}},
		{
			"no server for an hour", later(100),
			[]time.Duration{0, 10 * s, m, 3 * m, 6 * m, 9 * m, 12 * m, 15 * m, 18 * m, 21 * m, 24 * m, 27 * m, 30 * m},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &post{replies: c.replies}
			run(t, p, func(q *Queue, _ func()) {
				q.Add(halfAnHour)
				<-time.After(time.Hour)
				if q.waiting.Load() != 0 {
					t.Errorf("%d mails wait", q.waiting.Load())
				}
			})
			if !slices.Equal(p.came, c.want) {
				t.Errorf("it was sent at %v, want %v", p.came, c.want)
			}
		})
	}
}

func TestNothingIsSentIfThereIsNoMail(t *testing.T) {
	p := &post{}
	run(t, p, func(q *Queue, _ func()) {
		q.Add(func(context.Context) (Message, bool, error) { return Message{}, false, nil })
		q.Add(func(context.Context) (Message, bool, error) { return Message{}, true, errors.New("no database") })
		synctest.Wait()
		if p.count() != 0 || q.waiting.Load() != 0 {
			t.Errorf("%d sent, %d wait", p.count(), q.waiting.Load())
		}
	})
}

func TestTheQueueIsBounded(t *testing.T) {
	p := &post{took: time.Hour}
	run(t, p, func(q *Queue, _ func()) {
		added := 0
		for range maxWaiting + 10 {
			if q.Add(halfAnHour) {
				added++
			}
			synctest.Wait()
		}
		if added != maxWaiting {
			t.Errorf("%d were added", added)
		}
	})
}

func TestASlowServerSendsSeveralAtATime(t *testing.T) {
	p := &post{took: time.Minute}
	run(t, p, func(q *Queue, _ func()) {
		for range 2 * senders {
			q.Add(halfAnHour)
		}
		<-time.After(2*time.Minute + time.Second)
		if p.count() != 2*senders {
			t.Errorf("%d sent after two minutes", p.count())
		}
	})
}

func TestAtTheEndWhatWaitsIsSentForAFewSeconds(t *testing.T) {
	t.Run("in time", func(t *testing.T) {
		p := &post{took: time.Second, replies: []error{errLater}}
		run(t, p, func(q *Queue, stop func()) {
			for range 2 * senders {
				q.Add(halfAnHour)
			}
			stop()
			if p.count() != 2*senders || q.waiting.Load() != 1 {
				t.Errorf("%d tried, %d lost", p.count(), q.waiting.Load())
			}
		})
	})
	t.Run("too slow", func(t *testing.T) {
		p := &post{took: time.Hour}
		run(t, p, func(q *Queue, stop func()) {
			q.Add(halfAnHour)
			synctest.Wait()
			began := time.Now()
			stop()
			if took := time.Since(began); took != lastMails {
				t.Errorf("the end took %s", took)
			}
		})
	})
}

func TestNoQueueRunsAtOnce(t *testing.T) {
	var q *Queue
	q.Run(t.Context())
}
