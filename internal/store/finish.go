package store

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/search"
)

// FinishTurn stores a complete reply, or returns ErrTurnLost. If the reply was regenerated, it is a new version.
func (s *Store) FinishTurn(ctx context.Context, t Turn, content string, details parley.Details) error {
	r := reply{content: content, details: details}
	if details.Finish == parley.FinishLength {
		r.status = statusCut
	}
	return s.closeWith(ctx, t, r)
}

// statusCut is stored with a reply that the model's limit has ended. It can be continued like a stopped reply, but
// users see the difference in the reply's finish.
const statusCut = "cut"

// publicStatus returns the status of a reply for users.
func publicStatus(stored string) string {
	if stored == statusCut {
		return ""
	}
	return stored
}

// StopTurnWith stores a reply that its user has stopped, or returns ErrTurnLost.
func (s *Store) StopTurnWith(ctx context.Context, t Turn, content string, details parley.Details) error {
	return s.closeWith(ctx, t, reply{content: content, details: details, status: parley.StatusStopped})
}

// InterruptTurn stores a reply that has failed after its first word, or returns ErrTurnLost. The reason
// is kept for a day as the outcome of the attempt.
func (s *Store) InterruptTurn(
	ctx context.Context, t Turn, content string, details parley.Details, reason *parley.Error, now time.Time,
) error {
	return s.closeWith(ctx, t, reply{content: content, details: details, status: parley.StatusInterrupted},
		addOutcome(t, redoKey(t.ReplyID, t.Attempt), reason, now))
}

// reply is the text of a reply to store.
type reply struct {
	content string
	details parley.Details
	status  string
}

// closeWith closes a turn, stores its reply and runs further steps.
func (s *Store) closeWith(ctx context.Context, t Turn, r reply, further ...db.Step) error {
	encoded, err := encodeDetails(r.details)
	if err != nil {
		return fmt.Errorf("finish turn: %w", err)
	}
	steps := append(s.lockTurn(t), closeTurn(t))
	name := search.MessageNumber(t.Branch, t.Number)
	if t.Redo {
		steps = append(steps, addVersion(t, r, encoded)...)
	} else {
		steps = append(steps, db.Do(`
			UPDATE messages SET content = $5, details = $6, attempt = $7, status = $8
			WHERE user_id = $1 AND session_id = $2 AND number = $3 AND branch = $4`,
			t.UserID, t.SessionID, t.Number, t.Branch, r.content, encoded, t.Attempt, r.status))
		if t.Continue {
			steps = append(steps, search.EnqueueStale(t.UserID, t.SessionID, name))
		} else {
			steps = append(steps, search.EnqueueTurn(t.UserID, t.SessionID, name))
		}
	}
	steps = append(steps, countSpent(t.UserID, t.Spent)...)
	steps = append(steps, further...)
	if err := s.db.Change(ctx, steps...); err != nil {
		return fmt.Errorf("finish turn: %w", err)
	}
	s.search.Wake()
	return nil
}

// addVersion stores another version of the last reply of a session.
func addVersion(t Turn, r reply, details string) []db.Step {
	return append(addBranch(t.UserID, t.SessionID, `CAST($3 AS BIGINT)`, t.Number),
		db.Do(`
			INSERT INTO messages
			    (user_id, session_id, number, branch, id, role, content, details, attempt, created_at, status)
			SELECT m.user_id, m.session_id, m.number, s.branch, m.id, m.role, $5, $6, $7, m.created_at, $8
			FROM sessions s
			JOIN messages m ON m.user_id = $1 AND m.session_id = $2 AND m.number = $3 AND m.branch = $4
			WHERE s.user_id = $1 AND s.id = $2`,
			t.UserID, t.SessionID, t.Number, t.Branch, r.content, details, t.Attempt, r.status),
		search.EnqueueSelected(`
			SELECT m.user_id, m.session_id, `+search.MessageNumberOf(`m`)+`, 0 FROM sessions s
			JOIN messages m ON m.user_id = $1 AND m.session_id = $2 AND m.number = $3 AND m.branch = s.branch
			WHERE s.user_id = $1 AND s.id = $2`, t.UserID, t.SessionID, t.Number))
}
