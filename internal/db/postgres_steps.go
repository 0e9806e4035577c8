package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Change sends all steps at once. The server runs and commits them as one transaction. That
// takes one round trip, and no locks are held while the server waits for the client.
func (p *postgres) Change(ctx context.Context, steps []Step) error {
	return retry(func() error {
		conn, err := p.pool.Conn(ctx)
		if err != nil {
			return notBegun{err}
		}
		defer conn.Close() //nolint:errcheck // it returns to the pool
		return send(ctx, conn, steps, p.citus && len(steps) > 1)
	})
}

func (p *postgres) RunSteps(ctx context.Context, q Querier, steps []Step) error {
	return send(ctx, q.(transaction).conn, steps, false)
}

// send sends the steps and waits for all results. Outside of a transaction the steps are
// committed then: PostgreSQL takes what is sent at once for a transaction. Citus does not
// know when the first statement arrives that others follow, and would commit it on its own,
// so it needs an explicit transaction.
func send(ctx context.Context, conn *sql.Conn, steps []Step, explicit bool) error {
	return conn.Raw(func(c any) error {
		raw := c.(*connection).Conn.Conn()
		var err error
		if explicit {
			err = sendTransaction(ctx, raw, steps)
		} else {
			err = sendRaw(ctx, raw, steps)
		}
		if err != nil && pgconn.SafeToRetry(err) {
			return driver.ErrBadConn // makes the pool discard the connection
		}
		return err
	})
}

// rollbackTimeout bounds the end of a transaction that has failed.
const rollbackTimeout = 5 * time.Second

// sendTransaction is sendRaw between BEGIN and COMMIT, all in one round trip. If a step
// fails, it takes a second one to end the transaction.
func sendTransaction(ctx context.Context, conn *pgx.Conn, steps []Step) error {
	all := append(append([]Step{Do(`BEGIN`)}, steps...), Do(`COMMIT`))
	err := sendRaw(ctx, conn, all)
	if err == nil || conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	if _, rollback := conn.Exec(ctx, `ROLLBACK`); rollback != nil {
		_ = conn.Close(ctx) // the pool discards it
	}
	return err
}

func sendRaw(ctx context.Context, conn *pgx.Conn, steps []Step) error {
	batch := &pgx.Batch{}
	for _, s := range steps {
		batch.Queue(s.guarded(len(steps)), s.args...)
	}
	results := conn.SendBatch(ctx, batch)
	for _, s := range steps {
		if err := s.receive(results, len(steps)); err != nil {
			_ = results.Close() // the first error is returned
			return err
		}
	}
	return results.Close()
}

// undone is the error of a guarded statement if a required row is missing. PostgreSQL also
// writes it to its log.
const undone = `Parley takes this transaction back: there is no such row`

// guarded returns the statement of one of count steps. The steps after it are sent before
// its result is known, so a statement without a required row must fail on the server. An
// INSERT does so if its key is taken. The others do so by converting a text to a number.
func (s Step) guarded(count int) string {
	if count == 1 {
		return s.alone()
	}
	if !s.isGuarded(count) {
		return s.query
	}
	query := s.query
	if s.dest == nil {
		query += ` RETURNING 1`
	}
	return `WITH step AS (` + query + `),
		found AS (SELECT CAST(CASE count(*) WHEN 0 THEN '` + undone + `' ELSE '1' END AS INTEGER) FROM step)
		SELECT * FROM found LEFT JOIN step ON true`
}

// isGuarded reports whether the statement must be made to fail if there is no row. A single
// step need not fail: it has changed nothing.
func (s Step) isGuarded(count int) bool { return s.missing != nil && !s.unique && count > 1 }

// receive reads the result of one of count steps.
func (s Step) receive(results pgx.BatchResults, count int) error {
	if s.dest == nil {
		tag, err := results.Exec()
		if err == nil && tag.RowsAffected() == 0 {
			return s.missing
		}
		return s.result(err)
	}
	dest := s.dest
	if s.isGuarded(count) {
		dest = append([]any{nil}, dest...)
	}
	return s.result(results.QueryRow().Scan(dest...))
}

// uniqueViolation is PostgreSQL's code for an INSERT with a key that is taken.
const uniqueViolation = "23505"

// result returns missing if err means that there was no row, else err.
func (s Step) result(err error) error {
	var pg *pgconn.PgError
	if errors.Is(err, pgx.ErrNoRows) || errors.As(err, &pg) && strings.Contains(pg.Message, undone) {
		return s.missing
	}
	if s.unique && errors.As(err, &pg) && pg.Code == uniqueViolation {
		return s.missing
	}
	return err
}
