package db

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
)

var errPooler = errors.New("PostgreSQL is behind a pooler in transaction mode, which Parley can't use: " +
	"set pool_mode to session for this database, or connect to PostgreSQL itself")

// checkPooler returns an error if the database is behind a pooler that shares server
// connections among its clients. Listening, advisory locks and prepared statements need a
// connection of their own, and fail in ways that are hard to understand.
func checkPooler(ctx context.Context, pool *sql.DB) error {
	const tries = 3 // a pooler may have several connections to choose from
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return onConnection(ctx, pool, func(first *pgx.Conn) error {
		pid, err := backend(ctx, first)
		if err != nil || pid == first.PgConn().PID() {
			return err // no pooler: it would have its own numbers
		}
		return onConnection(ctx, pool, func(second *pgx.Conn) error {
			for range tries {
				if err := compareBackends(ctx, first, second); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// compareBackends returns errPooler if the second connection can get the server process of
// the first one.
func compareBackends(ctx context.Context, first, second *pgx.Conn) error {
	before, err := backend(ctx, first)
	if err != nil {
		return err
	}
	// During the transaction the server process is the second connection's alone.
	return pgx.BeginFunc(ctx, second, func(tx pgx.Tx) error {
		taken, err := backend(ctx, tx.Conn())
		if err != nil {
			return err
		}
		if taken == before {
			return errPooler
		}
		after, err := backend(ctx, first)
		if err == nil && after != before {
			return errPooler
		}
		return err
	})
}

// backend returns the number of the server process. It uses no prepared statement.
func backend(ctx context.Context, conn *pgx.Conn) (pid uint32, err error) {
	err = conn.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err
}

// onConnection runs do on a connection of the pool.
func onConnection(ctx context.Context, pool *sql.DB, do func(*pgx.Conn) error) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it returns to the pool
	return conn.Raw(func(c any) error { return do(c.(*connection).Conn.Conn()) })
}
