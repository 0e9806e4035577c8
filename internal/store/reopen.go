package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
)

// Earlier is what a reply had before it was continued.
type Earlier struct {
	Text    string
	Details parley.Details
}

// Earlier returns what the reply had before the turn. It is empty unless the reply is continued.
func (t *Turn) Earlier() Earlier {
	if t.earlier == nil {
		return Earlier{}
	}
	return *t.earlier
}

// Reopened reports whether the turn generates a reply that exists already.
func (t *Turn) Reopened() bool { return t.Redo || t.Continue }

// reopen opens the last reply of a session again.
func (s *Store) reopen(ctx context.Context, t NewTurn) (Turn, error) {
	turn := Turn{
		UserID: t.UserID, SessionID: t.SessionID, Owner: t.Owner,
		Redo: t.Redo, Continue: t.Continue, Stream: t.Stream, Options: t.Options,
		NoInstructions: t.NoInstructions, NoPictures: t.NoPictures,
	}
	open, err := insertReopened(turn, t.Reservation.Tokens)
	if err != nil {
		return Turn{}, fmt.Errorf("reopen a reply: %w", err)
	}
	missing, condition := parley.ErrNothingToRegenerate, ""
	if t.Continue {
		missing, condition = parley.ErrNothingToContinue, ` AND (r.status <> '' OR EXISTS (
			    SELECT 1 FROM turns t WHERE t.user_id = $1 AND t.session_id = $2))`
	}
	var begun int64
	var text, details string
	err = s.db.Change(ctx, append([]db.Step{
		s.lockSession(t.UserID, t.SessionID, parley.ErrNoSuchSession),
		db.Require(missing, `
			SELECT r.id, r.number, r.branch, `+nextAttempt(`r.id`)+`, r.created_at, q.id, q.content, r.content, r.details
			FROM sessions s
			JOIN messages r ON r.user_id = s.user_id AND r.session_id = s.id
			    AND r.number = s.message_count AND r.branch = s.branch
			JOIN messages q ON q.user_id = s.user_id AND q.session_id = s.id AND q.number = s.message_count - 1
			    AND q.branch = `+branchAt(`s.message_count - 1`, `$1`)+`
			WHERE s.user_id = $1 AND s.id = $2`+condition, t.UserID, t.SessionID).
			Into(&turn.ReplyID, &turn.Number, &turn.Branch, &turn.Attempt, &begun, &turn.QuestionID, &turn.Question,
				&text, &details),
		requireRoom(t),
		open,
	}, append(s.checkQuota(t.UserID, t.SessionID, t.Reservation, t.Now), keepTemporary(t)...)...)...)
	if err != nil {
		return Turn{}, fmt.Errorf("reopen a reply: %w", err)
	}
	turn.First, turn.Begun = turn.Attempt, time.UnixMicro(begun)
	return turn, turn.setContinued(text, details)
}

// setContinued sets what a continued reply has.
func (t *Turn) setContinued(text, details string) (err error) {
	if t.Continue {
		t.earlier = &Earlier{Text: text}
		t.earlier.Details, err = decodeDetails(details)
	}
	return err
}

// requireRoom returns parley.ErrTooManyVersions if a reply is regenerated in a session that can't have
// another version.
func requireRoom(t NewTurn) db.Step {
	limit := maxBranches
	if t.Continue { // it adds no version
		limit++
	}
	return db.Require(parley.ErrTooManyVersions,
		`SELECT 1 FROM sessions WHERE user_id = $1 AND id = $2 AND branches < $3`,
		t.UserID, t.SessionID, limit).Into(new(int))
}

// Values of the column redo.
const (
	regenerated = 1
	continued   = 2
)

// insertReopened is insertTurn for a reply that exists already, which gets a new attempt.
func insertReopened(t Turn, reserved int64) (db.Step, error) {
	options, err := json.Marshal(t.Options)
	if err != nil {
		return db.Step{}, err
	}
	kind := regenerated
	if t.Continue {
		kind = continued
	}
	return db.Insert(ErrTurnOpen, `
		INSERT INTO turns (user_id, session_id, message_id, owner, attempt, first, number, branch, named, redo, stream,
		    options, reserved)
		SELECT m.user_id, m.session_id, m.id, $3, `+nextAttempt(`m.id`)+`, `+nextAttempt(`m.id`)+`,
		    m.number, m.branch, '', $5, $6, $4, $7
		FROM sessions s
		JOIN messages m ON m.user_id = s.user_id AND m.session_id = s.id
		    AND m.number = s.message_count AND m.branch = s.branch
		WHERE s.user_id = $1 AND s.id = $2`,
		t.UserID, t.SessionID, t.Owner, string(options), kind, stored(t.Stream), reserved), nil
}

// nextAttempt returns the SQL for the number of the next attempt at a reply of user $1. All versions
// count, since readers know a reply's text by its id and attempt.
func nextAttempt(replyID string) string {
	return `(SELECT max(v.attempt) + 1 FROM messages v WHERE v.user_id = $1 AND v.id = ` + replyID + `)`
}
