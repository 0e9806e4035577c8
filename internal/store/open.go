package store

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/db"
)

// OpenConfig describes a store and what to do before its schema is changed.
type OpenConfig struct {
	// URL is the address of the database. If it is empty, the database is SQLite in Dir.
	Dir, URL string
	// Release is the version of this program.
	Release string
	// NoMigration refuses a database with a schema older than this program's.
	NoMigration bool
	// BeforeUpgrade, if set, is called before the schema of an existing database is changed. If it returns an error,
	// nothing is changed. AfterUpgrade, if set, is called when all changes are made.
	BeforeUpgrade func(ctx context.Context, from, to int64) error
	AfterUpgrade  func() error
}

// Open opens the database and brings its schema up to date.
func (c OpenConfig) Open(ctx context.Context) (*Store, error) {
	return opened(db.Open(ctx, c.config()))
}

func (c OpenConfig) config() db.Config {
	return db.Config{
		Dir: c.Dir, URL: c.URL, Migrations: migrations(), Before: c.before, After: c.after, Exclusive: dropLeases,
	}
}

// before is called before the migrations.
func (c OpenConfig) before(ctx context.Context, q db.Querier, found db.Schema) error {
	if err := checkMoved(ctx, q, found); err != nil {
		return err
	}
	if err := checkRelease(ctx, q, found); err != nil {
		return err
	}
	switch {
	case found.Applied >= found.Newest:
		return nil
	case c.NoMigration:
		return fmt.Errorf("the database has schema %d, this program needs %d: run parley serve --migrate=only, "+
			"or start it without --migrate=never", found.Applied, found.Newest)
	case c.BeforeUpgrade == nil || found.Applied == 0:
		return nil
	}
	return c.BeforeUpgrade(ctx, found.Applied, found.Newest)
}

// after is called if there were migrations.
func (c OpenConfig) after(ctx context.Context, q db.Querier, before db.Schema) error {
	err := noteRelease(ctx, q, before, c.Release)
	if c.AfterUpgrade != nil && before.Applied > 0 {
		err = errors.Join(err, c.AfterUpgrade())
	}
	return err
}
