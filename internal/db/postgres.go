package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// postgres is a PostgreSQL database, shared by any number of servers.
type postgres struct {
	pool   *sql.DB
	config *pgx.ConnConfig
	// citus is set if the database has the extension Citus.
	citus bool
	// pingInterval is how often the connection that listens is checked.
	pingInterval time.Duration
}

// readTimeout bounds a read if its context has no deadline.
const readTimeout = 30 * time.Second

func openPostgres(ctx context.Context, config Config) (*postgres, error) {
	p, err := connectPostgres(ctx, config.URL)
	if err != nil {
		return nil, err
	}
	// If servers start together, one migrates and the others wait.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // try every second, for five minutes
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock for migrations: %w", err), p.Close())
	}
	locked := goose.WithSessionLocker(locker)
	if err := (dialect{postgres: true}).prepare(ctx, p.pool, config, locked); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func attachPostgres(ctx context.Context, config Config) (*postgres, error) {
	p, err := connectPostgres(ctx, config.URL)
	if err != nil {
		return nil, err
	}
	if err := (dialect{postgres: true}).attach(ctx, p.pool, config); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func connectPostgres(ctx context.Context, url string) (*postgres, error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, unreachable(err)
	}
	pool := openPool(config)
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(unreachable(err), pool.Close())
	}
	if err := checkPooler(ctx, pool); errors.Is(err, errPooler) {
		return nil, errors.Join(err, pool.Close())
	} else if err != nil {
		return nil, errors.Join(unreachable(err), pool.Close())
	}
	citus, err := hasCitus(ctx, pool)
	if err != nil {
		return nil, errors.Join(unreachable(err), pool.Close())
	}
	return &postgres{pool: pool, config: config, citus: citus, pingInterval: listenPing}, nil
}

func hasCitus(ctx context.Context, pool *sql.DB) (has bool, err error) {
	const query = `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')`
	err = pool.QueryRowContext(ctx, query, pgx.QueryExecModeSimpleProtocol).Scan(&has)
	return has, err
}

// unreachable returns the error of a database that can't be used, on one line: pgx has a
// line for each address it tried.
func unreachable(err error) error {
	return fmt.Errorf("can't reach PostgreSQL: %s", strings.Join(strings.Fields(err.Error()), " "))
}

func (p *postgres) Read(ctx context.Context, do Func) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, readTimeout)
		defer cancel()
	}
	return do(ctx, p.pool)
}

func (p *postgres) Write(ctx context.Context, do Func) error {
	return retry(func() error {
		conn, err := p.pool.Conn(ctx)
		if err != nil {
			return notBegun{err}
		}
		defer conn.Close() //nolint:errcheck // it returns to the pool
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

// retry repeats a transaction if it conflicted with another one, which is rare with the locks that we take, or if its
// connection had been lost before.
func retry(do func() error) error {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		err := do()
		if err == nil || attempt == attempts || !isConflict(err) && !errors.Is(err, driver.ErrBadConn) {
			return err
		}
	}
}

// isConflict reports whether an error is a serialization failure or a deadlock.
func isConflict(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

func (p *postgres) WriteAlone(ctx context.Context, do Func) error { return p.Write(ctx, do) }

func (p *postgres) Snapshot(ctx context.Context, do Func) error {
	tx, err := p.pool.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	return finish(ctx, tx, tx, do)
}

// finish runs do in a transaction that has begun, and commits it.
func finish(ctx context.Context, tx *sql.Tx, q Querier, do Func) error {
	defer tx.Rollback() //nolint:errcheck // it does nothing after a commit
	if err := protect(ctx, do, q); err != nil {
		return err
	}
	return tx.Commit()
}

func (p *postgres) Version(ctx context.Context) (string, error) {
	var version, citus string
	err := p.pool.QueryRowContext(ctx, `SHOW server_version`).Scan(&version)
	if err == nil && p.citus {
		err = p.pool.QueryRowContext(ctx, `SELECT extversion FROM pg_extension WHERE extname = 'citus'`).Scan(&citus)
		version += " with Citus " + citus
	}
	return "PostgreSQL " + version, err
}

// Size implements Engine. With Citus it includes the shards on the workers that respond.
func (p *postgres) Size(ctx context.Context) (size int64, err error) {
	query := `SELECT pg_database_size(current_database())`
	if p.citus {
		query += ` + (SELECT COALESCE(sum(citus_total_relation_size(logicalrelid, false)), 0)::bigint FROM pg_dist_partition)`
	}
	err = p.pool.QueryRowContext(ctx, query).Scan(&size)
	return size, err
}

func (p *postgres) Distributed() bool { return p.citus }

// Integrity checks nothing: the files belong to the PostgreSQL server.
func (p *postgres) Integrity(context.Context) ([]string, error) { return nil, nil }

func (p *postgres) Close() error { return p.pool.Close() }
