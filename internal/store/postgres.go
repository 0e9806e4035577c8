package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// postgres is a PostgreSQL database, shared by any number of replicas.
type postgres struct {
	db  *sql.DB
	url string
}

func openPostgres(ctx context.Context, url string) (*postgres, error) {
	p, err := connectPostgres(ctx, url)
	if err != nil {
		return nil, err
	}
	// Replicas may start together: one migrates, the others wait.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // look every second, for five minutes
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock for migrations: %w", err), p.close())
	}
	if err := migrate(ctx, p.db, goose.DialectPostgres, "postgres", goose.WithSessionLocker(locker)); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// attachPostgres opens a database as it is.
func attachPostgres(ctx context.Context, url string) (*postgres, error) {
	p, err := connectPostgres(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := checkSchema(ctx, p.db); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func connectPostgres(ctx context.Context, url string) (*postgres, error) {
	db, err := openPool(url)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	if err := db.PingContext(ctx); err != nil {
		line := strings.Join(strings.Fields(err.Error()), " ") // pgx has a line for each address it tried
		return nil, errors.Join(fmt.Errorf("can't reach PostgreSQL: %s", line), db.Close())
	}
	return &postgres{db: db, url: url}, nil
}

func (p *postgres) read(ctx context.Context, do func(context.Context, querier) error) error {
	return do(ctx, p.db)
}

func (p *postgres) write(ctx context.Context, do func(context.Context, querier) error) error {
	return again(func() error {
		conn, err := p.db.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close() //nolint:errcheck // it goes back to the pool
		tx, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		return finish(ctx, tx, transaction{tx, conn}, do)
	})
}

// transaction is a transaction and its connection.
type transaction struct {
	*sql.Tx
	conn *sql.Conn
}

// again repeats a transaction that lost against another one, which with the locks we take
// is rare, or whose connection had been lost before.
func again(do func() error) error {
	const tries = 5
	for try := 1; ; try++ {
		err := do()
		if err == nil || try == tries || !lostRace(err) && !errors.Is(err, driver.ErrBadConn) {
			return err
		}
	}
}

func (p *postgres) writeAlone(ctx context.Context, do func(context.Context, querier) error) error {
	return p.write(ctx, do)
}

func (p *postgres) snapshot(ctx context.Context, do func(context.Context, querier) error) error {
	tx, err := p.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	return finish(ctx, tx, tx, do)
}

// finish runs do in a transaction that has begun, and commits it.
func finish(ctx context.Context, tx *sql.Tx, q querier, do func(context.Context, querier) error) error {
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	if err := protect(ctx, do, q); err != nil {
		return err
	}
	return tx.Commit()
}

// lostRace reports a serialization failure or a deadlock.
func lostRace(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

func (p *postgres) version(ctx context.Context) (string, error) {
	var version string
	err := p.db.QueryRowContext(ctx, `SHOW server_version`).Scan(&version)
	return "PostgreSQL " + version, err
}

func (p *postgres) close() error { return p.db.Close() }

// NO KEY: rows that refer to the locked one may still be added.
func (p *postgres) forUpdate() string { return ` FOR NO KEY UPDATE` }

func (p *postgres) now() string {
	return `CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`
}

func (p *postgres) listed(placeholder string) string {
	return `SELECT unnest(CAST(` + placeholder + ` AS TEXT[])) AS value`
}

func (p *postgres) listArg(values []string) any { return values }

// The lock of a user is the negative id: goose's are positive. With its KEY SHARE the
// account stays until the block that refers to it is stored.
func (p *postgres) lockIndex(wait bool) string {
	lock := `pg_try_advisory_xact_lock(-id)`
	if wait {
		lock = `pg_advisory_xact_lock(-id) IS NOT NULL`
	}
	return `SELECT id FROM users WHERE id = $1 AND ` + lock + ` FOR KEY SHARE`
}

func (p *postgres) skipLocked() string { return ` FOR UPDATE SKIP LOCKED` }

// integrity is PostgreSQL's own matter: who can connect and has the schema has it all.
func (p *postgres) integrity(context.Context) ([]string, error) { return nil, nil }
