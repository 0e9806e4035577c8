package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/search"
)

var (
	// ErrTurnOpen is returned if the session already has an open turn.
	ErrTurnOpen = errors.New("the session has an open turn")
	// ErrTurnLost is returned if a turn has ended or another process has taken it over.
	// Nothing was changed.
	ErrTurnLost = errors.New("the turn is no longer ours")
)

// NewTurn is a question to store with an open reply.
type NewTurn struct {
	UserID     int64
	SessionID  string
	QuestionID string
	ReplyID    string
	Content    string
	Options    parley.ReplyOptions
	NoFiles    bool // the session has none
	// Redo opens the session's last reply again. It needs UserID, SessionID, Options and Owner only.
	Redo bool
	// Title is given to the session if it has no title yet.
	Title string
	// Key makes the send idempotent, unless it is empty. Digest identifies its input.
	Key    string
	Digest string
	Owner  string
	Now    time.Time
}

// Turn is a turn whose reply is being generated. A write to it succeeds only with the
// current owner and attempt.
type Turn struct {
	UserID     int64
	SessionID  string
	QuestionID string
	Question   string
	ReplyID    string
	Number     int64     // of the reply
	Begun      time.Time // when the reply was first begun
	Owner      string
	// Attempt counts how often the reply was begun. First is the first attempt of this turn.
	Attempt, First int64
	// Redo is set if a complete reply is regenerated. Its old text is kept until then.
	Redo bool
	// Stopped is set if the user has stopped the turn.
	Stopped bool
	// NoFiles is set if the session had no files when the question was stored.
	NoFiles bool
	Options parley.ReplyOptions
}

// BeginTurn stores a question and its open reply, both or none, or opens the last reply
// again. It returns ErrTurnOpen if the session has an open turn, ErrKeyTaken if another
// send had the same key, and parley.ErrNothingToRegenerate if there is no reply to open again.
func (s *Store) BeginTurn(ctx context.Context, t NewTurn) (Turn, error) {
	if t.Redo {
		return s.beginRedo(ctx, t)
	}
	turn := Turn{
		UserID: t.UserID, SessionID: t.SessionID, QuestionID: t.QuestionID, Question: t.Content, ReplyID: t.ReplyID,
		Begun: t.Now, Owner: t.Owner, Attempt: 1, First: 1, Options: t.Options, NoFiles: t.NoFiles,
	}
	open, err := insertTurn(turn, t.Title)
	if err != nil {
		return Turn{}, fmt.Errorf("begin turn: %w", err)
	}
	steps := []db.Step{db.Require(parley.ErrNoSuchSession, `
		UPDATE sessions SET message_count = message_count + 2, last_message_at = $3, active_at = $3
		WHERE user_id = $2 AND id = $1 RETURNING message_count`, t.SessionID, t.UserID, micros(t.Now)).Into(&turn.Number)}
	if t.Key != "" {
		steps = append(steps, takeKey(t))
	}
	steps = append(steps, open, db.Do(`
		INSERT INTO messages (user_id, session_id, number, id, role, content, created_at)
		SELECT t.user_id, t.session_id, t.number + new.place, new.id, new.role, new.content, $5
		FROM turns t CROSS JOIN (
		    SELECT -1 AS place, CAST($3 AS TEXT) AS id, 'user' AS role, CAST($4 AS TEXT) AS content
		    UNION ALL
		    SELECT 0, $6, 'assistant', '') new
		WHERE t.user_id = $1 AND t.session_id = $2`,
		t.UserID, t.SessionID, t.QuestionID, t.Content, micros(t.Now), t.ReplyID))
	if t.Title != "" {
		steps = append(steps, nameSession(t)...)
	}
	if err := s.db.Change(ctx, steps...); err != nil {
		return Turn{}, fmt.Errorf("begin turn: %w", err)
	}
	if t.Title != "" {
		s.search.Wake()
	}
	return turn, nil
}

// beginRedo opens the last reply of a session again.
func (s *Store) beginRedo(ctx context.Context, t NewTurn) (Turn, error) {
	turn := Turn{UserID: t.UserID, SessionID: t.SessionID, Owner: t.Owner, Redo: true, Options: t.Options}
	open, err := insertRedo(turn)
	if err != nil {
		return Turn{}, fmt.Errorf("begin redo: %w", err)
	}
	var begun int64
	err = s.db.Change(ctx,
		s.lockSession(t.UserID, t.SessionID, parley.ErrNoSuchSession),
		db.Require(parley.ErrNothingToRegenerate, `
			SELECT r.id, r.number, r.attempt + 1, r.created_at, q.id, q.content
			FROM sessions s
			JOIN messages r ON r.user_id = s.user_id AND r.session_id = s.id AND r.number = s.message_count
			JOIN messages q ON q.user_id = s.user_id AND q.session_id = s.id AND q.number = s.message_count - 1
			WHERE s.user_id = $1 AND s.id = $2`, t.UserID, t.SessionID).
			Into(&turn.ReplyID, &turn.Number, &turn.Attempt, &begun, &turn.QuestionID, &turn.Question),
		open)
	if err != nil {
		return Turn{}, fmt.Errorf("begin redo: %w", err)
	}
	turn.First, turn.Begun = turn.Attempt, time.UnixMicro(begun)
	return turn, nil
}

// insertTurn adds the turn of a session's last message, or returns ErrTurnOpen if there is
// one. It stores the title if the session has none.
func insertTurn(t Turn, title string) (db.Step, error) {
	options, err := json.Marshal(t.Options)
	if err != nil {
		return db.Step{}, err
	}
	return db.Insert(ErrTurnOpen, `
		INSERT INTO turns (user_id, session_id, message_id, owner, attempt, first, number, named, redo, options)
		SELECT user_id, id, $3, $4, $5, $5, message_count, CASE WHEN title = '' THEN $6 ELSE '' END, 0, $7
		FROM sessions WHERE user_id = $1 AND id = $2`,
		t.UserID, t.SessionID, t.ReplyID, t.Owner, t.Attempt, title, string(options)), nil
}

// insertRedo is insertTurn for a complete reply, which gets a new attempt.
func insertRedo(t Turn) (db.Step, error) {
	options, err := json.Marshal(t.Options)
	if err != nil {
		return db.Step{}, err
	}
	return db.Insert(ErrTurnOpen, `
		INSERT INTO turns (user_id, session_id, message_id, owner, attempt, first, number, named, redo, options)
		SELECT m.user_id, m.session_id, m.id, $3, m.attempt + 1, m.attempt + 1, m.number, '', 1, $4
		FROM sessions s JOIN messages m ON m.user_id = s.user_id AND m.session_id = s.id AND m.number = s.message_count
		WHERE s.user_id = $1 AND s.id = $2`,
		t.UserID, t.SessionID, t.Owner, string(options)), nil
}

// nameSession gives an untitled session the title of the turn that was just opened.
func nameSession(t NewTurn) []db.Step {
	return []db.Step{
		db.Do(`UPDATE sessions SET title = $3 WHERE user_id = $1 AND id = $2 AND title = ''`, t.UserID, t.SessionID, t.Title),
		search.EnqueueSelected(`
			SELECT user_id, session_id, $3, 0 FROM turns WHERE user_id = $1 AND session_id = $2 AND named <> ''`,
			t.UserID, t.SessionID, search.TitleNumber),
	}
}

// FinishTurn stores a complete reply, or returns ErrTurnLost.
func (s *Store) FinishTurn(ctx context.Context, t Turn, content string, details parley.Details) error {
	encoded, err := encodeDetails(details)
	if err != nil {
		return fmt.Errorf("finish turn: %w", err)
	}
	steps := append(s.lockTurn(t), closeTurn(t), db.Do(
		`UPDATE messages SET content = $4, details = $5, attempt = $6 WHERE user_id = $1 AND session_id = $2 AND number = $3`,
		t.UserID, t.SessionID, t.Number, content, encoded, t.Attempt))
	if t.Redo {
		steps = append(steps, search.EnqueueStale(t.UserID, t.SessionID, t.Number))
	} else {
		steps = append(steps, search.EnqueueTurn(t.UserID, t.SessionID, t.Number))
	}
	if err := s.db.Change(ctx, steps...); err != nil {
		return fmt.Errorf("finish turn: %w", err)
	}
	s.search.Wake()
	return nil
}

// FailTurn removes a question and its open reply, or returns ErrTurnLost. A reply that was
// regenerated keeps its old text. The reason is kept for a day as the outcome of the reply.
func (s *Store) FailTurn(ctx context.Context, t Turn, reason *parley.Error, now time.Time) error {
	steps := s.lockTurn(t)
	if t.Redo {
		steps = append(steps, closeTurn(t), restoreReply(t))
	} else {
		steps = append(steps, unnameSession(t)...) // needs the open turn for its title
		steps = append(steps, closeTurn(t),
			db.Do(`DELETE FROM send_keys WHERE user_id = $1 AND session_id = $2 AND message_id = $3`,
				t.UserID, t.SessionID, t.ReplyID))
		steps = append(steps, deleteTurn(t)...)
	}
	if err := s.db.Change(ctx, append(steps, addOutcome(t, reason, now))...); err != nil {
		return fmt.Errorf("fail turn: %w", err)
	}
	s.search.Wake()
	return nil
}

// deleteTurn deletes the last two messages of a session.
func deleteTurn(t Turn) []db.Step {
	const last = `(SELECT created_at FROM messages WHERE user_id = $1 AND session_id = $2 AND number = $3)`
	return append(deleteMessages(t.UserID, t.SessionID, t.Number-1), db.Do(`
		UPDATE sessions SET message_count = message_count - 2,
		    last_message_at = COALESCE(`+last+`, 0), active_at = COALESCE(`+last+`, created_at)
		WHERE user_id = $1 AND id = $2`, t.UserID, t.SessionID, t.Number-2))
}

// restoreReply makes the old text of a reply current again. It counts as an attempt, since
// readers may have seen the number of the failed one.
func restoreReply(t Turn) db.Step {
	return db.Do(`UPDATE messages SET attempt = $4 WHERE user_id = $1 AND session_id = $2 AND number = $3`,
		t.UserID, t.SessionID, t.Number, t.Attempt+1)
}

// unnameSession removes the title that an open turn gave, unless the user has changed it.
func unnameSession(t Turn) []db.Step {
	const given = ` title = (SELECT named FROM turns WHERE user_id = $1 AND session_id = $2 AND named <> '')`
	return []db.Step{
		search.EnqueueSelected(`SELECT user_id, id, $3, 1 FROM sessions WHERE user_id = $1 AND id = $2 AND`+given,
			t.UserID, t.SessionID, search.TitleNumber),
		db.Do(`UPDATE sessions SET title = '' WHERE user_id = $1 AND id = $2 AND`+given, t.UserID, t.SessionID),
	}
}

// lockTurn locks the session of a turn, or returns ErrTurnLost if there is none. SQLite
// needs no lock.
func (s *Store) lockTurn(t Turn) []db.Step {
	if s.db.ForUpdate() == "" {
		return nil
	}
	return []db.Step{s.lockSession(t.UserID, t.SessionID, ErrTurnLost)}
}

// closeTurn removes an open turn, or returns ErrTurnLost.
func closeTurn(t Turn) db.Step {
	return db.Require(ErrTurnLost,
		`DELETE FROM turns WHERE user_id = $1 AND session_id = $2 AND message_id = $3 AND owner = $4 AND attempt = $5`,
		t.UserID, t.SessionID, t.ReplyID, t.Owner, t.Attempt)
}
