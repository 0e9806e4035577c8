package openai

import (
	"context"
	"time"
)

// watch cancels a reply if the next line takes too long, or all of it does. Both limits share one timer.
type watch struct {
	idle, limit time.Duration // for a line, and for the whole reply
	deadline    time.Time     // when limit ends
	cancel      context.CancelCauseFunc

	wait  time.Duration // current limit for a line
	timer *time.Timer
}

// startWatch returns a context. Once a limit is exceeded, it is canceled with a *Failure as its cause.
func startWatch(ctx context.Context, idle, limit time.Duration) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{idle: idle, limit: limit, deadline: time.Now().Add(limit), cancel: cancel, wait: idle}
	w.timer = time.AfterFunc(w.left(), w.expire)
	return ctx, w
}

// start sets the limit for a line to wait, and starts the timer.
func (w *watch) start(wait time.Duration) {
	w.wait = wait
	w.reset()
}

// reset starts the timer again. It is called after every line.
func (w *watch) reset() { w.timer.Reset(w.left()) }

// stop stops the timer until the next start.
func (w *watch) stop() { w.timer.Stop() }

func (w *watch) left() time.Duration { return min(w.wait, time.Until(w.deadline)) }

// expire runs in the timer's goroutine and reads only fields that never change.
func (w *watch) expire() {
	if time.Now().Before(w.deadline) {
		w.cancel(silent(w.idle))
		return
	}
	w.cancel(tooSlow(w.limit))
}
