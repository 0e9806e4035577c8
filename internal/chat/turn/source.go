package turn

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// pollInterval is how often a reply of another replica is read again if no signal arrives.
const pollInterval = time.Second

// source provides views of a user's reply: of the live one if this process generates it, else of the stored one.
type source struct {
	engine  *Engine
	userID  int64
	replyID string

	live     *reply // set once this process generates the reply, and kept afterwards
	seen     bool   // an earlier view showed the reply
	wasOpen  bool   // an earlier view of the stored reply showed it open
	lastView view
}

// view returns the current view, and a channel that is closed when it may have changed. It returns
// parley.ErrNoSuchMessage if the reply does not exist or is another user's.
func (s *source) view(ctx context.Context) (view, <-chan struct{}, error) {
	v, changed, err := s.current(ctx)
	if err != nil {
		return view{}, nil, err
	}
	s.seen, s.lastView = true, v
	return v, changed, nil
}

func (s *source) current(ctx context.Context) (view, <-chan struct{}, error) {
	if s.live == nil {
		s.live = s.engine.find(s.replyID)
	}
	if s.live != nil {
		if s.live.UserID != s.userID {
			return view{}, nil, parley.ErrNoSuchMessage
		}
		v, changed := s.live.view()
		if !errors.Is(v.err, errMoved) {
			return v, changed, nil
		}
		s.live, s.seen, s.wasOpen = nil, true, true
	}
	return s.stored(ctx)
}

// stored reads the reply from the database.
func (s *source) stored(ctx context.Context) (view, <-chan struct{}, error) {
	if !id.Valid(s.replyID) {
		return view{}, nil, parley.ErrNoSuchMessage
	}
	changed := s.engine.notifier.wait(store.TurnChanged, s.replyID, pollInterval)
	r, err := s.engine.store.Reply(ctx, s.userID, s.replyID)
	var failed *parley.Error
	switch {
	case errors.Is(err, parley.ErrNoSuchMessage) && s.seen: // deleted since
		return s.failed(parley.ErrTurnEnded), changed, nil
	case errors.As(err, &failed) && failed.Code != parley.CodeNoSuchSession:
		return s.failed(failed), changed, nil
	case err != nil:
		return view{}, nil, err
	}
	v := view{
		questionID: r.QuestionID,
		timestamp:  r.Timestamp,
		attempt:    r.Attempt,
		text:       r.Content,
		details:    r.Details,
		moved:      int64(utf8.RuneCountInString(r.Details.Thinking)), // it is not stored how much it was
		behind:     r.Open,
		ended:      !r.Open,
	}
	if v.ended {
		v.status = r.Status
	}
	if v.ended && s.wasOpen {
		// If regenerating failed, the old text is current again, as a new attempt.
		failed, err := s.engine.store.RedoOutcome(ctx, s.userID, s.replyID, r.Attempt-1)
		if err != nil {
			return view{}, nil, err
		}
		if failed != nil {
			v.err = failed
		}
		if r.Status == parley.StatusInterrupted {
			if failed, err = s.engine.store.RedoOutcome(ctx, s.userID, s.replyID, r.Attempt); err != nil {
				return view{}, nil, err
			}
			if failed != nil {
				v.err, v.kept = failed, true
			}
		}
	}
	s.wasOpen = s.wasOpen || r.Open
	return v, changed, nil
}

// failed returns the last view, ended with an error.
func (s *source) failed(err error) view {
	v := s.lastView
	v.ended, v.err = true, err
	return v
}
