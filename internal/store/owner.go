package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// RenewLease says that the owner is alive for another while, by the database's clock,
// and returns how many owners are.
func (s *Store) RenewLease(ctx context.Context, owner string, lease time.Duration) (int, error) {
	var alive int
	err := s.change(ctx,
		do(`INSERT INTO owners (id, lease_until) VALUES ($1, `+s.now()+` + $2)
			ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`, owner, lease.Microseconds()),
		do(`DELETE FROM owners WHERE lease_until < `+s.now()+` - $1`, time.Hour.Microseconds()),
		do(`SELECT count(*) FROM owners WHERE lease_until > `+s.now()).into(&alive))
	if err != nil {
		return 0, fmt.Errorf("renew lease: %w", err)
	}
	return alive, nil
}

// DropLease gives up the owner's lease: its open turns can be taken over at once.
func (s *Store) DropLease(ctx context.Context, owner string) error {
	if err := s.change(ctx, do(`DELETE FROM owners WHERE id = $1`, owner)); err != nil {
		return fmt.Errorf("drop lease: %w", err)
	}
	return nil
}

// TakeOver makes the owner that of up to most open turns whose owner's lease has
// run out, each as a new attempt.
func (s *Store) TakeOver(ctx context.Context, owner string, most int) ([]OpenTurn, error) {
	orphans, err := readList(ctx, s, scanOne[string], `
		SELECT session_id FROM turns WHERE owner NOT IN (SELECT id FROM owners WHERE lease_until > `+s.now()+`)
		ORDER BY session_id LIMIT CAST($1 AS BIGINT)`, most)
	if err != nil {
		return nil, fmt.Errorf("find orphaned turns: %w", err)
	}
	if len(orphans) == 0 {
		return nil, nil
	}
	var turns []OpenTurn
	err = s.write(ctx, func(ctx context.Context, q querier) (err error) {
		turns, err = s.take(ctx, q, owner, orphans)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("take over turns: %w", err)
	}
	return turns, nil
}

// take makes the owner that of the sessions' open turns, where they still have none.
func (s *Store) take(ctx context.Context, q querier, owner string, sessions []string) (turns []OpenTurn, err error) {
	taken, steps := make([]takenTurn, len(sessions)), make([]step, len(sessions))
	for i, sessionID := range sessions {
		steps[i] = do(`
			UPDATE turns SET owner = $2, attempt = attempt + 1, content = '', thinking = ''
			WHERE session_id = $1 AND owner NOT IN (SELECT id FROM owners WHERE lease_until > `+s.now()+`)
			RETURNING user_id, session_id, message_id, number, owner, attempt, first, redo, stopped, options,
			    (SELECT created_at FROM messages m WHERE m.session_id = turns.session_id AND m.number = turns.number),
			    (SELECT id FROM messages m WHERE m.session_id = turns.session_id AND m.number = turns.number - 1),
			    (SELECT content FROM messages m WHERE m.session_id = turns.session_id AND m.number = turns.number - 1)`,
			sessionID, owner).into(taken[i].columns()...)
	}
	if err := s.together(ctx, q, steps); err != nil {
		return nil, err
	}
	for _, t := range taken {
		if t.ReplyID == "" { // another process was faster
			continue
		}
		turn, err := t.open()
		if err != nil {
			return nil, err
		}
		turns = append(turns, turn)
	}
	return turns, nil
}

// takenTurn is the row of a turn that is taken over.
type takenTurn struct {
	OpenTurn
	redo, stopped, begun int64
	options              string
}

func (t *takenTurn) columns() []any {
	return []any{
		&t.UserID, &t.SessionID, &t.ReplyID, &t.Number, &t.Owner, &t.Attempt, &t.First, &t.redo, &t.stopped, &t.options,
		&t.begun, &t.QuestionID, &t.Question,
	}
}

func (t *takenTurn) open() (OpenTurn, error) {
	t.Redo, t.Stopped, t.Begun = t.redo == 1, t.stopped == 1, time.UnixMicro(t.begun)
	err := json.Unmarshal([]byte(t.options), &t.Options)
	return t.OpenTurn, err
}

// Turns is how replies under way stand, of all processes.
type Turns struct {
	Open int64
	// Orphaned are those of Open whose owner has no lease.
	Orphaned int64
	// Owners is how many processes have one.
	Owners int64
}

// Turns counts the replies under way.
func (s *Store) Turns(ctx context.Context) (t Turns, err error) {
	alive := `SELECT id FROM owners WHERE lease_until > ` + s.now()
	err = s.readRow(ctx, func(row *sql.Row) error { return row.Scan(&t.Open, &t.Orphaned, &t.Owners) }, `
		SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM turns WHERE owner NOT IN (`+alive+`)), (SELECT count(*) FROM (`+alive+`) a)`)
	if err != nil {
		return t, fmt.Errorf("count turns: %w", err)
	}
	return t, nil
}

// OpenReplies lists the open replies of an owner.
func (s *Store) OpenReplies(ctx context.Context, owner string) ([]string, error) {
	replies, err := readList(ctx, s, scanOne[string], `SELECT message_id FROM turns WHERE owner = $1`, owner)
	if err != nil {
		return nil, fmt.Errorf("list open replies: %w", err)
	}
	return replies, nil
}

// Disown leaves an owner's open reply to whoever takes it over next.
func (s *Store) Disown(ctx context.Context, owner, replyID string) error {
	if err := s.change(ctx, do(`UPDATE turns SET owner = '' WHERE message_id = $1 AND owner = $2`, replyID, owner)); err != nil {
		return fmt.Errorf("disown a turn: %w", err)
	}
	return nil
}

// forgetOwners drops every lease. Only a process that has the database to itself may
// do so: all others are dead.
func forgetOwners(ctx context.Context, q querier) error {
	_, err := q.ExecContext(ctx, `DELETE FROM owners`)
	return err
}
