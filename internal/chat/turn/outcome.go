package turn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/store"
)

// The reasons why a reply ends before it is complete.
var (
	errStopped  = errors.New("stopped by its user")
	errDeleted  = errors.New("the session was cleared or deleted")
	errMoved    = errors.New("the turn is no longer ours: it was ended, or another process makes the reply")
	errShutdown = errors.New("the server is shutting down")
)

// storeOutcome stores a reply that is complete or failed with err, and returns the outcome. After it returns the
// outcome is stored, unless another process continues the turn.
func (e *Engine) storeOutcome(r *reply, err error) (outcome error) {
	defer func() {
		// It is unknown whether the outcome is stored. If not, the reply is found as a stray.
		if p := recover(); p != nil {
			cause := fmt.Errorf("panic while storing a reply: %v\n%s", p, debug.Stack())
			outcome = parley.ErrReplyLate.WithBody(r.output()).WithCause(cause)
		}
	}()
	cause := context.Cause(r.ctx)
	switch {
	case err == nil:
		return e.keep(r, nil, e.store.FinishTurn)
	case errors.Is(cause, errStopped) && r.hasNewText():
		r.markStopped()
		return e.keep(r, nil, e.store.StopTurnWith)
	case errors.Is(cause, errStopped):
		return e.remove(r, parley.ErrTurnEnded)
	case errors.Is(cause, errDeleted):
		e.countAbandoned(r)
		return parley.ErrTurnEnded
	case errors.Is(cause, errMoved):
		e.countAbandoned(r)
		return cause
	case errors.Is(cause, errShutdown):
		return cause
	case r.Stream && r.hasNewText():
		reason := parley.ErrReplyInterrupted.WithCause(err)
		return e.keep(r, reason, func(ctx context.Context, t store.Turn, text string, details parley.Details) error {
			return e.store.InterruptTurn(ctx, t, text, details, reason, e.now())
		})
	default:
		return e.remove(r, publicError(err))
	}
}

// isInterrupted reports whether a reply failed but keeps its text.
func isInterrupted(err error) bool { return errors.Is(err, parley.ErrReplyInterrupted) }

// publicError returns the error that a client sees.
func publicError(err error) *parley.Error {
	var known *parley.Error
	if errors.As(err, &known) {
		return known
	}
	return parley.ErrInternal.WithCause(err)
}

// keep stores a reply with what it has used, and returns its outcome, which is nil or why it was interrupted.
func (e *Engine) keep(
	r *reply, outcome *parley.Error, write func(context.Context, store.Turn, string, parley.Details) error,
) error {
	t := e.spend(r)
	e.checkQuotes(r)
	text, details := r.soFar()
	err := e.persist(func(ctx context.Context) error { return write(ctx, t, text, details) })
	if err == nil {
		e.metrics.ModelTokens(t.Spent.Model, t.Spent.Usage.InputTokens, t.Spent.Usage.OutputTokens)
	}
	switch {
	case err == nil && outcome == nil:
		return nil
	case err == nil:
		return outcome
	case errors.Is(err, errMoved):
		e.countAbandoned(r)
		return err
	case e.ctx.Err() != nil: // another process generates the reply
		return errShutdown
	default:
		return e.remove(r, parley.ErrSendFailed.WithCause(err))
	}
}

// remove removes a failed turn and returns the error that its client sees. What it has used is counted only if its user
// has stopped it.
func (e *Engine) remove(r *reply, reason *parley.Error) error {
	t := r.Turn
	if errors.Is(context.Cause(r.ctx), errStopped) && r.hasOutput() {
		t = e.spend(r)
	}
	err := e.persist(func(ctx context.Context) error { return e.store.FailTurn(ctx, t, reason, e.now()) })
	switch {
	case err == nil:
		return reason
	case errors.Is(err, errMoved):
		return err
	default: // it is still open, and will be found as a stray and generated again
		return parley.ErrReplyLate.WithBody(r.output()).WithCause(errors.Join(reason, err))
	}
}

// persist stores an outcome, and retries for a while if the database can't be reached. It does so even though the
// reply's own context has ended.
func (e *Engine) persist(write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), storeTimeout)
	defer cancel()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := try(ctx, write)
		if err == nil {
			return nil
		}
		if errors.Is(err, store.ErrTurnLost) {
			return errMoved
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		case <-e.ctx.Done(): // shutting down: another process generates the reply
			return err
		}
	}
}

// try runs write for at most storeTry, since the database may not respond on one connection and respond on the next.
func try(ctx context.Context, write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, storeTry)
	defer cancel()
	return write(ctx)
}

// logFailure logs why a reply failed, since no client may be reading it, and returns the error without its cause.
func (e *Engine) logFailure(r *reply, err error) error {
	var failed *parley.Error
	if !errors.As(err, &failed) || failed.Unwrap() == nil {
		return err
	}
	e.log.Error("a reply failed",
		"session", r.SessionID, "reply", r.ReplyID, "code", int(failed.Code), "error", failed.Unwrap())
	return failed.WithCause(nil)
}

// newTokens estimates the tokens that the model has generated in this turn.
func (r *reply) newTokens() int {
	text, thinking := r.newText()
	return ai.Tokens(text) + ai.Tokens(thinking)
}

// countOutcome updates the metrics of a reply that has ended in this process.
func (e *Engine) countOutcome(r *reply, err error) {
	e.metrics.Tokens("reply", r.newTokens())
	outcome := "done"
	var failed *parley.Error
	switch {
	case errors.As(err, &failed):
		outcome = strconv.Itoa(int(failed.Code))
	case err != nil:
		outcome = "moved"
	}
	e.metrics.TurnEnded(outcome)
}
