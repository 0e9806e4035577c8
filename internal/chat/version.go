package chat

import (
	"context"

	"parley"
	"parley/internal/id"
)

// ShowVersion makes a version of a message visible, with the messages that followed it. Version 0 is the one with that
// id. It waits until the session has no open turn.
func (s *Service) ShowVersion(ctx context.Context, userID int64, messageID string, version int64) error {
	if !id.Valid(messageID) {
		return parley.ErrNoSuchMessage
	}
	sessionID, err := s.store.SessionOf(ctx, userID, messageID)
	if err != nil {
		return err
	}
	return s.turns.ShowVersion(ctx, userID, sessionID, messageID, version)
}

// checkReplaceable checks the message that a question replaces, if there is one.
func (s *Service) checkReplaceable(ctx context.Context, userID int64, in parley.SendInput) error {
	switch {
	case in.Replaces == "":
		return nil
	case !id.Valid(in.Replaces):
		return parley.ErrNoSuchMessage
	}
	return s.store.CheckReplaceable(ctx, userID, in.SessionID, in.Replaces)
}
