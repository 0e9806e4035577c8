package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/internal/db"
)

// An owner is a process that generates replies. Its open turns can be taken over by
// another owner once its lease has expired.

// RenewLease extends the lease of an owner, starting now by the database's clock. It
// returns the number of owners with a lease.
func (s *Store) RenewLease(ctx context.Context, owner string, lease time.Duration) (int, error) {
	var alive int
	err := s.db.Change(ctx,
		db.Do(`INSERT INTO owners (id, lease_until) VALUES ($1, `+s.db.Now()+` + $2)
			ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`, owner, lease.Microseconds()),
		db.Do(`DELETE FROM owners WHERE lease_until < `+s.db.Now()+` - $1`, time.Hour.Microseconds()),
		db.Do(`SELECT count(*) FROM owners WHERE lease_until > `+s.db.Now()).Into(&alive))
	if err != nil {
		return 0, fmt.Errorf("renew lease: %w", err)
	}
	return alive, nil
}

// DropLease ends the lease of an owner. Its open turns can then be taken over at once.
func (s *Store) DropLease(ctx context.Context, owner string) error {
	if err := s.db.Change(ctx, db.Do(`DELETE FROM owners WHERE id = $1`, owner)); err != nil {
		return fmt.Errorf("drop lease: %w", err)
	}
	return nil
}

// dropLeases ends all leases. Only a process with exclusive use of the database may call
// it.
func dropLeases(ctx context.Context, q db.Querier) error {
	_, err := q.ExecContext(ctx, `DELETE FROM owners`)
	return err
}

// TakeOver gives the owner up to limit open turns, each as a new attempt, if the lease of their previous owner has
// expired.
func (s *Store) TakeOver(ctx context.Context, owner string, limit int) ([]Turn, error) {
	orphans, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (o orphan, err error) {
		err = rows.Scan(&o.userID, &o.sessionID, &o.owner)
		return o, err
	}, `
		SELECT user_id, session_id, owner FROM turns
		WHERE owner NOT IN (SELECT id FROM owners WHERE lease_until > `+s.db.Now()+`)
		ORDER BY session_id LIMIT CAST($1 AS BIGINT)`, limit)
	if err != nil {
		return nil, fmt.Errorf("find orphaned turns: %w", err)
	}
	if len(orphans) == 0 {
		return nil, nil
	}
	users := make([]int64, len(orphans))
	for i, o := range orphans {
		users[i] = o.userID
	}
	groups, err := s.db.GroupByShard(ctx, "turns", users)
	if err != nil {
		return nil, fmt.Errorf("take over turns: %w", err)
	}
	var all []Turn
	var errs []error
	for _, group := range groups {
		var turns []Turn
		err := s.db.Write(ctx, func(ctx context.Context, q db.Querier) (err error) {
			turns, err = s.takeTurns(ctx, q, owner, pick(orphans, group))
			return err
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("take over turns: %w", err))
			continue
		}
		all = append(all, turns...)
	}
	return all, errors.Join(errs...)
}

// pick returns the items at some indexes.
func pick[T any](items []T, indexes []int) []T {
	picked := make([]T, len(indexes))
	for i, place := range indexes {
		picked[i] = items[place]
	}
	return picked
}

// orphan is an open turn with an owner without a lease.
type orphan struct {
	userID    int64
	sessionID string
	owner     string
}

// takeTurns gives the owner the open turns that are still orphaned. The dead owner is in the condition: only one
// process can take a turn.
func (s *Store) takeTurns(
	ctx context.Context, q db.Querier, owner string, orphans []orphan,
) (turns []Turn, err error) {
	taken, steps := make([]takenTurn, len(orphans)), make([]db.Step, len(orphans))
	for i, o := range orphans {
		const message = ` FROM messages m WHERE m.user_id = $1 AND m.session_id = $2 AND m.number = turns.number`
		question := message + ` - 1 AND m.branch = ` + questionBranch(`turns.number`, `turns.branch`, `$1`, `$2`)
		steps[i] = db.Do(`
			UPDATE turns SET owner = $3, attempt = attempt + 1, content = '', thinking = ''
			WHERE user_id = $1 AND session_id = $2 AND owner = $4
			RETURNING user_id, session_id, message_id, number, branch, owner, attempt, first, redo, stream, stopped, options,
			    (SELECT created_at`+message+` AND m.branch = turns.branch),
			    (SELECT id`+question+`), (SELECT content`+question+`),
			    CASE WHEN redo = 2 THEN (SELECT content`+message+` AND m.branch = turns.branch) ELSE '' END,
			    CASE WHEN redo = 2 THEN (SELECT details`+message+` AND m.branch = turns.branch) ELSE '' END`,
			o.userID, o.sessionID, owner, o.owner).Into(taken[i].columns()...)
	}
	if err := s.db.RunSteps(ctx, q, steps); err != nil {
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

// takenTurn is the row of a turn to take over.
type takenTurn struct {
	Turn
	redo, stream, stopped, begun int64
	options, text, details       string
}

func (t *takenTurn) columns() []any {
	return []any{
		&t.UserID, &t.SessionID, &t.ReplyID, &t.Number, &t.Branch, &t.Owner, &t.Attempt, &t.First,
		&t.redo, &t.stream, &t.stopped, &t.options, &t.begun, &t.QuestionID, &t.Question, &t.text, &t.details,
	}
}

func (t *takenTurn) open() (Turn, error) {
	t.Redo, t.Continue = t.redo == regenerated, t.redo == continued
	t.Stream, t.Stopped, t.Begun = t.stream == 1, t.stopped == 1, time.UnixMicro(t.begun)
	if err := t.setContinued(t.text, t.details); err != nil {
		return t.Turn, err
	}
	err := json.Unmarshal([]byte(t.options), &t.Options)
	return t.Turn, err
}

// TurnCounts counts the open turns of all processes.
type TurnCounts struct {
	Open int64
	// Orphaned is how many of Open have an owner without a lease.
	Orphaned int64
	// Owners is how many processes have a lease.
	Owners int64
}

// CountTurns counts the open turns of all processes.
func (s *Store) CountTurns(ctx context.Context) (t TurnCounts, err error) {
	alive := `SELECT id FROM owners WHERE lease_until > ` + s.db.Now()
	err = s.db.ReadRow(ctx, func(row *sql.Row) error { return row.Scan(&t.Open, &t.Orphaned, &t.Owners) }, `
		SELECT (SELECT count(*) FROM turns),
		    (SELECT count(*) FROM turns WHERE owner NOT IN (`+alive+`)),
		    (SELECT count(*) FROM (`+alive+`) a)`)
	if err != nil {
		return t, fmt.Errorf("count turns: %w", err)
	}
	return t, nil
}

// OpenReplies returns the ids of an owner's open replies.
func (s *Store) OpenReplies(ctx context.Context, owner string) ([]string, error) {
	replies, err := db.ReadList(ctx, s.db, db.ScanOne[string], `SELECT message_id FROM turns WHERE owner = $1`, owner)
	if err != nil {
		return nil, fmt.Errorf("list open replies: %w", err)
	}
	return replies, nil
}

// Disown removes the owner of an open reply. Then it can be taken over.
func (s *Store) Disown(ctx context.Context, owner, replyID string) error {
	err := s.db.Change(ctx, db.Do(`UPDATE turns SET owner = '' WHERE message_id = $1 AND owner = $2`, replyID, owner))
	if err != nil {
		return fmt.Errorf("disown a turn: %w", err)
	}
	return nil
}
