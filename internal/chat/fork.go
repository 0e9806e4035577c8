package chat

import (
	"context"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// maxForkIndexing is how many of a user's texts may wait for the search index when a session is forked. A fork costs
// the server much more than its request, and this keeps a user from forking faster than the texts are indexed.
const maxForkIndexing = 5000

// Fork copies a session up to a message to a new session.
func (s *Service) Fork(
	ctx context.Context, userID int64, sessionID string, in parley.ForkInput,
) (parley.ForkOutput, error) {
	if !id.Valid(sessionID) {
		return parley.ForkOutput{}, parley.ErrNoSuchSession
	}
	if !id.Valid(in.MessageID) {
		if _, err := s.store.Session(ctx, userID, sessionID); err != nil {
			return parley.ForkOutput{}, err
		}
		return parley.ForkOutput{}, parley.ErrNoSuchMessage
	}
	busy, err := s.store.IsIndexing(ctx, userID, maxForkIndexing)
	if err != nil {
		return parley.ForkOutput{}, err
	}
	if busy {
		return parley.ForkOutput{}, parley.ErrForkBusy
	}
	fork := store.NewFork{
		ID: id.New(), UserID: userID, SessionID: sessionID, MessageID: in.MessageID, NewID: id.New, Now: s.now(),
	}
	return parley.ForkOutput{SessionID: fork.ID}, s.store.Fork(ctx, fork)
}
