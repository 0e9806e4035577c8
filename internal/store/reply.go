package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"parley"
)

// Reply is a reply as it is stored: complete, or so far.
type Reply struct {
	QuestionID string
	SessionID  string
	Timestamp  int64
	Attempt    int64
	Content    string
	Details    parley.Details
	// Open says that it is still being made.
	Open bool
}

// Reply finds a user's reply. One whose turn failed is the error it failed with, and
// one that never was parley.ErrNoSuchMessage.
func (s *Store) Reply(ctx context.Context, userID int64, replyID string) (Reply, error) {
	var r Reply
	var details string
	var attempt sql.NullInt64
	var content, thinking sql.NullString
	err := s.readRow(ctx, func(row *sql.Row) error {
		return row.Scan(&r.QuestionID, &r.SessionID, &r.Timestamp, &r.Attempt, &r.Content, &details, &attempt, &content, &thinking)
	}, `
		SELECT q.id, m.session_id, m.created_at, m.attempt, m.content, m.details, t.attempt, t.content, t.thinking
		FROM messages m
		JOIN messages q ON q.session_id = m.session_id AND q.number = m.number - 1
		LEFT JOIN turns t ON t.session_id = m.session_id AND t.message_id = m.id
		WHERE m.id = $1 AND m.user_id = $2 AND m.role = 'assistant'`, replyID, userID)
	if errors.Is(err, sql.ErrNoRows) {
		return r, s.outcome(ctx, userID, replyID)
	}
	if err != nil {
		return r, fmt.Errorf("find reply: %w", err)
	}
	r.Timestamp = seconds(r.Timestamp)
	if attempt.Valid { // what was there before the reply was begun anew does not count
		r.Open, r.Attempt, r.Content = true, attempt.Int64, content.String
		r.Details.Thinking = thinking.String
		return r, nil
	}
	r.Details, err = decodeDetails(details)
	return r, err
}

// StopTurn asks whoever makes a user's open reply to stop. It reports whether there
// was one to stop.
func (s *Store) StopTurn(ctx context.Context, userID int64, replyID string) (bool, error) {
	found, err := s.changed(ctx, `UPDATE turns SET stopped = 1 WHERE message_id = $1 AND user_id = $2`, replyID, userID)
	if err != nil {
		return false, fmt.Errorf("stop turn: %w", err)
	}
	return found, nil
}

// Progress is how far an open reply has come.
type Progress struct {
	OpenTurn
	Content, Thinking string
	// Fresh says that it has come further since it was last stored.
	Fresh bool
}

// Standing is how a turn stands with its owner.
type Standing int

// A turn is ours, ours but to be stopped, or ours no longer.
const (
	Ours Standing = iota
	Stopped
	Lost
)

// SaveProgress stores how far open replies of one owner have come, for other replicas
// to see, and says how each stands. With SQLite there are none, and nothing is stored.
func (s *Store) SaveProgress(ctx context.Context, owner string, turns []Progress) ([]Standing, error) {
	standings, err := s.saveProgress(ctx, owner, turns)
	if err != nil {
		return nil, fmt.Errorf("save progress: %w", err)
	}
	return standings, nil
}
