package turn

import (
	"context"
	"errors"
	"io"
	"time"

	"parley"
	"parley/internal/store"
)

// Follower reads a user's reply while it is generated, on this replica or another: the live one if this process
// generates it, else the stored one. It is not safe for concurrent use.
type Follower struct {
	engine  *Engine
	userID  int64
	replyID string
	cursor  cursor

	live     *reply // set once this process generates the reply, and kept afterwards
	seen     bool   // an earlier view showed the reply
	wasOpen  bool   // an earlier view of the stored reply showed it open
	lastView view
}

// newFollower follows a reply of this process from its beginning, or from where it is continued. It returns all events
// even if the reply ends before the first call of Next.
func (e *Engine) newFollower(r *reply) *Follower {
	f := &Follower{
		engine: e, userID: r.UserID, replyID: r.ReplyID, live: r, cursor: newCursor(r.ReplyID, Position{}),
	}
	f.cursor.skip(r.Earlier().Text, r.Earlier().Details.Thinking)
	return f
}

// Follow reads a user's reply from a position; the zero position is the beginning. It returns parley.ErrNoSuchMessage
// if the reply does not exist or is another user's.
func (e *Engine) Follow(ctx context.Context, userID int64, replyID string, from Position) (*Follower, error) {
	f := &Follower{engine: e, userID: userID, replyID: replyID, cursor: newCursor(replyID, from)}
	if _, _, err := f.read(ctx); err != nil {
		return nil, err
	}
	f.cursor.more = true // the reader has read nothing of that view
	return f, nil
}

// Held returns how many bytes of text the follower holds in memory. The text of a reply that this process generates is
// held by the reply.
func (f *Follower) Held() int64 {
	if f.live != nil {
		return 0
	}
	return f.lastView.size()
}

// view returns the last view, without a channel, if the cursor has not reached its end, or else the current one.
func (f *Follower) view(ctx context.Context) (view, <-chan struct{}, error) {
	if f.cursor.more && f.live == nil {
		return f.lastView, nil, nil
	}
	return f.read(ctx)
}

// Next waits for the next events. It returns none if tick fires first, and io.EOF after the last event or if this
// process leaves the reply to another one.
//
// If ctx is canceled without a cause, a reply that has ended is still read to its end: a server that shuts down waits
// for replies, and its clients must receive their ends.
func (f *Follower) Next(ctx context.Context, tick <-chan time.Time) ([]Event, error) {
	for {
		events, changed, err := f.look(ctx)
		if err != nil || len(events) > 0 {
			return events, err
		}
		if changed == nil {
			continue
		}
		select {
		case <-changed:
		case <-tick:
			return nil, nil
		case <-ctx.Done(): // check one last time
		}
	}
}

// look returns the events that there are now. If there are none, the caller looks again when changed is closed, or at
// once if it is nil.
func (f *Follower) look(ctx context.Context) (events []Event, changed <-chan struct{}, err error) {
	if f.cursor.over {
		return nil, nil, io.EOF
	}
	v, changed, err := f.view(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case errors.Is(v.err, errShutdown):
		return nil, nil, io.EOF
	case ctx.Err() != nil && (!v.ended || !errors.Is(context.Cause(ctx), context.Canceled)):
		return nil, nil, ctx.Err()
	}
	return f.cursor.advance(v), changed, nil
}

// Wait waits for the end of the reply. If ctx ends first, the error is parley.ErrReplyLate with the text so far.
func (f *Follower) Wait(ctx context.Context) (parley.SendOutput, error) {
	for {
		seen := f.seen
		v, changed, err := f.read(ctx)
		switch {
		case err != nil && ctx.Err() != nil && seen:
			return f.late(f.lastView)
		case err != nil:
			return parley.SendOutput{}, err
		case errors.Is(v.err, errShutdown):
			return f.late(v)
		case v.err != nil:
			return parley.SendOutput{}, v.err
		case v.ended:
			return v.output(f.replyID), nil
		}
		live := f.live
		if live != nil {
			changed = live.done // only the end matters
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if live != nil {
				v, _ = live.view()
			}
			return f.late(v)
		}
	}
}

// late returns the error for a reply in progress, with its text so far.
func (f *Follower) late(v view) (parley.SendOutput, error) {
	return parley.SendOutput{}, parley.ErrReplyLate.WithBody(v.output(f.replyID))
}

// Stop ends a reply early and keeps its text so far. It returns when the reply has ended, or when ctx ends. A reply
// that has already ended is not changed.
func (e *Engine) Stop(ctx context.Context, userID int64, replyID string) error {
	f, err := e.Follow(ctx, userID, replyID, Position{})
	if err != nil {
		return err
	}
	if r := e.find(replyID); r != nil {
		r.cancel(errStopped)
	} else {
		open, err := e.store.StopTurn(ctx, userID, replyID)
		if err != nil || !open {
			return err
		}
		e.notifier.publish(store.TurnStopped, replyID)
		trigger(e.saveNow) // this process may be about to launch it
	}
	_, err = f.Wait(ctx)
	if errors.Is(err, parley.ErrTurnEnded) { // it had no text yet
		return nil
	}
	return err
}
