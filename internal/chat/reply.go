package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/store"
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

// storeTimeout bounds how long the storing of an outcome may take.
const storeTimeout = 30 * time.Second

// launch makes the reply of a turn in the background. It says no while shutting down.
func (s *Service) launch(t *turn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return false
	}
	s.live[t.ReplyID] = t
	s.running.Go(func() {
		err := s.make(t)
		s.mu.Lock()
		delete(s.live, t.ReplyID)
		s.mu.Unlock()
		if !t.adopted {
			s.lines.leave(t.SessionID)
		}
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

// make makes a reply and stores its outcome, which it returns. Once it returns, the
// outcome is stored, unless the turn goes on elsewhere.
func (s *Service) make(t *turn) error {
	err := s.reply(t)
	cause := context.Cause(t.ctx)
	// The outcome is stored even though the turn's own context has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), storeTimeout)
	defer cancel()
	text, details := t.soFar()
	switch {
	case err == nil, errors.Is(cause, errStopped) && text != "":
		return s.store(ctx, t, text, details)
	case errors.Is(cause, errStopped):
		return s.remove(ctx, t, parley.ErrTurnEnded.Because(cause))
	case errors.Is(cause, errEnded):
		return parley.ErrTurnEnded.Because(cause)
	case errors.Is(cause, errMoved):
		return errMoved
	case errors.Is(cause, errShutdown):
		return parley.ErrReplyLate.With(t.output()).Because(cause)
	default:
		return s.remove(ctx, t, reason(err))
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

// store keeps a complete reply.
func (s *Service) store(ctx context.Context, t *turn, text string, details parley.Details) error {
	err := s.Store.FinishTurn(ctx, t.OpenTurn, text, details)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrTurnLost):
		return errMoved
	default:
		return s.remove(ctx, t, parley.ErrSendFailed.Because(err))
	}
}

// remove takes back a turn that failed, and returns what its caller is told.
func (s *Service) remove(ctx context.Context, t *turn, reason *parley.Error) error {
	err := s.Store.FailTurn(ctx, t.OpenTurn, reason, s.Now())
	if errors.Is(err, store.ErrTurnLost) {
		return errMoved
	}
	if err != nil {
		s.Log.Error("remove a failed turn", "session", t.SessionID, "error", err)
		return parley.ErrSendFailed.Because(errors.Join(reason, err))
	}
	return reason
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
	model, err := s.model(t.Options.Model)
	if err != nil { // the setting has changed since the question was asked
		model = s.Models[0]
	}
	prompt, err := s.prompt(t, model)
	if err != nil {
		return err
	}
	if err := model.Model.Reply(t.ctx, prompt, func(c ai.Chunk) { t.add(c, s.Now()) }); err != nil {
		return parley.ErrAIUnavailable.Because(err)
	}
	return nil
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
		s.news.tell(store.TurnChanged, replyID)
	}
	_, err = f.wait(ctx)
	if errors.Is(err, parley.ErrTurnEnded) { // it ended before its first word
		return nil
	}
	return err
}
