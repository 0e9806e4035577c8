package store

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/search"
)

// NewFork is a session to create from the beginning of another.
type NewFork struct {
	ID        string
	UserID    int64
	SessionID string // the other session
	MessageID string // the last message of the fork, or its question
	// NewID returns the id of another message.
	NewID func() string
	Now   time.Time
}

// Fork copies the visible messages of a session up to one of them, with the reply if it is a question, to a new session
// that has the same files. It returns parley.ErrNoSuchSession or parley.ErrNoSuchMessage if there is no such visible
// message, parley.ErrForkOpen if its reply is in progress, and parley.ErrForkTooLarge.
func (s *Store) Fork(ctx context.Context, f NewFork) error {
	err := s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		var last int64
		err := s.db.RunSteps(ctx, q, []db.Step{
			s.lockSession(f.UserID, f.SessionID, parley.ErrNoSuchSession),
			db.Require(parley.ErrNoSuchMessage, `
				SELECT m.number + m.number % 2 FROM sessions s
				JOIN messages m ON m.user_id = $1 AND m.session_id = $2 AND m.id = $3 AND `+isVisible(`$1`)+`
				WHERE s.user_id = $1 AND s.id = $2`, f.UserID, f.SessionID, f.MessageID).Into(&last),
		})
		if err != nil {
			return err
		}
		if err := s.db.RunSteps(ctx, q, checkFork(f, last)); err != nil {
			return err
		}
		branches, err := db.List(ctx, q, db.ScanOne[int64], `
			SELECT m.branch FROM sessions s
			JOIN messages m ON m.user_id = $1 AND m.session_id = $2 AND m.number <= $3 AND `+isVisible(`$1`)+`
			WHERE s.user_id = $1 AND s.id = $2 ORDER BY m.number`, f.UserID, f.SessionID, last)
		if err != nil {
			return err
		}
		return s.db.RunSteps(ctx, q, copySession(f, branches))
	})
	if err != nil {
		return fmt.Errorf("fork session: %w", err)
	}
	s.search.Wake()
	return nil
}

// checkFork checks that the messages up to a number can be copied. A reply that is generated again or continued has its
// old text until then.
func checkFork(f NewFork, last int64) []db.Step {
	return []db.Step{
		db.Require(parley.ErrForkOpen, `
			SELECT 1 FROM sessions s WHERE s.user_id = $1 AND s.id = $2 AND NOT EXISTS (
			    SELECT 1 FROM turns t WHERE t.user_id = $1 AND t.session_id = $2 AND t.redo = 0 AND t.number <= $3)`,
			f.UserID, f.SessionID, last).Into(new(int)),
		db.Require(parley.ErrForkTooLarge, `
			SELECT 1 FROM (
			    SELECT COALESCE(sum(octet_length(m.content) + octet_length(m.details)), 0) AS size FROM sessions s
			    JOIN messages m ON m.user_id = $1 AND m.session_id = $2 AND m.number <= $3 AND `+isVisible(`$1`)+`
			    WHERE s.user_id = $1 AND s.id = $2) copied
			WHERE CAST($3 AS BIGINT) <= CAST($4 AS BIGINT) AND size <= CAST($5 AS BIGINT)`,
			f.UserID, f.SessionID, last, parley.MaxForkMessages, parley.MaxForkBytes).Into(new(int)),
	}
}

// copySession creates the fork. branches are those of the messages to copy, in order.
func copySession(f NewFork, branches []int64) []db.Step {
	lastAt := `(SELECT created_at FROM messages WHERE user_id = $1 AND session_id = $2 AND number = $5 AND branch = $6)`
	last := int64(len(branches))
	steps := []db.Step{
		db.Require(parley.ErrBadToken, `UPDATE users SET session_count = session_count + 1 WHERE id = $1`, f.UserID),
		db.Do(`
			INSERT INTO sessions (user_id, id, title, title_by, instructions, message_count, last_message_at, active_at,
			    created_at, expires_at, temporary)
			SELECT user_id, $3, title, title_by, instructions, $5, `+lastAt+`, $4, $4,
			    CASE WHEN temporary = 1 THEN $7 ELSE expires_at END, temporary
			FROM sessions WHERE user_id = $1 AND id = $2`,
			f.UserID, f.SessionID, f.ID, micros(f.Now), last, branches[last-1], micros(f.Now.Add(parley.TemporaryLife))),
	}
	for n, branch := range branches {
		steps = append(steps, db.Do(`
			INSERT INTO messages (user_id, session_id, number, id, role, content, status, details, created_at)
			SELECT user_id, $3, number, $4, role, content, status, details, created_at FROM messages
			WHERE user_id = $1 AND session_id = $2 AND number = $5 AND branch = $6`,
			f.UserID, f.SessionID, f.ID, f.NewID(), n+1, branch))
	}
	return append(steps,
		db.Do(`
			INSERT INTO file_links (user_id, session_id, file_id)
			SELECT user_id, $3, id FROM files WHERE user_id = $1 AND session_id = $2
			UNION
			SELECT user_id, $3, file_id FROM file_links WHERE user_id = $1 AND session_id = $2`,
			f.UserID, f.SessionID, f.ID),
		search.EnqueueSelected(`SELECT user_id, id, $3, 0 FROM sessions WHERE user_id = $1 AND id = $2 AND title <> ''`,
			f.UserID, f.ID, search.TitleNumber),
		search.EnqueueSelected(`
			SELECT m.user_id, m.session_id, `+search.MessageNumberOf(`m`)+`, 0 FROM messages m
			WHERE m.user_id = $1 AND m.session_id = $2`, f.UserID, f.ID))
}
