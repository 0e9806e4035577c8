package store

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/search"
)

// SessionChange holds the fields of a session to change. Those that are nil stay the same.
type SessionChange struct {
	Title        *string
	Pinned       *bool
	Archived     *bool
	Instructions *string
	// ExpiresAt is when to delete the session; the zero time means never.
	ExpiresAt *time.Time
}

// UpdateSession changes a user's session, or returns parley.ErrNoSuchSession.
func (s *Store) UpdateSession(ctx context.Context, userID int64, sessionID string, change SessionChange) error {
	var steps []db.Step
	if change.Archived != nil {
		steps = append(steps, s.countArchived(userID, sessionID, *change.Archived)...)
	}
	steps = append(steps, db.Require(parley.ErrNoSuchSession, `
		UPDATE sessions SET title = COALESCE($3, title),
		    title_by = CASE WHEN CAST($3 AS TEXT) IS NULL THEN title_by ELSE 'user' END, pinned = COALESCE($4, pinned),
		    archived = COALESCE($5, archived), instructions = COALESCE($6, instructions),
		    expires_at = COALESCE($7, expires_at)
		WHERE user_id = $2 AND id = $1`,
		sessionID, userID, change.Title, storedIf(change.Pinned), storedIf(change.Archived), change.Instructions,
		storedTime(change.ExpiresAt)))
	if change.Title != nil {
		steps = append(steps, search.EnqueueStale(userID, sessionID, search.TitleNumber))
	}
	if err := s.db.Change(ctx, steps...); err != nil {
		return fmt.Errorf("update session: %w", err)
	}
	if change.Title != nil {
		s.search.Wake()
	}
	return nil
}

// storedIf returns a boolean as it is stored, or nil for nil.
func storedIf(set *bool) *int64 {
	if set == nil {
		return nil
	}
	return new(stored(*set))
}

// storedTime returns the end of a session as it is stored, or nil for nil.
func storedTime(at *time.Time) *int64 {
	if at == nil {
		return nil
	}
	return new(expiryMicros(*at))
}

// countArchived counts a session before it is archived or brought back. It returns parley.ErrNoSuchSession if there is
// none. If an open turn has brought the session back, it forgets this: now the user has decided.
func (s *Store) countArchived(userID int64, sessionID string, archived bool) []db.Step {
	return []db.Step{
		s.lockSession(userID, sessionID, parley.ErrNoSuchSession),
		db.Do(`
			UPDATE users SET archived_count = archived_count + $3 - (
			    SELECT archived FROM sessions WHERE user_id = $1 AND id = $2)
			WHERE id = $1`, userID, sessionID, stored(archived)),
		db.Do(`UPDATE turns SET archived = 0 WHERE user_id = $1 AND session_id = $2`, userID, sessionID),
	}
}

// unarchive brings back the session of a turn that was just opened. The turn remembers that the session was
// archived.
func unarchive(t NewTurn) []db.Step {
	return []db.Step{
		db.Do(`
			UPDATE users SET archived_count = archived_count - (
			    SELECT archived FROM sessions WHERE user_id = $1 AND id = $2)
			WHERE id = $1`, t.UserID, t.SessionID),
		db.Do(`UPDATE sessions SET archived = 0 WHERE user_id = $1 AND id = $2`, t.UserID, t.SessionID),
	}
}

// archiveAgain archives a session that an open turn has brought back.
func archiveAgain(t Turn) []db.Step {
	const broughtBack = `(SELECT archived FROM turns WHERE user_id = $1 AND session_id = $2) = 1`
	return []db.Step{
		db.Do(`
			UPDATE users SET archived_count = archived_count + 1 - (
			    SELECT archived FROM sessions WHERE user_id = $1 AND id = $2)
			WHERE id = $1 AND `+broughtBack, t.UserID, t.SessionID),
		db.Do(`UPDATE sessions SET archived = 1 WHERE user_id = $1 AND id = $2 AND `+broughtBack, t.UserID, t.SessionID),
	}
}
