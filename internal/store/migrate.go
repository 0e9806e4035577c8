package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// migrate brings the schema up to date. Each migration leaves the previous release
// working, so that replicas can be upgraded one by one.
func migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, folder string, options ...goose.ProviderOption) error {
	files, err := fs.Sub(migrations, "migrations/"+folder)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(dialect, db, files, options...)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}

// Schema is the number of the newest migration that this program knows.
func Schema() int64 {
	files, err := fs.Glob(migrations, "migrations/sqlite/*.sql")
	if err != nil || len(files) == 0 {
		panic("store: no migrations are embedded")
	}
	number, err := goose.NumericComponent(files[len(files)-1])
	if err != nil {
		panic("store: a migration without a number: " + err.Error())
	}
	return number
}

// schemaOf is the number of the last migration that a database has had.
func schemaOf(ctx context.Context, q querier) (int64, error) {
	var number int64
	if err := q.QueryRowContext(ctx, `SELECT COALESCE(max(version_id), 0) FROM goose_db_version`).Scan(&number); err != nil {
		return 0, fmt.Errorf("read the schema's number: %w", err)
	}
	return number, nil
}

// checkSchema makes sure that a database has exactly the schema that this program has.
func checkSchema(ctx context.Context, q querier) error {
	number, err := schemaOf(ctx, q)
	if err != nil {
		return err
	}
	if number < Schema() {
		return fmt.Errorf("the database has schema %d, this program needs %d: start the server of this release, which brings it up to date", number, Schema())
	}
	if number > Schema() {
		return fmt.Errorf("the database has schema %d, this program knows %d: use the release that the server has", number, Schema())
	}
	return nil
}
