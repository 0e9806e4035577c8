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

// read returns the current view, and a channel that is closed when it may have changed. It returns
// parley.ErrNoSuchMessage if the reply does not exist or is another user's.
func (f *Follower) read(ctx context.Context) (view, <-chan struct{}, error) {
	v, changed, err := f.current(ctx)
	if err != nil {
		return view{}, nil, err
	}
	f.seen, f.lastView = true, v
	return v, changed, nil
}

func (f *Follower) current(ctx context.Context) (view, <-chan struct{}, error) {
	if f.live == nil {
		f.live = f.engine.find(f.replyID)
	}
	if f.live != nil {
		if f.live.UserID != f.userID {
			return view{}, nil, parley.ErrNoSuchMessage
		}
		v, changed := f.live.view()
		if !errors.Is(v.err, errMoved) {
			return v, changed, nil
		}
		f.live, f.seen, f.wasOpen = nil, true, true
	}
	return f.stored(ctx)
}

// stored reads the reply from the database.
func (f *Follower) stored(ctx context.Context) (view, <-chan struct{}, error) {
	if !id.Valid(f.replyID) {
		return view{}, nil, parley.ErrNoSuchMessage
	}
	changed := f.engine.notifier.wait(store.TurnChanged, f.replyID, pollInterval)
	r, err := f.engine.store.Reply(ctx, f.userID, f.replyID)
	var failed *parley.Error
	switch {
	case errors.Is(err, parley.ErrNoSuchMessage) && f.seen: // deleted since
		return f.failed(parley.ErrTurnEnded), changed, nil
	case errors.As(err, &failed) && failed.Code != parley.CodeNoSuchSession:
		return f.failed(failed), changed, nil
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
	if v.ended && f.wasOpen {
		// If regenerating failed, the old text is current again, as a new attempt.
		failed, err := f.engine.store.RedoOutcome(ctx, f.userID, f.replyID, r.Attempt-1)
		if err != nil {
			return view{}, nil, err
		}
		if failed != nil {
			v.err = failed
		}
		if r.Status == parley.StatusInterrupted {
			if failed, err = f.engine.store.RedoOutcome(ctx, f.userID, f.replyID, r.Attempt); err != nil {
				return view{}, nil, err
			}
			if failed != nil {
				v.err, v.kept = failed, true
			}
		}
	}
	f.wasOpen = f.wasOpen || r.Open
	return v, changed, nil
}

// failed returns the last view, ended with an error.
func (f *Follower) failed(err error) view {
	v := f.lastView
	v.ended, v.err = true, err
	return v
}
