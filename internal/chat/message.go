package chat

import (
	"context"
	"math"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// Message is a message with its details as they are stored.
type Message = store.Message

// Messages returns a page of a session's messages, oldest first. A reply in progress has its text so far.
func (s *Service) Messages(
	ctx context.Context, userID int64, sessionID string, page parley.Page,
) (*List[Message], error) {
	if !id.Valid(sessionID) {
		return nil, parley.ErrNoSuchSession
	}
	page = page.Clamp()
	return newList(ctx, func(ctx context.Context) ([]Message, int64, reader[Message], error) {
		batch, total, err := s.store.Messages(ctx, userID, sessionID, page)
		skip, _ := page.Skip()
		r := messageRange{userID: userID, sessionID: sessionID, after: skip, last: skip + page.Size}
		return s.messages(r, batch, total, err)
	})
}

// messageRange is a range of the messages of a session.
type messageRange struct {
	userID      int64
	sessionID   string
	after, last int64 // the numbers of the message before the range and of its last one
}

// maxMessages is how many messages are read at once.
const maxMessages = parley.MaxPageSize

// messages returns a batch at the beginning of a range, and what reads the rest.
func (s *Service) messages(
	r messageRange, batch []Message, total int64, err error,
) ([]Message, int64, reader[Message], error) {
	if err != nil {
		return nil, 0, nil, err
	}
	s.turns.ShowLive(batch)
	r.after += int64(len(batch))
	if len(batch) == 0 || r.after >= min(r.last, total) {
		return batch, total, nil, nil
	}
	previous := batch[len(batch)-1].ID
	// Not the whole rest, since PostgreSQL sends what it is asked for even if it does not fit the batch.
	last := r.after + min(r.last-r.after, 2*int64(len(batch)), maxMessages)
	return batch, total, func(ctx context.Context) ([]Message, int64, reader[Message], error) {
		batch, total, err := s.store.MessagesAfter(ctx, r.userID, r.sessionID, r.after, last, previous)
		return s.messages(r, batch, total, err)
	}, nil
}

// Export returns a whole session: all but its messages, and these.
func (s *Service) Export(
	ctx context.Context, userID int64, sessionID string,
) (parley.Export, *List[Message], error) {
	session, err := s.session(ctx, userID, sessionID)
	if err != nil {
		return parley.Export{}, nil, err
	}
	messages, err := newList(ctx, func(ctx context.Context) ([]Message, int64, reader[Message], error) {
		batch, total, err := s.store.MessagesAfter(ctx, userID, sessionID, 0, maxMessages, "")
		return s.messages(messageRange{userID: userID, sessionID: sessionID, last: math.MaxInt64}, batch, total, err)
	})
	return parley.Export{
		SessionID:  sessionID,
		Title:      ShownTitle(session.Title),
		CreatedAt:  session.CreatedAt,
		ExportedAt: s.now().Unix(),
	}, messages, err
}
