package chat

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/id"
	"parley/internal/store"
)

// lookAgain is how often a send looks whether another replica has finished with its
// session, where no signal comes.
const lookAgain = 200 * time.Millisecond

// Send asks a question and waits for the reply. Where ctx ends first the reply goes
// on, and the error is parley.ErrReplyLate with what there is so far. A key, where
// not empty, makes the send idempotent.
func (s *Service) Send(ctx context.Context, userID int64, in parley.SendInput, key string) (parley.SendOutput, error) {
	f, err := s.Ask(ctx, userID, in, key)
	if err != nil {
		return parley.SendOutput{}, err
	}
	return f.wait(ctx)
}

// Regenerate makes the last reply of a session anew and waits for it as Send does.
func (s *Service) Regenerate(ctx context.Context, userID int64, sessionID string, in parley.RegenerateInput) (parley.SendOutput, error) {
	t, err := s.beginAgain(ctx, userID, sessionID, in.ReplyOptions)
	if err != nil {
		return parley.SendOutput{}, err
	}
	return t.follower(s).wait(ctx)
}

// Ask asks a question and returns a reader of the reply, which is stored as begun.
func (s *Service) Ask(ctx context.Context, userID int64, in parley.SendInput, key string) (*Follower, error) {
	for {
		if key != "" {
			f, err := s.asked(ctx, userID, in, key)
			if f != nil || err != nil {
				return f, err
			}
		}
		t, err := s.begin(ctx, userID, in, key)
		if err == nil {
			return t.follower(s), nil
		}
		if !errors.Is(err, store.ErrKeyTaken) {
			return nil, err
		}
		// Another send with this key came first while this one waited: look for it
		// again. If that one has failed meanwhile, its key is free.
	}
}

// Asked reports whether a user's idempotency key is known: a send with it makes nothing
// new. Where that can't be found out it is not.
func (s *Service) Asked(ctx context.Context, userID int64, key string) bool {
	_, found, err := s.Store.FindKey(ctx, userID, key)
	return found && err == nil
}

// asked finds the reply of an earlier send with the same key, if there was one.
func (s *Service) asked(ctx context.Context, userID int64, in parley.SendInput, key string) (*Follower, error) {
	earlier, found, err := s.Store.FindKey(ctx, userID, key)
	if err != nil || !found {
		return nil, err
	}
	if earlier.Digest != digest(in) {
		return nil, parley.Invalid("Idempotency-Key was used for another message")
	}
	return s.Follow(ctx, userID, earlier.ReplyID, Position{})
}

// digest stands for the input of a send.
func digest(in parley.SendInput) string {
	text, err := json.Marshal(in)
	if err != nil {
		panic(err) // strings and booleans can always be encoded
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// follower reads the turn from its beginning. It holds the turn itself, so that it
// sees the end even when the turn is over before it looks.
func (t *turn) follower(s *Service) *Follower {
	return &Follower{service: s, userID: t.UserID, replyID: t.ReplyID, turn: t}
}

// begin stores a question and starts the making of its reply.
func (s *Service) begin(ctx context.Context, userID int64, in parley.SendInput, key string) (*turn, error) {
	if strings.TrimSpace(in.Content) == "" {
		return nil, parley.Invalid("content is required and must not be blank")
	}
	model, err := s.model(in.Model)
	if err != nil {
		return nil, err
	}
	if ai.Tokens(in.Content) > model.ContextTokens-replyReserve(model.ContextTokens) {
		return nil, parley.Invalid("content is longer than the model's context; send it in parts, or upload it as a file")
	}
	head, err := s.session(ctx, userID, in.SessionID)
	if err != nil {
		return nil, err
	}
	if in.WebSearch && s.Search == nil {
		return nil, parley.ErrSearchNotSetUp
	}
	title := ""
	if head.Title == "" || head.Provisional {
		title = titleFrom(in.Content)
	}
	sum := ""
	if key != "" {
		sum = digest(in)
	}
	return s.startTurn(ctx, in.SessionID, func() (store.OpenTurn, error) {
		return s.Store.BeginTurn(ctx, store.NewTurn{
			UserID: userID, SessionID: in.SessionID, QuestionID: id.New(), ReplyID: id.New(),
			Content: in.Content, Options: in.ReplyOptions, NoFiles: !head.HasFiles, Title: title, Key: key, Digest: sum, Owner: s.owner, Now: s.Now(),
		})
	})
}

// beginAgain opens the last reply of a session again and starts the making of it.
func (s *Service) beginAgain(ctx context.Context, userID int64, sessionID string, options parley.ReplyOptions) (*turn, error) {
	if _, err := s.model(options.Model); err != nil {
		return nil, err
	}
	if _, err := s.session(ctx, userID, sessionID); err != nil {
		return nil, err
	}
	if options.WebSearch && s.Search == nil {
		return nil, parley.ErrSearchNotSetUp
	}
	return s.startTurn(ctx, sessionID, func() (store.OpenTurn, error) {
		return s.Store.BeginRedo(ctx, userID, sessionID, options, s.owner)
	})
}

// session finds a user's session.
func (s *Service) session(ctx context.Context, userID int64, sessionID string) (store.SessionHead, error) {
	if !id.Valid(sessionID) {
		return store.SessionHead{}, parley.ErrNoSuchSession
	}
	return s.Store.Session(ctx, userID, sessionID)
}

// startTurn waits for the session's turn, opens it, and starts the making of its reply.
// Shutting down waits for it, until replies are given up.
func (s *Service) startTurn(ctx context.Context, sessionID string, open func() (store.OpenTurn, error)) (*turn, error) {
	done, admitted, err := s.admit()
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	over := s.Metrics.SendWaits()
	err = s.lines.enter(ctx, sessionID)
	over()
	if err != nil {
		return nil, err
	}
	launched := false
	defer func() { // also after a panic: the session must not wait for us for ever
		if !launched {
			s.lines.leave(sessionID)
		}
	}()
	opened, err := s.openTurn(ctx, sessionID, open)
	if err != nil {
		return nil, sendError(ctx, err)
	}
	t := s.newTurn(ctx, opened)
	if launched = s.launch(t, admitted); !launched {
		// Shutting down: another process finds the open turn and makes the reply.
		return nil, parley.ErrReplyLate.With(t.output())
	}
	return t, nil
}

// openTurn opens a turn, once no other replica has one open in the same session.
func (s *Service) openTurn(ctx context.Context, sessionID string, open func() (store.OpenTurn, error)) (store.OpenTurn, error) {
	var free <-chan struct{}
	for {
		t, err := s.throughGate(ctx, open)
		if !errors.Is(err, store.ErrTurnOpen) {
			return t, err
		}
		if free != nil {
			select {
			case <-free:
			case <-ctx.Done():
				return t, parley.ErrTurnBusy.Because(ctx.Err())
			}
		}
		// Asked for before the next look, so that no signal falls in between.
		free = s.news.await(store.SessionFree, sessionID, lookAgain)
	}
}

// throughGate opens a turn when there is room for it.
func (s *Service) throughGate(ctx context.Context, open func() (store.OpenTurn, error)) (store.OpenTurn, error) {
	if err := s.Limiter.Acquire(ctx); err != nil {
		return store.OpenTurn{}, err
	}
	defer s.Limiter.Release()
	return open()
}

// sendError is what a caller is told of a turn that could not be opened.
func sendError(ctx context.Context, err error) error {
	var known *parley.Error
	switch {
	case errors.As(err, &known), errors.Is(err, store.ErrKeyTaken):
		return err
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded): // ctx hears of its parent's end a little later
		return parley.ErrTurnBusy.Because(err)
	default:
		return parley.ErrSendFailed.Because(err)
	}
}
