package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/search"
)

// NewSession is a session to create. An empty title means none yet.
type NewSession struct {
	ID     string
	UserID int64
	Title  string
	Pinned bool
	// Archived counts the session among the archived ones.
	Archived     bool
	Instructions string
	// ExpiresAt is when to delete the session; zero means never.
	ExpiresAt time.Time
	// Temporary keeps the session out of lists and searches. It needs ExpiresAt.
	Temporary bool
	Now       time.Time
}

// CreateSession stores a session. It returns parley.ErrBadToken if the account was deleted.
func (s *Store) CreateSession(ctx context.Context, session NewSession) error {
	steps := []db.Step{
		db.Require(parley.ErrBadToken, `
			UPDATE users SET session_count = session_count + 1, archived_count = archived_count + $2 WHERE id = $1`,
			session.UserID, stored(session.Archived)),
		db.Do(`
			INSERT INTO sessions (user_id, id, title, title_by, active_at, created_at, pinned, archived, instructions,
			    expires_at, temporary)
			VALUES ($1, $2, $3, $8, $4, $4, $5, $6, $7, $9, $10)`,
			session.UserID, session.ID, session.Title, micros(session.Now), stored(session.Pinned), stored(session.Archived),
			session.Instructions, givenBy(session.Title, titleByUser), expiryMicros(session.ExpiresAt),
			stored(session.Temporary)),
	}
	if session.Title != "" {
		steps = append(steps, search.Enqueue(session.UserID, session.ID, search.TitleNumber))
	}
	if err := s.db.Change(ctx, steps...); err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	s.search.Wake()
	return nil
}

// SessionHead is a session without its messages.
type SessionHead struct {
	Title        string
	MessageCount int64
	// LastMessageAt is in Unix seconds, and 0 without messages. So is CreatedAt.
	LastMessageAt int64
	CreatedAt     int64
	HasFiles      bool
	HasPictures   bool
	Pinned        bool
	Archived      bool
	Temporary     bool
	Instructions  string
	// ExpiresAt is in Unix seconds, and 0 for never.
	ExpiresAt int64
	// UserInstructions are the user's instructions.
	UserInstructions string
	// UserQuota is the user's own quota, or empty.
	UserQuota string
	// Provisional is set if the title was given by an open turn. It is removed if the turn fails.
	Provisional bool
}

// HasInstructions reports whether the session or its user has instructions.
func (h SessionHead) HasInstructions() bool { return h.Instructions != "" || h.UserInstructions != "" }

// Session returns a user's session, or parley.ErrNoSuchSession.
func (s *Store) Session(ctx context.Context, userID int64, sessionID string) (SessionHead, error) {
	var head SessionHead
	err := s.db.ReadRow(ctx, func(row *sql.Row) error {
		return row.Scan(&head.Title, &head.MessageCount, &head.LastMessageAt, &head.CreatedAt, &head.HasFiles,
			&head.HasPictures, &head.Provisional, &head.Pinned, &head.Archived, &head.Instructions, &head.UserInstructions,
			&head.ExpiresAt, &head.Temporary, &head.UserQuota)
	}, `
		SELECT s.title, s.message_count, s.last_message_at, s.created_at,
		       EXISTS (SELECT 1 FROM files WHERE user_id = $2 AND session_id = $1)
		           OR EXISTS (SELECT 1 FROM file_links WHERE user_id = $2 AND session_id = $1),
		       EXISTS (SELECT 1 FROM files WHERE user_id = $2 AND session_id = $1 AND picture_size > 0)
		           OR EXISTS (SELECT 1 FROM file_links l JOIN files f ON f.user_id = $2 AND f.id = l.file_id
		               AND f.picture_size > 0 WHERE l.user_id = $2 AND l.session_id = $1),
		       EXISTS (SELECT 1 FROM turns WHERE user_id = $2 AND session_id = $1 AND named <> ''),
		       s.pinned, s.archived, s.instructions, u.instructions, s.expires_at, s.temporary, u.quota
		FROM sessions s JOIN users u ON u.id = $2 WHERE s.user_id = $2 AND s.id = $1`, sessionID, userID)
	if errors.Is(err, sql.ErrNoRows) {
		return head, parley.ErrNoSuchSession
	}
	if err != nil {
		return head, fmt.Errorf("find session: %w", err)
	}
	head.CreatedAt, head.LastMessageAt = seconds(head.CreatedAt), seconds(head.LastMessageAt)
	head.ExpiresAt = seconds(head.ExpiresAt)
	return head, nil
}

// SessionsAfter returns up to limit ids of a user's sessions that are above after, in their order. It leaves out
// temporary ones.
func (s *Store) SessionsAfter(ctx context.Context, userID int64, after string, limit int) ([]string, error) {
	ids, err := db.ReadList(ctx, s.db, db.ScanOne[string], `
		SELECT id FROM sessions WHERE user_id = $1 AND id > $2 AND temporary = 0
		ORDER BY id LIMIT CAST($3 AS BIGINT)`, userID, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return ids, nil
}

// Keyword is a text to search for, and which sessions to look at.
type Keyword = search.Keyword

// FindSessions returns a page of the user's sessions with the keyword in the title or in a message, latest activity
// first, and their total. It returns parley.ErrOverloaded if the user has too many searches running.
func (s *Store) FindSessions(
	ctx context.Context, userID int64, keyword Keyword, page parley.Page,
) ([]parley.Session, int64, error) {
	if err := s.searches.Acquire(ctx, userID); err != nil {
		return nil, 0, fmt.Errorf("find sessions: %w", err)
	}
	defer s.searches.Release(userID)
	return s.search.Find(ctx, userID, keyword, page)
}

// DeleteSession deletes a user's session with its messages, favorites, open turn,
// files and shares, or returns parley.ErrNoSuchSession. The bytes of the files become intents. Files that are in other
// sessions too stay there.
func (s *Store) DeleteSession(ctx context.Context, userID int64, sessionID string) error {
	if err := s.db.Change(ctx, deleteSession(userID, sessionID)...); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	s.deleted.Store(true)
	s.search.Wake()
	return nil
}

// deleteSession deletes a session with all it has. Like every write to a session it locks the session's row first.
func deleteSession(userID int64, sessionID string) []db.Step {
	return slices.Concat(
		emptySession(userID, sessionID),
		moveFiles(userID, sessionID),
		deleteFiles(nil, `user_id = $1 AND session_id = $2`, userID, sessionID),
		deleteShares(nil, `user_id = $1 AND session_id = $2`, userID, sessionID),
		[]db.Step{
			search.EnqueueStale(userID, sessionID, search.TitleNumber),
			db.Do(`
				UPDATE users SET session_count = session_count - 1, archived_count = archived_count - (
				    SELECT archived FROM sessions WHERE user_id = $1 AND id = $2)
				WHERE id = $1`, userID, sessionID),
			db.Do(`DELETE FROM sessions WHERE user_id = $1 AND id = $2`, userID, sessionID),
		})
}

// ClearSession deletes the messages of a user's session, their favorites and the open
// turn, or returns parley.ErrNoSuchSession.
func (s *Store) ClearSession(ctx context.Context, userID int64, sessionID string) error {
	if err := s.db.Change(ctx, emptySession(userID, sessionID)...); err != nil {
		return fmt.Errorf("clear session: %w", err)
	}
	s.deleted.Store(true)
	s.search.Wake()
	return nil
}

// emptySession deletes the messages of a session, their favorites, the open turn, its
// idempotency keys, and from what it was imported. Like every write to a session it locks the session's row first.
func emptySession(userID int64, sessionID string) []db.Step {
	return slices.Concat(
		[]db.Step{
			db.Require(parley.ErrNoSuchSession, `
				UPDATE sessions SET message_count = 0, last_message_at = 0, active_at = created_at, branch = 0, branches = 0
				WHERE user_id = $1 AND id = $2`, userID, sessionID),
			db.Do(`DELETE FROM turns WHERE user_id = $1 AND session_id = $2`, userID, sessionID),
			db.Do(`DELETE FROM branches WHERE user_id = $1 AND session_id = $2`, userID, sessionID),
			db.Do(`DELETE FROM send_keys WHERE user_id = $1 AND session_id = $2`, userID, sessionID),
			db.Do(`DELETE FROM import_sources WHERE user_id = $1 AND session_id = $2`, userID, sessionID),
			freeAllPictures(userID, sessionID),
		},
		deleteMessages("", userID, sessionID),
		search.RemoveMessages(userID, sessionID))
}
