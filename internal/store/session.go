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
	Now    time.Time
}

// CreateSession stores a session. It returns parley.ErrBadToken if the account was deleted.
func (s *Store) CreateSession(ctx context.Context, session NewSession) error {
	steps := []db.Step{
		db.Require(parley.ErrBadToken, `UPDATE users SET session_count = session_count + 1 WHERE id = $1`, session.UserID),
		db.Do(`INSERT INTO sessions (user_id, id, title, active_at, created_at) VALUES ($1, $2, $3, $4, $4)`,
			session.UserID, session.ID, session.Title, micros(session.Now)),
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
	// Provisional is set if the title was given by an open turn. It is removed if the turn fails.
	Provisional bool
}

// Session returns a user's session, or parley.ErrNoSuchSession.
func (s *Store) Session(ctx context.Context, userID int64, sessionID string) (SessionHead, error) {
	var head SessionHead
	err := s.db.ReadRow(ctx, func(row *sql.Row) error {
		return row.Scan(&head.Title, &head.MessageCount, &head.LastMessageAt, &head.CreatedAt, &head.HasFiles,
			&head.Provisional)
	}, `
		SELECT title, message_count, last_message_at, created_at,
		       EXISTS (SELECT 1 FROM files WHERE user_id = $2 AND session_id = $1),
		       EXISTS (SELECT 1 FROM turns WHERE user_id = $2 AND session_id = $1 AND named <> '')
		FROM sessions WHERE user_id = $2 AND id = $1`, sessionID, userID)
	if errors.Is(err, sql.ErrNoRows) {
		return head, parley.ErrNoSuchSession
	}
	if err != nil {
		return head, fmt.Errorf("find session: %w", err)
	}
	head.CreatedAt, head.LastMessageAt = seconds(head.CreatedAt), seconds(head.LastMessageAt)
	return head, nil
}

// Sessions returns a page of a user's sessions, latest activity first, and their total.
func (s *Store) Sessions(ctx context.Context, userID int64, page parley.Page) ([]parley.Session, int64, error) {
	skip, size := pageRange(page)
	var total int64
	// Every row has the total, so that the page and the total are consistent. If the page
	// is empty, there is one row with nothing but the total. The page is chosen in the index,
	// so that rows before it are not read.
	rows, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (session parley.Session, err error) {
		var id, title sql.NullString
		var count, last sql.NullInt64
		err = rows.Scan(&total, &id, &title, &count, &last)
		return parley.Session{
			ID: id.String, Title: title.String, MessageCount: count.Int64, LastMessageTime: seconds(last.Int64),
		}, err
	}, `
		SELECT u.session_count, s.id, s.title, s.message_count, s.last_message_at
		FROM users u
		LEFT JOIN (
		    SELECT active_at, id FROM sessions WHERE user_id = $1
		    ORDER BY active_at DESC, id DESC LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT)) l ON u.id = $1
		LEFT JOIN sessions s ON s.user_id = $1 AND s.id = l.id
		WHERE u.id = $1
		ORDER BY l.active_at DESC, l.id DESC`, userID, size, skip)
	if err != nil {
		return nil, 0, fmt.Errorf("list sessions: %w", err)
	}
	if len(rows) == 1 && rows[0].ID == "" {
		rows = rows[:0]
	}
	return rows, total, nil
}

// SessionsAfter returns up to limit ids of a user's sessions that are above after, in their order.
func (s *Store) SessionsAfter(ctx context.Context, userID int64, after string, limit int) ([]string, error) {
	ids, err := db.ReadList(ctx, s.db, db.ScanOne[string], `
		SELECT id FROM sessions WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT CAST($3 AS BIGINT)`, userID, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return ids, nil
}

// Keyword is a text to search for.
type Keyword = search.Keyword

// FindSessions returns a page of the user's sessions whose title or one of whose messages
// contains the keyword, latest activity first, and their total. It returns
// parley.ErrOverloaded if the user has too many searches running.
func (s *Store) FindSessions(
	ctx context.Context, userID int64, keyword Keyword, page parley.Page,
) ([]parley.Session, int64, error) {
	if err := s.searches.Acquire(ctx, userID); err != nil {
		return nil, 0, fmt.Errorf("find sessions: %w", err)
	}
	defer s.searches.Release(userID)
	return s.search.Find(ctx, userID, keyword, page)
}

// RenameSession changes the title of a user's session, or returns parley.ErrNoSuchSession.
func (s *Store) RenameSession(ctx context.Context, userID int64, sessionID, title string) error {
	err := s.db.Change(ctx,
		db.Require(parley.ErrNoSuchSession, `UPDATE sessions SET title = $3 WHERE user_id = $2 AND id = $1`,
			sessionID, userID, title),
		search.EnqueueStale(userID, sessionID, search.TitleNumber))
	if err != nil {
		return fmt.Errorf("rename session: %w", err)
	}
	s.search.Wake()
	return nil
}

// DeleteSession deletes a user's session with its messages, favorites, open turn,
// files and shares, or returns parley.ErrNoSuchSession. The bytes of the files become intents.
func (s *Store) DeleteSession(ctx context.Context, userID int64, sessionID string) error {
	steps := slices.Concat(
		emptySession(userID, sessionID),
		deleteFiles(nil, `user_id = $1 AND session_id = $2`, userID, sessionID),
		deleteShares(nil, `user_id = $1 AND session_id = $2`, userID, sessionID),
		[]db.Step{
			search.EnqueueStale(userID, sessionID, search.TitleNumber),
			db.Do(`DELETE FROM sessions WHERE user_id = $1 AND id = $2`, userID, sessionID),
			db.Do(`UPDATE users SET session_count = session_count - 1 WHERE id = $1`, userID),
		})
	if err := s.db.Change(ctx, steps...); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	s.search.Wake()
	return nil
}

// ClearSession deletes the messages of a user's session, their favorites and the open
// turn, or returns parley.ErrNoSuchSession.
func (s *Store) ClearSession(ctx context.Context, userID int64, sessionID string) error {
	if err := s.db.Change(ctx, emptySession(userID, sessionID)...); err != nil {
		return fmt.Errorf("clear session: %w", err)
	}
	s.search.Wake()
	return nil
}

// emptySession deletes the messages of a session, their favorites, the open turn and its
// idempotency keys. Like every write to a session it locks the session's row first.
func emptySession(userID int64, sessionID string) []db.Step {
	return slices.Concat(
		[]db.Step{
			db.Require(parley.ErrNoSuchSession, `
				UPDATE sessions SET message_count = 0, last_message_at = 0, active_at = created_at, branch = 0, branches = 0
				WHERE user_id = $1 AND id = $2`, userID, sessionID),
			db.Do(`DELETE FROM turns WHERE user_id = $1 AND session_id = $2`, userID, sessionID),
			db.Do(`DELETE FROM branches WHERE user_id = $1 AND session_id = $2`, userID, sessionID),
			db.Do(`DELETE FROM send_keys WHERE user_id = $1 AND session_id = $2`, userID, sessionID),
		},
		deleteMessages("", userID, sessionID),
		search.RemoveMessages(userID, sessionID))
}
