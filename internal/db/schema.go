package db

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pressly/goose/v3"
)

// Schema is what Open finds before it migrates a database.
type Schema struct {
	// Applied is the number of the last migration that was applied, or 0. Newest is the number of the program's newest
	// migration.
	Applied, Newest int64
	// Tables are the names of all tables.
	Tables []string
	// Shared is that of the database.
	Shared bool
}

// Has reports whether the database has a table.
func (s Schema) Has(table string) bool { return slices.Contains(s.Tables, table) }

// folder returns the folder of the migrations.
func (d dialect) folder() string {
	if d.postgres {
		return "postgres"
	}
	return "sqlite"
}

func (d dialect) readSchema(ctx context.Context, q Querier, migrations fs.FS) (s Schema, err error) {
	s.Shared = d.postgres
	if s.Newest, err = newestIn(migrations, d.folder()); err != nil {
		return s, err
	}
	if s.Tables, err = List(ctx, q, ScanOne[string], d.tableNames()); err != nil {
		return s, fmt.Errorf("list the tables: %w", err)
	}
	if s.Has(goose.DefaultTablename) {
		s.Applied, err = Applied(ctx, q)
	}
	return s, err
}

// prepare applies the migrations that the database lacks, and calls the functions of config before and after them.
func (d dialect) prepare(ctx context.Context, pool *sql.DB, config Config, options ...goose.ProviderOption) error {
	found, err := d.readSchema(ctx, pool, config.Migrations)
	if err != nil {
		return err
	}
	if config.Before != nil {
		if err := config.Before(ctx, pool, found); err != nil {
			return err
		}
	}
	kind := goose.DialectSQLite3
	if d.postgres {
		kind = goose.DialectPostgres
	}
	changed, err := migrate(ctx, pool, kind, config.Migrations, d.folder(), options...)
	if err != nil {
		return err
	}
	if changed && config.After != nil {
		return config.After(ctx, pool, found)
	}
	return nil
}

// attach calls config.Before, and returns an error unless exactly the migrations of config were applied.
func (d dialect) attach(ctx context.Context, pool *sql.DB, config Config) error {
	found, err := d.readSchema(ctx, pool, config.Migrations)
	if err != nil {
		return err
	}
	if config.Before != nil {
		if err := config.Before(ctx, pool, found); err != nil {
			return err
		}
	}
	return checkSchema(ctx, pool, config.Migrations)
}
