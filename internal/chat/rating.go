package chat

import (
	"context"

	"parley"
	"parley/internal/id"
)

// Rate sets what a user thinks of a reply: 1, -1, or 0 for nothing.
func (s *Service) Rate(ctx context.Context, userID int64, messageID string, rating int64) error {
	if !id.Valid(messageID) {
		return parley.ErrNoSuchMessage
	}
	sessionID, err := s.store.SessionOf(ctx, userID, messageID)
	if err != nil {
		return err
	}
	return s.store.Rate(ctx, userID, sessionID, messageID, rating, s.models()[0].Name)
}
