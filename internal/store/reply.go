package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"parley"
)

// Reply is a stored reply.
type Reply struct {
	QuestionID string
	SessionID  string
	Timestamp  int64
	Attempt    int64
	Content    string
	Details    parley.Details
	// Status is set if the reply was stopped or interrupted.
	Status string
	// Open is set if the reply is not complete.
	Open bool
}

// Reply returns a user's reply: of several versions the visible one, or else the newest. If its
// turn failed, it returns the reason as the error. If there was no such reply, it returns
// parley.ErrNoSuchMessage.
func (s *Store) Reply(ctx context.Context, userID int64, replyID string) (Reply, error) {
	var r Reply
	var details string
	var attempt, redo sql.NullInt64
	var content, thinking sql.NullString
	err := s.db.ReadRow(ctx, func(row *sql.Row) error {
		return row.Scan(&r.QuestionID, &r.SessionID, &r.Timestamp, &r.Attempt, &r.Content,
			&details, &r.Status, &attempt, &redo, &content, &thinking)
	}, `
		SELECT q.id, m.session_id, m.created_at, m.attempt, m.content, m.details, m.status,
		       t.attempt, t.redo, t.content, t.thinking
		FROM messages m
		JOIN sessions s ON s.user_id = m.user_id AND s.id = m.session_id
		JOIN messages q ON q.user_id = m.user_id AND q.session_id = m.session_id AND q.number = m.number - 1
		    AND q.branch = `+questionBranch(`m.number`, `m.branch`, `$2`, `m.session_id`)+`
		LEFT JOIN turns t ON t.user_id = m.user_id AND t.session_id = m.session_id AND t.message_id = m.id
		WHERE m.user_id = $2 AND m.id = $1 AND m.role = 'assistant'
		ORDER BY CASE WHEN `+isVisible(`$2`)+` THEN 0 ELSE 1 END, m.branch DESC LIMIT 1`, replyID, userID)
	if errors.Is(err, sql.ErrNoRows) {
		return r, s.outcome(ctx, userID, replyID)
	}
	if err != nil {
		return r, fmt.Errorf("find reply: %w", err)
	}
	r.Timestamp, r.Status = seconds(r.Timestamp), publicStatus(r.Status)
	if attempt.Valid && redo.Int64 == continued && content.String == "" { // nothing was added yet
		r.Open, r.Attempt = true, attempt.Int64
	} else if attempt.Valid { // while a reply is regenerated, its old text is not returned
		r.Open, r.Attempt, r.Content = true, attempt.Int64, content.String
		r.Details.Thinking = thinking.String
		return r, nil
	}
	r.Details, err = decodeDetails(details)
	return r, err
}
