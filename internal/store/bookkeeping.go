package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"parley/internal/blob"
	"parley/internal/db"
)

// The table bookkeeping and the names of its rows.
const (
	bookkeeping = "bookkeeping"
	nameRelease = "release"
	nameOldest  = "oldest"
	nameMove    = "move"
)

// readNote reads a row of bookkeeping, or returns "".
func readNote(ctx context.Context, q db.Querier, found db.Schema, name string) (value string, err error) {
	if !found.Has(bookkeeping) {
		return "", nil
	}
	err = q.QueryRowContext(ctx, `SELECT value FROM bookkeeping WHERE name = $1`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read what is known about the database: %w", err)
	}
	return value, nil
}

const setNote = `INSERT INTO bookkeeping (name, value) VALUES ($1, $2)
	ON CONFLICT (name) DO UPDATE SET value = excluded.value`

// checkMoved returns an error if the data is being moved, or was.
func checkMoved(ctx context.Context, q db.Querier, found db.Schema) error {
	m, marked, err := ReadMark(ctx, q, found)
	if err == nil && marked {
		err = m.Refusal("the data of this database")
	}
	return err
}

// checkRelease returns an error if this program can't use the schema of a newer release. Replicas of the release before
// may go on and start again until all are upgraded. SQLite has no replicas.
func checkRelease(ctx context.Context, q db.Querier, found db.Schema) error {
	if found.Applied <= found.Newest {
		return nil
	}
	release, err := readNote(ctx, q, found, nameRelease)
	if err != nil {
		return err
	}
	oldest, err := readNote(ctx, q, found, nameOldest)
	if err != nil {
		return err
	}
	if number, err := strconv.ParseInt(oldest, 10, 64); err == nil && found.Shared && found.Newest >= number {
		return nil
	}
	return fmt.Errorf("the database was upgraded by parley %s (schema %d, this program knows %d): "+
		"use that release or a later one, or restore the backup from before the upgrade",
		cmp.Or(release, "of a later release"), found.Applied, found.Newest)
}

// noteRelease stores which release has changed the schema.
func noteRelease(ctx context.Context, q db.Querier, before db.Schema, release string) error {
	oldest := cmp.Or(before.Applied, before.Newest)
	for name, value := range map[string]string{nameRelease: release, nameOldest: strconv.FormatInt(oldest, 10)} {
		if _, err := q.ExecContext(ctx, setNote, name, value); err != nil {
			return fmt.Errorf("store which release has changed the schema: %w", err)
		}
	}
	return nil
}

// ReadMark returns the mark of a move in a database, and false if there is none.
func ReadMark(ctx context.Context, q db.Querier, found db.Schema) (m blob.Mark, marked bool, err error) {
	text, err := readNote(ctx, q, found, nameMove)
	if err != nil || text == "" {
		return m, false, err
	}
	m, err = blob.ParseMark(text)
	return m, true, err
}

// SetMark marks the database.
func (s *Store) SetMark(ctx context.Context, m blob.Mark) error {
	if err := s.db.Change(ctx, db.Do(setNote, nameMove, m.Text())); err != nil {
		return fmt.Errorf("mark the database: %w", err)
	}
	return nil
}

// Mark returns the mark of the database, and false if there is none.
func (s *Store) Mark(ctx context.Context) (m blob.Mark, marked bool, err error) {
	err = s.db.Read(ctx, func(ctx context.Context, q db.Querier) error {
		m, marked, err = ReadMark(ctx, q, db.Schema{Tables: []string{bookkeeping}})
		return err
	})
	return m, marked, err
}

// DropMark removes the mark of the database.
func (s *Store) DropMark(ctx context.Context) error {
	if err := s.db.Change(ctx, db.Do(`DELETE FROM bookkeeping WHERE name = $1`, nameMove)); err != nil {
		return fmt.Errorf("remove the mark of the database: %w", err)
	}
	return nil
}
