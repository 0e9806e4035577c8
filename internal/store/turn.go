package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley"
)

// ErrTurnOpen says that the session is still answering another message.
var ErrTurnOpen = errors.New("the session has an open turn")

// ErrTurnLost says that the turn is no longer ours: it was ended, or another process
// has taken it over. Nothing was changed.
var ErrTurnLost = errors.New("the turn is no longer ours")

// NewTurn is a question, and the reply that is to be made for it.
type NewTurn struct {
	UserID     int64
	SessionID  string
	QuestionID string
	ReplyID    string
	Content    string
	Options    parley.ReplyOptions
	NoFiles    bool // the session has none
	// Redo reopens the session's last reply. UserID, SessionID, Options and Owner are used, nothing else.
	Redo bool
	// Title is what the session is to be called if it has no title yet.
	Title string
	// Key, where not empty, makes the send idempotent; Digest stands for its input.
	Key    string
	Digest string
	Owner  string
	Now    time.Time
}

// OpenTurn is a turn whose reply is being made. Every write to it is fenced by owner
// and attempt.
type OpenTurn struct {
	UserID     int64
	SessionID  string
	QuestionID string
	Question   string
	ReplyID    string
	Number     int64     // of the reply
	Begun      time.Time // when the reply was first begun
	Owner      string
	// Attempt counts how often the reply was begun, First is where this turn began to.
	Attempt, First int64
	// Redo says that the reply is being made anew: its old text stays until then.
	Redo bool
	// Stopped says that its user has asked for its end.
	Stopped bool
	// NoFiles says that the session had none when the question came.
	NoFiles bool
	Options parley.ReplyOptions
}

// BeginTurn stores a question and its open reply: both or nothing. It returns
// ErrTurnOpen where the session is still answering, and ErrKeyTaken where another
// send with the same key came first.
func (s *Store) BeginTurn(ctx context.Context, t NewTurn) (OpenTurn, error) {
	if t.Redo {
		return s.BeginRedo(ctx, t.UserID, t.SessionID, t.Options, t.Owner)
	}
	turn := OpenTurn{
		UserID: t.UserID, SessionID: t.SessionID, QuestionID: t.QuestionID, Question: t.Content, ReplyID: t.ReplyID,
		Begun: t.Now, Owner: t.Owner, Attempt: 1, First: 1, Options: t.Options, NoFiles: t.NoFiles,
	}
	open, err := openTurn(turn, t.Title)
	if err != nil {
		return OpenTurn{}, fmt.Errorf("begin turn: %w", err)
	}
	steps := []step{must(parley.ErrNoSuchSession, `
		UPDATE sessions SET message_count = message_count + 2, last_message_at = $3, active_at = $3
		WHERE id = $1 AND user_id = $2 RETURNING message_count`, t.SessionID, t.UserID, micros(t.Now)).into(&turn.Number)}
	if t.Key != "" {
		steps = append(steps, takeKey(t))
	}
	steps = append(steps, open, do(`
		INSERT INTO messages (id, session_id, number, user_id, role, content, created_at)
		VALUES ($1, $2, (SELECT message_count - 1 FROM sessions WHERE id = $2), $3, 'user', $4, $5),
		       ($6, $2, (SELECT message_count FROM sessions WHERE id = $2), $3, 'assistant', '', $5)`,
		t.QuestionID, t.SessionID, t.UserID, t.Content, micros(t.Now), t.ReplyID))
	if t.Title != "" {
		steps = append(steps, nameSession(t)...)
	}
	if err := s.change(ctx, steps...); err != nil {
		return OpenTurn{}, fmt.Errorf("begin turn: %w", err)
	}
	if t.Title != "" {
		s.wakeIndexer()
	}
	return turn, nil
}

// BeginRedo opens the last reply of a user's session again. It returns ErrTurnOpen
// where the session is still answering, and parley.ErrNothingToRedo where it is empty.
func (s *Store) BeginRedo(ctx context.Context, userID int64, sessionID string, options parley.ReplyOptions, owner string) (OpenTurn, error) {
	turn := OpenTurn{UserID: userID, SessionID: sessionID, Owner: owner, Redo: true, Options: options}
	open, err := reopenTurn(turn)
	if err != nil {
		return OpenTurn{}, fmt.Errorf("begin redo: %w", err)
	}
	var begun int64
	err = s.change(ctx, s.lockSession(userID, sessionID),
		must(parley.ErrNothingToRedo, `
			SELECT r.id, r.number, r.attempt + 1, r.created_at, q.id, q.content
			FROM sessions s
			JOIN messages r ON r.session_id = s.id AND r.number = s.message_count
			JOIN messages q ON q.session_id = s.id AND q.number = s.message_count - 1
			WHERE s.id = $1`, sessionID).into(&turn.ReplyID, &turn.Number, &turn.Attempt, &begun, &turn.QuestionID, &turn.Question),
		open)
	if err != nil {
		return OpenTurn{}, fmt.Errorf("begin redo: %w", err)
	}
	turn.First, turn.Begun = turn.Attempt, time.UnixMicro(begun)
	return turn, nil
}

// openTurn marks the reply that is a session's last message as open, and notes the title
// that a nameless session gets with it: whoever marks it first goes on, the others get
// ErrTurnOpen.
func openTurn(t OpenTurn, title string) (step, error) {
	options, err := json.Marshal(t.Options)
	if err != nil {
		return step{}, err
	}
	return must(ErrTurnOpen, `
		INSERT INTO turns (session_id, message_id, user_id, owner, attempt, first, number, named, redo, options)
		SELECT id, $2, user_id, $3, $4, $4, message_count, CASE WHEN title = '' THEN $5 ELSE '' END, 0, $6 FROM sessions WHERE id = $1
		ON CONFLICT (session_id) DO NOTHING`,
		t.SessionID, t.ReplyID, t.Owner, t.Attempt, title, string(options)), nil
}

// reopenTurn is openTurn for a reply that is there, and gets a new attempt.
func reopenTurn(t OpenTurn) (step, error) {
	options, err := json.Marshal(t.Options)
	if err != nil {
		return step{}, err
	}
	return must(ErrTurnOpen, `
		INSERT INTO turns (session_id, message_id, user_id, owner, attempt, first, number, named, redo, options)
		SELECT m.session_id, m.id, m.user_id, $2, m.attempt + 1, m.attempt + 1, m.number, '', 1, $3
		FROM sessions s JOIN messages m ON m.session_id = s.id AND m.number = s.message_count WHERE s.id = $1
		ON CONFLICT (session_id) DO NOTHING`,
		t.SessionID, t.Owner, string(options)), nil
}

// nameSession gives a session that has none its title from its first message, once the
// turn is open.
func nameSession(t NewTurn) []step {
	return []step{
		do(`UPDATE sessions SET title = $2 WHERE id = $1 AND title = ''`, t.SessionID, t.Title),
		do(`INSERT INTO search_queue (user_id, session_id, number, stale)
			SELECT user_id, session_id, $2, 0 FROM turns WHERE session_id = $1 AND named <> ''`+orAgain, t.SessionID, titleNumber),
	}
}

// FinishTurn stores a complete reply, or returns ErrTurnLost.
func (s *Store) FinishTurn(ctx context.Context, t OpenTurn, content string, details parley.Details) error {
	encoded, err := encodeDetails(details)
	if err != nil {
		return fmt.Errorf("finish turn: %w", err)
	}
	steps := append(s.lockTurn(t), closeTurn(t), do(`UPDATE messages SET content = $3, details = $4, attempt = $5 WHERE session_id = $1 AND number = $2`,
		t.SessionID, t.Number, content, encoded, t.Attempt))
	if t.Redo {
		steps = append(steps, reindex(t.UserID, t.SessionID, t.Number))
	} else {
		steps = append(steps, enqueueTurn(t))
	}
	if err := s.change(ctx, steps...); err != nil {
		return fmt.Errorf("finish turn: %w", err)
	}
	s.wakeIndexer()
	return nil
}

// FailTurn removes a question and its open reply as if they had never been, or
// returns ErrTurnLost. A reply that was being made anew keeps its old text. The
// reason is kept for a day, for whoever knows the reply's id.
func (s *Store) FailTurn(ctx context.Context, t OpenTurn, reason *parley.Error, now time.Time) error {
	steps := s.lockTurn(t)
	if t.Redo {
		steps = append(steps, closeTurn(t), restoreReply(t))
	} else {
		steps = append(steps, unnameSession(t)...) // the open turn knows the title
		steps = append(steps, closeTurn(t), do(`DELETE FROM send_keys WHERE session_id = $1 AND message_id = $2`, t.SessionID, t.ReplyID))
		steps = append(steps, removeTurn(t)...)
	}
	if err := s.change(ctx, append(steps, keepOutcome(t, reason, now))...); err != nil {
		return fmt.Errorf("fail turn: %w", err)
	}
	s.wakeIndexer()
	return nil
}

// removeTurn takes the last two messages off a session.
func removeTurn(t OpenTurn) []step {
	return append(removeMessages(t.UserID, t.SessionID, t.Number-1), do(`
		UPDATE sessions SET message_count = message_count - 2,
		    last_message_at = COALESCE((SELECT created_at FROM messages WHERE session_id = $1 AND number = $2), 0),
		    active_at = COALESCE((SELECT created_at FROM messages WHERE session_id = $1 AND number = $2), created_at)
		WHERE id = $1`, t.SessionID, t.Number-2))
}

// restoreReply lets the old text of a reply stand again. It counts as an attempt, since
// the number of the failed one may be known to readers and must not come again.
func restoreReply(t OpenTurn) step {
	return do(`UPDATE messages SET attempt = $3 WHERE session_id = $1 AND number = $2`, t.SessionID, t.Number, t.Attempt+1)
}

// unnameSession takes back the title that an open turn gave, unless its user has changed it.
func unnameSession(t OpenTurn) []step {
	const given = ` title = (SELECT named FROM turns WHERE session_id = $1 AND named <> '')`
	return []step{
		do(`INSERT INTO search_queue (user_id, session_id, number, stale)
			SELECT user_id, id, $2, 1 FROM sessions WHERE id = $1 AND`+given+orAgain, t.SessionID, titleNumber),
		do(`UPDATE sessions SET title = '' WHERE id = $1 AND`+given, t.SessionID),
	}
}

// lockTurn locks the session of a turn, where there are others to lock it against. With
// the session the turn is gone too.
func (s *Store) lockTurn(t OpenTurn) []step {
	if s.forUpdate() == "" {
		return nil
	}
	lock := s.lockSession(t.UserID, t.SessionID)
	lock.none = ErrTurnLost
	return []step{lock}
}

// closeTurn ends the mark of an open reply, if it is still ours.
func closeTurn(t OpenTurn) step {
	return must(ErrTurnLost, `DELETE FROM turns WHERE session_id = $1 AND message_id = $2 AND owner = $3 AND attempt = $4`,
		t.SessionID, t.ReplyID, t.Owner, t.Attempt)
}
