package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley"
)

// NewSession is a session to be made. An empty title means none yet.
type NewSession struct {
	ID     string
	UserID int64
	Title  string
	Now    time.Time
}

// CreateSession stores a session.
func (s *Store) CreateSession(ctx context.Context, session NewSession) error {
	steps := []step{
		// There is no account where it was deleted meanwhile.
		must(parley.ErrBadToken, `UPDATE users SET session_count = session_count + 1 WHERE id = $1`, session.UserID),
		do(`INSERT INTO sessions (id, user_id, title, active_at, created_at) VALUES ($1, $2, $3, $4, $4)`,
			session.ID, session.UserID, session.Title, micros(session.Now)),
	}
	if session.Title != "" {
		steps = append(steps, enqueue(session.UserID, session.ID, titleNumber))
	}
	if err := s.change(ctx, steps...); err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	s.wakeIndexer()
	return nil
}

// SessionHead is a session's own row.
type SessionHead struct {
	Title        string
	MessageCount int64
	CreatedAt    int64
	HasFiles     bool
	// Provisional says that the title came with an open turn, and goes if that fails.
	Provisional bool
}

// Session finds a user's session, else parley.ErrNoSuchSession.
func (s *Store) Session(ctx context.Context, userID int64, sessionID string) (SessionHead, error) {
	var head SessionHead
	err := s.readRow(ctx, func(row *sql.Row) error {
		return row.Scan(&head.Title, &head.MessageCount, &head.CreatedAt, &head.HasFiles, &head.Provisional)
	}, `
		SELECT title, message_count, created_at, EXISTS (SELECT 1 FROM files WHERE session_id = $1),
		       EXISTS (SELECT 1 FROM turns WHERE session_id = $1 AND named <> '')
		FROM sessions WHERE id = $1 AND user_id = $2`, sessionID, userID)
	if errors.Is(err, sql.ErrNoRows) {
		return head, parley.ErrNoSuchSession
	}
	if err != nil {
		return head, fmt.Errorf("find session: %w", err)
	}
	head.CreatedAt = seconds(head.CreatedAt)
	return head, nil
}

// Sessions reads a page of a user's sessions, latest activity first, and their number.
func (s *Store) Sessions(ctx context.Context, userID int64, page parley.Page) ([]parley.Session, int64, error) {
	skip, ok := page.Skip()
	if !ok {
		page.Size = 0
	}
	var total int64
	// The total stands beside every row, so that both are of one moment; where the
	// page is empty there is one row with nothing but the total.
	rows, err := readList(ctx, s, func(rows *sql.Rows) (session parley.Session, err error) {
		var id, title sql.NullString
		var count, last sql.NullInt64
		err = rows.Scan(&total, &id, &title, &count, &last)
		return parley.Session{ID: id.String, Title: title.String, MessageCount: count.Int64, LastMessageTime: seconds(last.Int64)}, err
	}, `
		SELECT u.session_count, s.id, s.title, s.message_count, s.last_message_at
		FROM users u
		LEFT JOIN sessions s ON s.id IN (
		    SELECT id FROM sessions WHERE user_id = $1 ORDER BY active_at DESC, id DESC LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT))
		WHERE u.id = $1
		ORDER BY s.active_at DESC, s.id DESC`, userID, page.Size, skip)
	if err != nil {
		return nil, 0, fmt.Errorf("list sessions: %w", err)
	}
	if len(rows) == 1 && rows[0].ID == "" {
		rows = rows[:0]
	}
	return rows, total, nil
}

// RenameSession gives a user's session a title.
func (s *Store) RenameSession(ctx context.Context, userID int64, sessionID, title string) error {
	err := s.change(ctx,
		must(parley.ErrNoSuchSession, `UPDATE sessions SET title = $3 WHERE id = $1 AND user_id = $2`, sessionID, userID, title),
		reindex(userID, sessionID, titleNumber))
	if err != nil {
		return fmt.Errorf("rename session: %w", err)
	}
	s.wakeIndexer()
	return nil
}

// DeleteSession removes a user's session with its messages, favorites, open turn
// and files. The bytes of the files are left as intents.
func (s *Store) DeleteSession(ctx context.Context, userID int64, sessionID string) error {
	steps := slices.Concat(
		emptySession(userID, sessionID),
		abandonFiles(`session_id = $1`, sessionID),
		[]step{
			reindex(userID, sessionID, titleNumber),
			do(`DELETE FROM sessions WHERE id = $1`, sessionID),
			do(`UPDATE users SET session_count = session_count - 1 WHERE id = $1`, userID),
		})
	if err := s.change(ctx, steps...); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	s.wakeIndexer()
	return nil
}

// ClearSession removes the messages of a user's session, with their favorites and
// the open turn, and keeps the session.
func (s *Store) ClearSession(ctx context.Context, userID int64, sessionID string) error {
	if err := s.change(ctx, emptySession(userID, sessionID)...); err != nil {
		return fmt.Errorf("clear session: %w", err)
	}
	s.wakeIndexer()
	return nil
}

// emptySession removes messages, favorites, the open turn and what the search knows
// of them. It locks the session's row first, as every write to a session does.
func emptySession(userID int64, sessionID string) []step {
	return slices.Concat(
		[]step{
			must(parley.ErrNoSuchSession, `
				UPDATE sessions SET message_count = 0, last_message_at = 0, active_at = created_at
				WHERE id = $1 AND user_id = $2`, sessionID, userID),
			do(`DELETE FROM turns WHERE session_id = $1`, sessionID),
			do(`DELETE FROM send_keys WHERE session_id = $1`, sessionID),
		},
		removeMessages(userID, sessionID, 1),
		forgetMessages(userID, sessionID))
}
