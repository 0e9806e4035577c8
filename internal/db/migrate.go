package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pressly/goose/v3"
)

// migrate applies the migrations in a folder that the database lacks, and reports whether there were any.
func migrate(
	ctx context.Context, pool *sql.DB, dialect goose.Dialect,
	migrations fs.FS, folder string, options ...goose.ProviderOption,
) (bool, error) {
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return false, fmt.Errorf("read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(dialect, pool, files, options...)
	if err != nil {
		return false, fmt.Errorf("read the migrations: %w", err)
	}
	applied, err := provider.Up(ctx)
	if err != nil {
		return false, fmt.Errorf("migrate the database: %w", err)
	}
	return len(applied) > 0, nil
}

// Newest returns the number of the newest migration.
func Newest(migrations fs.FS) (int64, error) { return newestIn(migrations, "sqlite") }

// newestIn returns the number of the newest migration in a folder. Both have the same numbers.
func newestIn(migrations fs.FS, folder string) (int64, error) {
	files, err := fs.Glob(migrations, folder+"/*.sql")
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	if len(files) == 0 {
		return 0, errors.New("there are no migrations")
	}
	return goose.NumericComponent(slices.Max(files))
}

// Applied returns the number of the last migration that was applied to a database.
func Applied(ctx context.Context, q Querier) (int64, error) {
	var number int64
	err := q.QueryRowContext(ctx, `SELECT COALESCE(max(version_id), 0) FROM goose_db_version`).Scan(&number)
	if err != nil {
		return 0, fmt.Errorf("read the schema's number: %w", err)
	}
	return number, nil
}

// checkSchema returns an error unless exactly the given migrations were applied to the
// database.
func checkSchema(ctx context.Context, q Querier, migrations fs.FS) error {
	needed, err := Newest(migrations)
	if err != nil {
		return err
	}
	applied, err := Applied(ctx, q)
	if err != nil {
		return err
	}
	if applied < needed {
		return fmt.Errorf("the database has schema %d, this program needs %d: "+
			"start the server of this release, which brings it up to date", applied, needed)
	}
	if applied > needed {
		return fmt.Errorf("the database has schema %d, this program knows %d: "+
			"use the release that the server has", applied, needed)
	}
	return nil
}
