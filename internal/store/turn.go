package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	NoPictures bool // the session has none
	// NoInstructions is set if neither the session nor its user has any.
	NoInstructions bool
	// Archived is set if the session is archived. The turn brings it back, unless it fails.
	Archived bool
	// Temporary is set if the session is temporary. The turn moves its end.
	Temporary bool
	// Redo opens the session's last reply again. It needs UserID, SessionID, Options and Owner only.
	Redo bool
	// Continue does the same for a reply that was stopped or interrupted, and keeps its text.
	Continue bool
	// Stream is set if a client reads the reply while it is generated.
	Stream bool
	// Replaces is the id of a visible question of the session, or empty. The new question is another version of it.
	// The old one and all messages after it are set aside.
	Replaces string
	// Title is given to the session if it has no title yet.
	Title string
	// Key makes the send idempotent, unless it is empty. Digest identifies its input.
	Key    string
	Digest string
	// Reservation is checked when the turn begins.
	Reservation Reservation
	Owner       string
	Now         time.Time
}

// Turn is a turn while its reply is being generated. A write to it succeeds only with the current owner and attempt.
type Turn struct {
	UserID     int64
	SessionID  string
	QuestionID string
	Question   string
	ReplyID    string
	Number     int64     // of the reply
	Branch     int64     // of the reply
	Begun      time.Time // when the reply was first begun
	Owner      string
	// Attempt counts how often the reply was begun. First is the first attempt of this turn.
	Attempt, First int64
	// Redo is set if a complete reply is regenerated. Its old text is kept until then.
	Redo bool
	// Continue is set if a reply is continued.
	Continue bool
	earlier  *Earlier
	// Stream is set if a client reads the reply while it is generated.
	Stream bool
	// Stopped is set if the user has stopped the turn.
	Stopped bool
	// NoFiles is set if the session had no files when the question was stored.
	NoFiles bool
	// NoPictures is set if it had no pictures then.
	NoPictures bool
	// NoInstructions is set if there were no instructions when the turn was begun.
	NoInstructions bool
	Options        parley.ReplyOptions
	// Spent is what the turn has used. It is counted when the turn is closed, in the same transaction.
	Spent Spent
}

// BeginTurn stores a question and its open reply, both or none, or opens the last reply
// again. It returns ErrTurnOpen if the session has an open turn, ErrKeyTaken if another
// send had the same key, parley.ErrNothingToRegenerate or parley.ErrNothingToContinue if there is
// no reply to open again, parley.ErrNoSuchMessage if there is no question to replace, parley.ErrTooManyVersions, and
// parley.ErrQuotaUsed or parley.ErrQuotaReserved.
func (s *Store) BeginTurn(ctx context.Context, t NewTurn) (Turn, error) {
	if t.Redo || t.Continue {
		return s.reopen(ctx, t)
	}
	turn := Turn{
		UserID: t.UserID, SessionID: t.SessionID, QuestionID: t.QuestionID, Question: t.Content, ReplyID: t.ReplyID,
		Begun: t.Now, Owner: t.Owner, Attempt: 1, First: 1, Options: t.Options, NoFiles: t.NoFiles,
		Stream: t.Stream, NoInstructions: t.NoInstructions, NoPictures: t.NoPictures,
	}
	open, err := insertTurn(turn, t.Title, t.Reservation.Tokens)
	if err != nil {
		return Turn{}, fmt.Errorf("begin turn: %w", err)
	}
	// With turns first, SQLite would store the two new rows in a temporary table.
	steps := append(s.addNumbers(t, &turn), open, db.Do(`
		INSERT INTO messages (user_id, session_id, number, branch, id, role, content, created_at)
		SELECT t.user_id, t.session_id, t.number + new.place, t.branch, new.id, new.role, new.content, $5
		FROM (
		    SELECT -1 AS place, CAST($3 AS TEXT) AS id, 'user' AS role, CAST($4 AS TEXT) AS content
		    UNION ALL
		    SELECT 0, $6, 'assistant', '') new
		CROSS JOIN turns t
		WHERE t.user_id = $1 AND t.session_id = $2`,
		t.UserID, t.SessionID, t.QuestionID, t.Content, micros(t.Now), t.ReplyID))
	if t.Title != "" {
		steps = append(steps, nameSession(t)...)
	}
	if t.Archived {
		steps = append(steps, unarchive(t)...)
	}
	steps = append(steps, keepTemporary(t)...)
	// After the turn was opened: a send to a session with an open turn waits instead of being refused.
	steps = append(steps, s.checkQuota(t.UserID, t.SessionID, t.Reservation, t.Now)...)
	pictures, err := s.addPictures(ctx, t)
	if err != nil {
		return Turn{}, fmt.Errorf("begin turn: %w", err)
	}
	if err := s.db.Change(ctx, append(steps, pictures...)...); err != nil {
		return Turn{}, fmt.Errorf("begin turn: %w", err)
	}
	if t.Title != "" {
		s.search.Wake()
	}
	return turn, nil
}

// ReleaseTurn removes the owner of a turn that BeginTurn may have opened although it returned an error. The turn can
// then be taken over. It returns the id of its reply, or "" if no turn was opened. If BeginTurn is still at work in
// the database, it waits.
func (s *Store) ReleaseTurn(ctx context.Context, t NewTurn) (replyID string, err error) {
	err = s.db.Change(ctx,
		s.lockSession(t.UserID, t.SessionID, parley.ErrNoSuchSession),
		db.Do(`
			UPDATE turns SET owner = '' WHERE user_id = $1 AND session_id = $2 AND owner = $3
			    AND (message_id = $4 OR CAST($4 AS TEXT) = '' AND redo > 0)
			RETURNING message_id`, t.UserID, t.SessionID, t.Owner, t.ReplyID).Into(&replyID))
	if errors.Is(err, parley.ErrNoSuchSession) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("release a turn: %w", err)
	}
	return replyID, nil
}

// addNumbers makes room for a question and its reply at the end of a session, or in a new branch if the question
// replaces another, and takes the idempotency key.
func (s *Store) addNumbers(t NewTurn, turn *Turn) []db.Step {
	var key []db.Step
	if t.Key != "" {
		key = append(key, takeKey(t))
	}
	if t.Replaces == "" {
		return append([]db.Step{db.Require(parley.ErrNoSuchSession, `
			UPDATE sessions SET message_count = message_count + 2, last_message_at = $3, active_at = $3
			WHERE user_id = $2 AND id = $1 RETURNING message_count, branch`,
			t.SessionID, t.UserID, micros(t.Now)).Into(&turn.Number, &turn.Branch)}, key...)
	}
	const number = `(SELECT q.number FROM messages q WHERE q.user_id = $1 AND q.session_id = $2 AND q.id = $3)`
	return slices.Concat(
		[]db.Step{s.lockSession(t.UserID, t.SessionID, parley.ErrNoSuchSession)},
		key, // before the question is looked for, since an earlier send with the key has set it aside
		[]db.Step{
			requireNoTurn(t.UserID, t.SessionID),
			db.Require(parley.ErrNoSuchMessage, `
				SELECT 1 FROM sessions s
				JOIN messages m ON m.user_id = $1 AND m.session_id = $2 AND m.id = $3 AND m.role = 'user' AND `+isVisible(`$1`)+`
				WHERE s.user_id = $1 AND s.id = $2`, t.UserID, t.SessionID, t.Replaces).Into(new(int)),
		},
		addBranch(t.UserID, t.SessionID, number, t.Replaces),
		[]db.Step{db.Do(`
			UPDATE sessions SET message_count = `+number+` + 1, last_message_at = $4, active_at = $4
			WHERE user_id = $1 AND id = $2 RETURNING message_count, branch`,
			t.UserID, t.SessionID, t.Replaces, micros(t.Now)).Into(&turn.Number, &turn.Branch)})
}

// insertTurn adds the turn of a session's last message, or returns ErrTurnOpen if there is
// one. It stores the title if the session has none, and whether the session is archived.
func insertTurn(t Turn, title string, reserved int64) (db.Step, error) {
	options, err := json.Marshal(t.Options)
	if err != nil {
		return db.Step{}, err
	}
	return db.Insert(ErrTurnOpen, `
		INSERT INTO turns (user_id, session_id, message_id, owner, attempt, first, number, branch, named, archived, redo,
		    stream, options, reserved)
		SELECT user_id, id, $3, $4, $5, $5, message_count, branch, CASE WHEN title = '' THEN $6 ELSE '' END, archived, 0,
		    $8, $7, $9
		FROM sessions WHERE user_id = $1 AND id = $2`,
		t.UserID, t.SessionID, t.ReplyID, t.Owner, t.Attempt, title, string(options), stored(t.Stream),
		reserved), nil
}

// stored returns a boolean as it is stored.
func stored(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

// nameSession gives an untitled session the title of the turn that was just opened.
func nameSession(t NewTurn) []db.Step {
	return []db.Step{
		db.Do(`UPDATE sessions SET title = $3, title_by = $4 WHERE user_id = $1 AND id = $2 AND title = ''`,
			t.UserID, t.SessionID, t.Title, titleByText),
		search.EnqueueSelected(`
			SELECT user_id, session_id, $3, 0 FROM turns WHERE user_id = $1 AND session_id = $2 AND named <> ''`,
			t.UserID, t.SessionID, search.TitleNumber),
	}
}

// FailTurn removes a question and its open reply, or returns ErrTurnLost. If the question replaced
// another, all is as before. A reply that was regenerated or continued keeps its old text. The reason is kept
// for a day as the outcome of the reply.
func (s *Store) FailTurn(ctx context.Context, t Turn, reason *parley.Error, now time.Time) error {
	steps := s.lockTurn(t)
	key := t.ReplyID
	if t.Reopened() { // it still exists, so its outcome belongs to the attempt
		key = redoKey(t.ReplyID, t.Attempt)
		steps = append(steps, closeTurn(t), restoreReply(t))
	} else {
		steps = append(steps, unnameSession(t)...) // needs the open turn for its title
		steps = append(steps, archiveAgain(t)...)
		steps = append(steps, closeTurn(t),
			db.Do(`DELETE FROM send_keys WHERE user_id = $1 AND session_id = $2 AND message_id = $3`,
				t.UserID, t.SessionID, t.ReplyID),
			freePictures(t.UserID, t.SessionID, t.QuestionID))
	}
	steps = append(append(steps, addOutcome(t, key, reason, now)), countSpent(t.UserID, t.Spent)...)
	if err := s.removeTurn(ctx, t, steps); err != nil {
		return fmt.Errorf("fail turn: %w", err)
	}
	s.deleted.Store(true)
	s.search.Wake()
	return nil
}

// removeTurn runs steps and removes the messages of the turn that they have closed.
func (s *Store) removeTurn(ctx context.Context, t Turn, steps []db.Step) error {
	if t.Reopened() {
		return s.db.Change(ctx, steps...)
	}
	if t.Branch == 0 {
		return s.db.Change(ctx, append(steps, deleteTurn(t)...)...)
	}
	return s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		if err := s.db.RunSteps(ctx, q, steps); err != nil {
			return err
		}
		all, err := readBranches(ctx, q, t.UserID, t.SessionID)
		if err != nil {
			return err
		}
		if all[t.Branch].first == t.Number-1 {
			return s.db.RunSteps(ctx, q, all.dropBranch(t.UserID, t.SessionID))
		}
		return s.db.RunSteps(ctx, q, deleteTurn(t))
	})
}

// deleteTurn deletes the last two messages of a session. They did not begin a branch.
func deleteTurn(t Turn) []db.Step {
	const last = `(SELECT created_at FROM messages
		    WHERE user_id = $1 AND session_id = $2 AND number = $3 AND branch = $4)`
	steps := deleteMessages(` AND number >= $3 AND branch = $4`, t.UserID, t.SessionID, t.Number-1, t.Branch)
	return append(steps, db.Do(`
		UPDATE sessions SET message_count = message_count - 2,
		    last_message_at = COALESCE(`+last+`, 0), active_at = COALESCE(`+last+`, created_at)
		WHERE user_id = $1 AND id = $2`, t.UserID, t.SessionID, t.Number-2, t.Branch))
}

// restoreReply makes the old text of a reply current again. It counts as an attempt, since
// readers may have seen the number of the failed one.
func restoreReply(t Turn) db.Step {
	return db.Do(`
		UPDATE messages SET attempt = $5 WHERE user_id = $1 AND session_id = $2 AND number = $3 AND branch = $4`,
		t.UserID, t.SessionID, t.Number, t.Branch, t.Attempt+1)
}

// unnameSession removes the title that an open turn gave, unless the user has changed it.
func unnameSession(t Turn) []db.Step {
	const given = ` title = (SELECT named FROM turns WHERE user_id = $1 AND session_id = $2 AND named <> '')`
	return []db.Step{
		search.EnqueueSelected(`SELECT user_id, id, $3, 1 FROM sessions WHERE user_id = $1 AND id = $2 AND`+given,
			t.UserID, t.SessionID, search.TitleNumber),
		db.Do(`UPDATE sessions SET title = '', title_by = '' WHERE user_id = $1 AND id = $2 AND`+given,
			t.UserID, t.SessionID),
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
