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
		turns = turns[:0]
		for _, sessionID := range orphans {
			taken, err := list(ctx, q, scanOpenTurn, `
				UPDATE turns SET owner = $2, attempt = attempt + 1, content = '', thinking = ''
				WHERE session_id = $1 AND owner NOT IN (SELECT id FROM owners WHERE lease_until > `+s.now()+`)
				RETURNING user_id, session_id, message_id, number, owner, attempt, first, redo, stopped, options`, sessionID, owner)
			if err != nil {
				return err
			}
			for i := range taken {
				if err := recall(ctx, q, &taken[i]); err != nil {
					return err
				}
			}
			turns = append(turns, taken...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("take over turns: %w", err)
	}
	return turns, nil
}

func scanOpenTurn(rows *sql.Rows) (t OpenTurn, err error) {
	var redo, stopped int64
	var options string
	if err := rows.Scan(&t.UserID, &t.SessionID, &t.ReplyID, &t.Number, &t.Owner, &t.Attempt, &t.First, &redo, &stopped, &options); err != nil {
		return t, err
	}
	t.Redo, t.Stopped = redo == 1, stopped == 1
	return t, json.Unmarshal([]byte(options), &t.Options)
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
