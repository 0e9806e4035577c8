package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"parley/internal/db"
)

// Progress is the text of an open reply so far.
type Progress struct {
	*Turn
	Content, Thinking string
	// Fresh is set if the text has changed since it was last stored.
	Fresh bool
}

// TurnState is the state of a turn in the database, as seen by its owner.
type TurnState int

// A turn still belongs to its owner, was stopped by the user, or has ended or was taken
// over. It is unknown if its shard does not respond.
const (
	Unknown TurnState = iota
	Ours
	Stopped
	Lost
)

// StopTurn marks a user's open reply as stopped and reports whether there was one.
func (s *Store) StopTurn(ctx context.Context, userID int64, replyID string) (bool, error) {
	found, err := s.db.ChangeOne(ctx,
		`UPDATE turns SET stopped = 1 WHERE user_id = $1 AND message_id = $2`, userID, replyID)
	if err != nil {
		return false, fmt.Errorf("stop turn: %w", err)
	}
	return found, nil
}

// SaveProgress stores the progress of an owner's open replies for other replicas, and
// returns the state of each. With SQLite there are no replicas, and nothing is stored. It
// works shard by shard: the replies of a shard that fails are Unknown, and the error is
// returned beside the states of the others.
func (s *Store) SaveProgress(ctx context.Context, owner string, turns []Progress) ([]TurnState, error) {
	users := make([]int64, len(turns))
	for i, t := range turns {
		users[i] = t.UserID
	}
	groups, err := s.db.GroupByShard(ctx, "turns", users)
	if err != nil {
		return make([]TurnState, len(turns)), fmt.Errorf("save progress: %w", err)
	}
	states := make([]TurnState, len(turns))
	var errs []error
	for _, group := range groups {
		found, err := s.saveGroup(ctx, owner, pick(turns, group))
		if err != nil {
			errs = append(errs, fmt.Errorf("save progress: %w", err))
			continue
		}
		for i, place := range group {
			states[place] = found[i]
		}
	}
	return states, errors.Join(errs...)
}

// saveGroup is SaveProgress for turns of one shard.
func (s *Store) saveGroup(ctx context.Context, owner string, turns []Progress) ([]TurnState, error) {
	if s.db.Shared() {
		if err := s.saveFresh(ctx, owner, turns); err != nil {
			return nil, err
		}
	}
	return s.turnStates(ctx, owner, turns)
}

// saveFresh stores the texts that have changed with one statement, in PostgreSQL's SQL.
func (s *Store) saveFresh(ctx context.Context, owner string, turns []Progress) error {
	var sessions, replies, contents, thinkings []string
	var users, attempts []int64
	for _, t := range turns {
		if t.Fresh {
			sessions, replies = append(sessions, t.SessionID), append(replies, t.ReplyID)
			users, attempts = append(users, t.UserID), append(attempts, t.Attempt)
			contents, thinkings = append(contents, t.Content), append(thinkings, t.Thinking)
		}
	}
	if len(replies) == 0 {
		return nil
	}
	return s.db.Change(ctx, db.Do(`
		UPDATE turns AS t SET content = v.content, thinking = v.thinking
		FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[])
		    AS v (user_id, session_id, message_id, attempt, content, thinking)
		WHERE t.user_id = ANY ($2) AND t.user_id = v.user_id AND t.session_id = v.session_id
		    AND t.message_id = v.message_id AND t.attempt = v.attempt AND t.owner = $1`,
		owner, users, sessions, replies, attempts, contents, thinkings))
}

// turnStates reads the state of each turn with one statement.
func (s *Store) turnStates(ctx context.Context, owner string, turns []Progress) ([]TurnState, error) {
	type attempt struct {
		replyID string
		number  int64
	}
	found := map[attempt]TurnState{}
	query, args := `SELECT message_id, attempt, stopped FROM turns WHERE owner = $1`, []any{owner}
	if s.db.Shared() {
		users := make([]int64, len(turns))
		for i, t := range turns {
			users[i] = t.UserID
		}
		query, args = query+` AND user_id = ANY ($2)`, append(args, users)
	}
	_, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (a attempt, err error) {
		var stopped bool
		err = rows.Scan(&a.replyID, &a.number, &stopped)
		found[a] = Ours
		if stopped {
			found[a] = Stopped
		}
		return a, err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	states := make([]TurnState, len(turns))
	for i, t := range turns {
		state, ours := found[attempt{t.ReplyID, t.Attempt}]
		if !ours {
			state = Lost
		}
		states[i] = state
	}
	return states, nil
}
