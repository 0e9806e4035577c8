package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"
)

// database is where a measured server keeps its data: a fresh folder, and with
// PostgreSQL a fresh database.
type database struct {
	dir     string
	cluster string // empty for SQLite
	url     string
	name    string
}

func newDatabase(ctx context.Context, dir, cluster string) (*database, error) {
	d := &database{dir: dir, cluster: cluster}
	if err := os.MkdirAll(dir, 0o700); err != nil || cluster == "" {
		return d, err
	}
	address, err := url.Parse(cluster)
	if err != nil || !strings.HasPrefix(address.Scheme, "postgres") {
		return nil, errors.New("--database must be a URL, postgres://user:password@host:port/database")
	}
	d.name = "parley_bench_" + strings.ToLower(rand.Text())
	if err := d.ask(ctx, "CREATE DATABASE "+d.name+" TEMPLATE template0"); err != nil {
		return nil, err
	}
	address.Path = "/" + d.name
	d.url = address.String()
	return d, nil
}

// settings make a server use the database.
func (d *database) settings() []string {
	return []string{"PARLEY_DATA=" + d.dir, "PARLEY_DATABASE_URL=" + d.url}
}

// drop removes the database, also after an interrupt.
func (d *database) drop(ctx context.Context) error {
	if d.name != "" {
		if err := d.ask(context.WithoutCancel(ctx), "DROP DATABASE "+d.name+" WITH (FORCE)"); err != nil {
			return err
		}
	}
	return os.RemoveAll(d.dir)
}

func (d *database) ask(ctx context.Context, statement string) error {
	db, err := sql.Open("pgx", d.cluster)
	if err != nil {
		return fmt.Errorf("open the cluster: %w", err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// open opens the database of a server that is not running.
func (d *database) open() (*sql.DB, error) {
	if d.url != "" {
		return sql.Open("pgx", d.url)
	}
	file := (&url.URL{Path: d.file()}).EscapedPath()
	return sql.Open("sqlite", "file:"+file+"?_pragma=synchronous(OFF)&_pragma=cache_size(-65536)")
}

// tidy brings what was stored in one go where a server that has run for a while has it:
// in the database, not in a write-ahead log that the next start would have to read.
func (d *database) tidy(ctx context.Context, db *sql.DB) error {
	if d.url != "" {
		return nil
	}
	if _, err := db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		return fmt.Errorf("tidy the database up: %w", err)
	}
	return nil
}

func (d *database) file() string { return filepath.Join(d.dir, "parley.db") }

// about names the database and how safe its commits are.
func (d *database) about(ctx context.Context) (string, error) {
	if d.url == "" {
		return "SQLite", nil
	}
	db, err := d.open()
	if err != nil {
		return "", err
	}
	defer db.Close()
	var version, fsync string
	if err := db.QueryRowContext(ctx, `SELECT current_setting('server_version'), current_setting('fsync')`).Scan(&version, &fsync); err != nil {
		return "", fmt.Errorf("version of PostgreSQL: %w", err)
	}
	return fmt.Sprintf("PostgreSQL %s, fsync %s", version, fsync), nil
}
