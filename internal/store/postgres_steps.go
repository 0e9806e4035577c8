package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// change sends all steps at once. The server takes what comes before it is asked for an
// answer as one transaction and commits it by itself: one round trip, whatever the number
// of steps, and locks are held while nobody waits for us.
func (p *postgres) change(ctx context.Context, steps []step) error {
	return again(func() error {
		conn, err := p.db.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close() //nolint:errcheck // it goes back to the pool
		return send(ctx, conn, steps)
	})
}

// together sends all steps at once within a transaction.
func (p *postgres) together(ctx context.Context, q querier, steps []step) error {
	return send(ctx, q.(transaction).conn, steps)
}

// send sends the steps and waits until all are done and, outside of a transaction,
// committed.
func send(ctx context.Context, conn *sql.Conn, steps []step) error {
	return conn.Raw(func(c any) error {
		err := sendRaw(ctx, c.(*connection).Conn.Conn(), steps)
		if err != nil && pgconn.SafeToRetry(err) {
			return driver.ErrBadConn // so that the pool forgets it
		}
		return err
	})
}

func sendRaw(ctx context.Context, conn *pgx.Conn, steps []step) error {
	batch := &pgx.Batch{}
	for _, s := range steps {
		batch.Queue(s.guarded(len(steps)), s.args...)
	}
	results := conn.SendBatch(ctx, batch)
	for _, s := range steps {
		if err := s.receive(results, len(steps)); err != nil {
			_ = results.Close() // the first error tells
			return err
		}
	}
	return results.Close()
}

// undone is what PostgreSQL is made to say, and writes into its log, where a step that
// must find a row finds none.
const undone = `Parley takes this transaction back: there is no such row`

// guarded is the statement of a step among so many. The next steps are on their way when
// one that must find a row has found none, so the server itself has to stop there: it is
// made to read a text as a number.
func (s step) guarded(among int) string {
	if !s.isGuarded(among) {
		return s.query
	}
	query := s.query
	if s.row == nil {
		query += ` RETURNING 1`
	}
	return `WITH step AS (` + query + `),
		found AS (SELECT CAST(CASE count(*) WHEN 0 THEN '` + undone + `' ELSE '1' END AS INTEGER) FROM step)
		SELECT * FROM found LEFT JOIN step ON true`
}

// isGuarded: one step alone has changed nothing where it finds no row.
func (s step) isGuarded(among int) bool { return s.none != nil && among > 1 }

// receive takes the outcome of a step among so many.
func (s step) receive(results pgx.BatchResults, among int) error {
	if s.row == nil {
		tag, err := results.Exec()
		if err == nil && tag.RowsAffected() == 0 {
			return s.none
		}
		return s.outcome(err)
	}
	row := s.row
	if s.isGuarded(among) {
		row = append([]any{nil}, row...)
	}
	return s.outcome(results.QueryRow().Scan(row...))
}

// outcome is what an error of the step means.
func (s step) outcome(err error) error {
	var pg *pgconn.PgError
	if errors.Is(err, pgx.ErrNoRows) || errors.As(err, &pg) && strings.Contains(pg.Message, undone) {
		return s.none
	}
	return err
}
