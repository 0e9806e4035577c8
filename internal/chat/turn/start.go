package turn

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/tracing"
)

// retryBegin is how often a send checks whether its session is free on other replicas if no signal arrives.
const retryBegin = 200 * time.Millisecond

// Start stores a question with an open reply, or reopens the last reply, and starts to generate it. It waits until the
// session has no other open turn. It returns store.ErrKeyTaken if another send with the same key came first, and
// parley.ErrShuttingDown while draining.
func (e *Engine) Start(ctx context.Context, turn store.NewTurn) (*Follower, error) {
	done, err := e.admit()
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := e.untilShutdown(ctx)
	defer cancel()

	if err := e.enqueue(ctx, turn.SessionID); err != nil {
		return nil, err
	}
	launched := false
	defer func() { // also after a panic
		if !launched {
			e.queue.release(turn.SessionID)
		}
	}()
	open, err := e.begin(ctx, &turn)
	if err != nil {
		if reply, err := e.findBegun(ctx, turn, err); reply != nil || err != nil {
			return reply, err
		}
		return nil, startError(ctx, err)
	}
	r := e.newReply(ctx, *open)
	e.launch(r)
	launched = true
	return e.newFollower(r), nil
}

// admit makes Drain wait until done is called. It returns parley.ErrShuttingDown while draining, and
// parley.ErrOverloaded if the process generates the maximum number of replies.
func (e *Engine) admit() (done func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.draining:
		return nil, parley.ErrShuttingDown
	case len(e.live) >= maxLive:
		return nil, parley.ErrOverloaded
	}
	e.running.Add(1)
	return e.running.Done, nil
}

// enqueue waits in the session's queue.
func (e *Engine) enqueue(ctx context.Context, sessionID string) error {
	defer e.metrics.SendWaits()()
	return e.queue.acquire(ctx, sessionID)
}

// untilShutdown returns a context that also ends when Drain gives up on the remaining replies.
func (e *Engine) untilShutdown(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(e.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// begin stores the turn as soon as no other replica has one open in the same session.
func (e *Engine) begin(ctx context.Context, turn *store.NewTurn) (open *store.Turn, err error) {
	err = e.whenFree(ctx, turn.SessionID, func() error {
		open, err = e.tryBegin(ctx, turn)
		return err
	})
	return open, err
}

// whenFree calls do until it does not return store.ErrTurnOpen.
func (e *Engine) whenFree(ctx context.Context, sessionID string, do func() error) error {
	var free <-chan struct{}
	for {
		err := do()
		if !errors.Is(err, store.ErrTurnOpen) {
			return err
		}
		if free != nil {
			select {
			case <-free:
			case <-ctx.Done():
				return parley.ErrTurnBusy.WithCause(ctx.Err())
			}
		}
		// Registered before the next try. Otherwise a signal in between would be missed.
		free = e.notifier.wait(store.SessionFree, sessionID, retryBegin)
	}
}

// tryBegin stores the turn when the limiter has room.
func (e *Engine) tryBegin(ctx context.Context, turn *store.NewTurn) (*store.Turn, error) {
	if err := e.limiter.Acquire(ctx, turn.UserID); err != nil {
		return nil, err
	}
	defer e.limiter.Release(turn.UserID)
	turn.Owner, turn.Now = e.owner, e.now()
	open, err := e.store.BeginTurn(ctx, *turn)
	return &open, err
}

// findBegun finds a turn that the database has stored although BeginTurn failed, for example because the database is
// slow. The turn is then taken over like a turn of a dead process. The Follower is nil if nothing is stored. If
// findBegun can't find out, the error is parley.ErrReplyLate, with the ids of a new reply.
func (e *Engine) findBegun(ctx context.Context, turn store.NewTurn, failure error) (*Follower, error) {
	if !isInDoubt(failure) || turn.Owner == "" || turn.ReplyID == "" && e.generatesIn(turn.SessionID) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.doubtTime)
	defer cancel()
	replyID, err := e.store.ReleaseTurn(ctx, turn)
	if err == nil && replyID == "" {
		e.denied.add(turn.ReplyID, e.now())
		return nil, nil
	}
	var f *Follower
	if err == nil {
		f, err = e.Follow(ctx, turn.UserID, replyID, Position{})
	}
	if err != nil {
		late := parley.ErrReplyLate.WithCause(errors.Join(failure, err))
		if turn.ReplyID == "" { // it was to be regenerated or continued
			return nil, late
		}
		sent := view{questionID: turn.QuestionID, timestamp: turn.Now.Unix()}
		return nil, late.WithBody(sent.output(turn.ReplyID))
	}
	if turn.Continue {
		f.cursor.skip(f.lastView.text, f.lastView.details.Thinking)
	}
	trigger(e.renewNow)
	return f, nil
}

// generatesIn reports whether this process generates a reply of a session. The reply was taken over then, since the
// session's queue lets no other send begin.
func (e *Engine) generatesIn(sessionID string) bool {
	return len(e.liveMatching(func(r *reply) bool { return r.SessionID == sessionID })) > 0
}

// isInDoubt reports whether a turn may be stored although BeginTurn returned an error.
func isInDoubt(err error) bool {
	var known *parley.Error
	return !errors.As(err, &known) && !errors.Is(err, store.ErrKeyTaken) && !store.Refused(err)
}

// startError converts an error to the one that Start returns.
func startError(ctx context.Context, err error) error {
	var known *parley.Error
	switch {
	case errors.As(err, &known), errors.Is(err, store.ErrKeyTaken):
		return err
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded): // ctx may end a little after its parent
		return parley.ErrTurnBusy.WithCause(err)
	default:
		return parley.ErrSendFailed.WithCause(err)
	}
}

// launch generates a reply in the background. The caller must have called admit.
func (e *Engine) launch(r *reply) {
	span := e.startSpan(r)
	e.mu.Lock()
	e.live[r.ReplyID] = r
	e.mu.Unlock()
	e.metrics.TurnBegan()
	e.running.Go(func() { e.run(r, span) })
}

// run generates a reply, stores its outcome and publishes it.
func (e *Engine) run(r *reply, span *tracing.Span) {
	err := e.storeOutcome(r, e.generate(r))
	err = e.logFailure(r, err)
	e.countOutcome(r, err)
	e.mu.Lock()
	if e.live[r.ReplyID] == r {
		delete(e.live, r.ReplyID)
	}
	e.mu.Unlock()
	if !r.adopted {
		e.queue.release(r.SessionID)
	}
	span.End(err)
	r.finish(err)
	e.notifier.publish(store.TurnChanged, r.ReplyID)
	e.notifier.publish(store.SessionFree, r.SessionID)
	if err == nil {
		text, _ := r.soFar()
		e.finished(&r.Turn, text)
	}
}

// startSpan starts the trace span of a reply. No other goroutine may use the reply yet.
func (e *Engine) startSpan(r *reply) *tracing.Span {
	var span *tracing.Span
	r.ctx, span = e.tracer.Start(r.ctx, "turn")
	span.Text("parley.session", r.SessionID)
	span.Text("parley.reply", r.ReplyID)
	span.Number("parley.attempt", int64(r.Attempt))
	return span
}
