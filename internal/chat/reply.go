package chat

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
	"parley/internal/tracing"
)

// Why a turn ends before its reply is complete.
var (
	errStopped  = errors.New("stopped by its user")
	errEnded    = errors.New("the session was cleared or deleted")
	errMoved    = errors.New("the turn is no longer ours: it was ended, or another process makes the reply")
	errShutdown = errors.New("the server is shutting down")
	errWornOut  = errors.New("given up after too many attempts")
)

// maxAttempts is how many processes may try to make a reply before it is given up.
const maxAttempts = 3

// maxLive is how many replies a process makes at once. Each holds its text and a
// connection to a model, whether anybody reads it or not.
const maxLive = 16_384

// storeTimeout bounds how long the storing of an outcome is tried.
const storeTimeout = 10 * time.Second

// admit lets a turn begin that shutting down will wait for, unless it has begun; done
// must be called when the turn is launched or given up. Where too many replies are being
// made the error is parley.ErrOverloaded.
func (s *Service) admit() (done func(), admitted bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.live) >= maxLive:
		return nil, false, parley.ErrOverloaded
	case s.draining:
		return func() {}, false, nil
	}
	s.running.Add(1)
	return s.running.Done, true, nil
}

// launch makes the reply of a turn in the background. It says no while shutting down,
// but to a turn that was admitted before.
func (s *Service) launch(t *turn, admitted bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining && !admitted {
		return false
	}
	span := s.traceTurn(t)
	s.live[t.ReplyID] = t
	s.Metrics.TurnBegan()
	s.running.Go(func() {
		err := s.tellLog(t, s.settle(t, s.reply(t)))
		s.count(t, err)
		s.mu.Lock()
		delete(s.live, t.ReplyID)
		s.mu.Unlock()
		if !t.adopted {
			s.lines.leave(t.SessionID)
		}
		span.End(err)
		t.finish(err)
		s.news.tell(store.TurnChanged, t.ReplyID)
		s.news.tell(store.SessionFree, t.SessionID)
	})
	return true
}

func (s *Service) liveTurn(replyID string) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live[replyID]
}

// endTurns ends the live turns that are meant: their messages are gone already.
func (s *Service) endTurns(meant func(*turn) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.live {
		if meant(t) {
			t.end(errEnded)
		}
	}
}

// settle stores the outcome of a turn whose reply was made, or not because of err, and
// returns it. Once it returns, the outcome is stored, unless the turn goes on elsewhere.
func (s *Service) settle(t *turn, err error) (outcome error) {
	defer func() {
		// Whether the outcome is stored is not known: if not, it is found as a stray.
		if p := recover(); p != nil {
			outcome = parley.ErrReplyLate.With(t.output()).Because(fmt.Errorf("panic while storing a reply: %v\n%s", p, debug.Stack()))
		}
	}()
	cause := context.Cause(t.ctx)
	text, details := t.soFar()
	switch {
	case err == nil, errors.Is(cause, errStopped) && text != "":
		return s.keep(t, text, details)
	case errors.Is(cause, errStopped):
		return s.remove(t, parley.ErrTurnEnded)
	case errors.Is(cause, errEnded):
		return parley.ErrTurnEnded
	case errors.Is(cause, errMoved), errors.Is(cause, errShutdown):
		return cause
	default:
		return s.remove(t, reason(err))
	}
}

// reason is what a caller is told of a reply that could not be made.
func reason(err error) *parley.Error {
	var known *parley.Error
	if errors.As(err, &known) {
		return known
	}
	return parley.ErrInternal.Because(err)
}

// tellLog writes down why a reply failed, and returns what its readers are told. The
// log is told here, since there may be no reader.
func (s *Service) tellLog(t *turn, err error) error {
	var failed *parley.Error
	if !errors.As(err, &failed) || failed.Unwrap() == nil {
		return err
	}
	s.Log.Error("a reply failed", "session", t.SessionID, "reply", t.ReplyID, "code", int(failed.Code), "error", failed.Unwrap())
	return failed.Because(nil)
}

// keep stores a complete reply.
func (s *Service) keep(t *turn, text string, details parley.Details) error {
	err := s.persist(func(ctx context.Context) error { return s.Store.FinishTurn(ctx, t.OpenTurn, text, details) })
	if err == nil || errors.Is(err, errMoved) {
		return err
	}
	return s.remove(t, parley.ErrSendFailed.Because(err))
}

// remove takes back a turn that failed, and returns what its caller is told.
func (s *Service) remove(t *turn, reason *parley.Error) error {
	err := s.persist(func(ctx context.Context) error { return s.Store.FailTurn(ctx, t.OpenTurn, reason, s.Now()) })
	switch {
	case err == nil:
		return reason
	case errors.Is(err, errMoved):
		return err
	default: // it is still open: it is found as a stray, and made anew
		return parley.ErrReplyLate.With(t.output()).Because(errors.Join(reason, err))
	}
}

// persist stores an outcome, and tries again for a while where the database can't be
// reached. It does so even though the turn's own context has ended.
func (s *Service) persist(write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), storeTimeout)
	defer cancel()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := write(ctx)
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
		case <-s.ctx.Done(): // shutting down: it is left to another process
			return err
		}
	}
}

// reply gathers what the model needs and lets it answer.
func (s *Service) reply(t *turn) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = parley.ErrInternal.Because(fmt.Errorf("panic while making a reply: %v", p))
		}
	}()
	if t.Attempt-t.First >= maxAttempts {
		return parley.ErrAIUnavailable.Because(errWornOut)
	}
	model, prompt, err := s.gather(t)
	if err != nil {
		return err
	}
	emit := func(c ai.Chunk) {
		if t.add(c, s.Now()) {
			s.Metrics.FirstToken(s.Now().Sub(t.Begun))
		}
	}
	if err := s.ask(t.ctx, model, prompt, emit); err != nil {
		return parley.ErrAIUnavailable.Because(err)
	}
	return nil
}

// ask lets the model answer.
func (s *Service) ask(ctx context.Context, model ai.Model, prompt *ai.Prompt, emit func(ai.Chunk)) (err error) {
	ctx, span := s.Tracer.Call(ctx, "model")
	defer func() { span.End(err) }()
	return model.Reply(ctx, *prompt, emit)
}

// traceTurn begins the span of a turn that nobody else knows yet.
func (s *Service) traceTurn(t *turn) *tracing.Span {
	var span *tracing.Span
	t.ctx, span = s.Tracer.Start(t.ctx, "turn")
	span.Text("parley.session", t.SessionID)
	span.Text("parley.reply", t.ReplyID)
	span.Number("parley.attempt", int64(t.Attempt))
	return span
}

// gather returns the model that is to make the reply, and what it is asked.
func (s *Service) gather(t *turn) (ai.Model, *ai.Prompt, error) {
	model, err := s.model(t.Options.Model)
	if err != nil { // the setting has changed since the question was asked
		model = s.Models[0]
	}
	prompt, err := s.prompt(t, model)
	if err != nil {
		return nil, nil, err
	}
	return model.Model, &prompt, nil
}

// count notes how a turn has ended here.
func (s *Service) count(t *turn, err error) {
	text, details := t.soFar()
	s.Metrics.Tokens("reply", ai.Tokens(text)+ai.Tokens(details.Thinking))
	outcome := "done"
	var failed *parley.Error
	switch {
	case errors.As(err, &failed):
		outcome = strconv.Itoa(int(failed.Code))
	case err != nil:
		outcome = "moved"
	}
	s.Metrics.TurnEnded(outcome)
}

// Stop ends a reply early and keeps what was said so far. On a finished reply it
// changes nothing. It returns when the reply has ended, or with ctx.
func (s *Service) Stop(ctx context.Context, userID int64, replyID string) error {
	f, err := s.Follow(ctx, userID, replyID, Position{})
	if err != nil {
		return err
	}
	if t := s.liveTurn(replyID); t != nil {
		t.end(errStopped)
	} else {
		open, err := s.Store.StopTurn(ctx, userID, replyID)
		if err != nil || !open {
			return err
		}
		s.news.tell(store.TurnStopped, replyID)
	}
	_, err = f.wait(ctx)
	if errors.Is(err, parley.ErrTurnEnded) { // it ended before its first word
		return nil
	}
	return err
}
