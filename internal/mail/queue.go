package mail

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxWaiting bounds how many mails wait to be sent, those that are tried again included.
	maxWaiting = 1000
	// senders is how many mails are sent at a time. With one, a slow server would stop all of them.
	senders = 4
	// lastMails is how long the end of the server waits for mails.
	lastMails = 3 * time.Second
)

// Compose returns a mail to send, or false if there is none. It is called in the background.
type Compose func(context.Context) (Message, bool, error)

// QueueConfig holds what a Queue needs.
type QueueConfig struct {
	Send func(context.Context, Message) error // of a Server
	Log  *slog.Logger
	Now  func() time.Time
}

// Queue sends mails in the background and tries again what fails for now, while the mail is of use. It is in memory:
// what waits when the server ends is lost.
type Queue struct {
	send    func(context.Context, Message) error
	log     *slog.Logger
	now     func() time.Time
	jobs    chan *job
	waiting atomic.Int64 // jobs that have not ended
}

// job is a mail on its way.
type job struct {
	compose Compose
	message *Message // nil until it is composed
	tries   int
}

// NewQueue returns a queue. Run sends what is added to it.
func NewQueue(config QueueConfig) *Queue {
	return &Queue{send: config.Send, log: config.Log, now: config.Now, jobs: make(chan *job, maxWaiting)}
}

// Add adds a mail and returns at once. It returns false if too many wait.
func (q *Queue) Add(compose Compose) bool {
	if q.waiting.Add(1) > maxWaiting {
		q.waiting.Add(-1)
		return false
	}
	q.jobs <- &job{compose: compose} // there is room for all that wait
	return true
}

// Run sends mails until ctx ends. Then it sends what waits for the first time, for a few seconds.
func (q *Queue) Run(ctx context.Context) {
	if q == nil {
		return
	}
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastMails, cancel) })()
	var all sync.WaitGroup
	for range senders {
		all.Go(func() { q.work(ctx, working) })
	}
	all.Wait()
	if left := q.waiting.Load(); left > 0 {
		q.log.Warn("mails are lost, since the server ends", "count", left)
	}
}

// work sends mails until ctx ends and none waits, or working ends.
func (q *Queue) work(ctx, working context.Context) {
	for working.Err() == nil {
		select {
		case j := <-q.jobs:
			q.try(working, j)
			continue
		default:
		}
		select {
		case j := <-q.jobs:
			q.try(working, j)
		case <-ctx.Done():
			return
		}
	}
}

// try composes and sends a mail. If it fails for now, it is added again after a while.
func (q *Queue) try(ctx context.Context, j *job) {
	if j.message == nil {
		message, found, err := j.compose(ctx)
		if err != nil {
			q.log.Error("compose a mail", "error", err)
		}
		if err != nil || !found {
			q.waiting.Add(-1)
			return
		}
		j.message = &message
	}
	err := q.send(ctx, *j.message)
	if err == nil {
		q.waiting.Add(-1)
		return
	}
	pause := delay(j.tries)
	j.tries++
	if !Temporary(err) || q.now().Add(pause).After(j.message.Until) {
		q.log.Error("send a mail", "error", err, "tries", j.tries)
		q.waiting.Add(-1)
		return
	}
	q.log.Warn("a mail is sent again later", "error", err, "after", pause, "tries", j.tries)
	time.AfterFunc(pause, func() { q.jobs <- j })
}

// delay returns how long to wait after so many earlier tries. Servers that turn strangers away at first (greylisting)
// accept a mail after one to five minutes.
func delay(tries int) time.Duration {
	delays := []time.Duration{10 * time.Second, 50 * time.Second, 2 * time.Minute, 3 * time.Minute}
	return delays[min(tries, len(delays)-1)]
}
