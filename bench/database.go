package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// database is a new database in a PostgreSQL cluster. If url is empty, it is SQLite in the data directory.
type database struct {
	cluster, name, url string
}

func newDatabase(ctx context.Context, cluster string) (*database, error) {
	if cluster == "" {
		return &database{}, nil
	}
	address, err := url.Parse(cluster)
	if err != nil || !strings.HasPrefix(address.Scheme, "postgres") {
		return nil, errors.New("--database must be a URL, postgres://user:password@host:port/database")
	}
	d := &database{cluster: cluster, name: "parley_bench_" + strings.ToLower(rand.Text())}
	address.Path = "/" + d.name
	d.url = address.String()
	return d, d.execute(ctx, "CREATE DATABASE "+d.name+" TEMPLATE template0")
}

func (d *database) kind() string {
	if d.url == "" {
		return "SQLite"
	}
	return "PostgreSQL"
}

// drop removes the database, even after an interrupt.
func (d *database) drop(ctx context.Context) error {
	if d.url == "" {
		return nil
	}
	return d.execute(context.WithoutCancel(ctx), "DROP DATABASE "+d.name+" WITH (FORCE)")
}

func (d *database) execute(ctx context.Context, statement string) error {
	db, err := sql.Open("pgx", d.cluster)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
