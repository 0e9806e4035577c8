package ai

import (
	"context"
	"time"
)

// watch ends a reply that takes too long: the wait for a line, or all of it. Both are
// one timer, since there is a watch for each of thousands of replies.
type watch struct {
	idle, limit time.Duration // for a line, and for the whole reply
	deadline    time.Time     // when limit is over
	end         context.CancelCauseFunc

	wait  time.Duration // for a line, at present
	timer *time.Timer
}

// watched begins a reply. Its context ends with a Failure as the cause once a time is
// over, and with the watch.
func watched(ctx context.Context, idle, limit time.Duration) (context.Context, *watch) {
	ctx, end := context.WithCancelCause(ctx)
	w := &watch{idle: idle, limit: limit, deadline: time.Now().Add(limit), end: end, wait: idle}
	w.timer = time.AfterFunc(w.left(), w.ring)
	return ctx, w
}

// start begins to wait, now and after every line, for as long as wait.
func (w *watch) start(wait time.Duration) {
	w.wait = wait
	w.wind()
}

// wind begins the wait anew: a line has come.
func (w *watch) wind() { w.timer.Reset(w.left()) }

// stop makes the watch wait for nothing until it is started.
func (w *watch) stop() { w.timer.Stop() }

func (w *watch) left() time.Duration { return min(w.wait, time.Until(w.deadline)) }

// ring is called by the timer, and reads only what does not change.
func (w *watch) ring() {
	if time.Now().Before(w.deadline) {
		w.end(silent(w.idle))
		return
	}
	w.end(tooSlow(w.limit))
}
