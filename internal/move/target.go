package move

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/blob"
	"parley/internal/db"
	"parley/internal/fsutil"
	"parley/internal/store"
)

// openTarget opens the target and makes its schema. It returns an error if something else is there or it can't be
// written.
func (m *mover) openTarget(ctx context.Context) (err error) {
	if m.movesDatabase() {
		config := store.OpenConfig{Dir: m.To.Data, URL: m.To.DatabaseURL, Release: m.Version}.Target(m.checkEmpty)
		if m.to, err = db.Open(ctx, config); err != nil {
			return err
		}
		if err := m.planTables(ctx); err != nil {
			return err
		}
	}
	if !m.movesFiles() {
		return nil
	}
	if m.newFiles, err = m.To.openFiles(ctx); err != nil {
		return err
	}
	if err := m.checkFiles(ctx); err != nil {
		return err
	}
	return tryWriting(ctx, m.newFiles)
}

// planTables lists the tables to move.
func (m *mover) planTables(ctx context.Context) error {
	from, err := m.from.Tables(ctx)
	if err != nil {
		return err
	}
	to, err := m.to.Tables(ctx)
	if err != nil {
		return err
	}
	keysOf := source
	if m.to.Shared() {
		keysOf = target
	}
	tables, err := plan(from, to, keysOf)
	if err != nil {
		return err
	}
	for _, t := range tables {
		m.tables = append(m.tables, newRows(t))
	}
	return nil
}

// checkEmpty returns an error unless the target is empty or has what this move has copied before. It is called before
// anything is changed there.
func (m *mover) checkEmpty(ctx context.Context, q db.Querier, found db.Schema) error {
	where := m.To.Database()
	if others := othersTables(found); len(others) > 0 {
		return fmt.Errorf("%s is not empty (%s): move to a database of its own", where, strings.Join(others, ", "))
	}
	if found.Applied > found.Newest {
		return fmt.Errorf("%s is of a newer release: use that release's parley", where)
	}
	marked, is, err := store.ReadMark(ctx, q, found)
	if err != nil {
		return err
	}
	if is {
		return m.checkMark(where, marked)
	}
	for _, table := range found.Tables {
		if leftOut[table] != "" {
			continue
		}
		var rows bool
		if err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+quote(table)+`)`).Scan(&rows); err != nil {
			return fmt.Errorf("look into %s: %w", where, err)
		}
		if rows && m.left {
			return fmt.Errorf("all of the data was moved to %s already", where)
		}
		if rows {
			return fmt.Errorf("%s is not empty (%s has rows): move to an empty database", where, table)
		}
	}
	return nil
}

// othersTables returns the tables of a database that has none of ours. A run that was killed in the first migration
// leaves the empty list of migrations.
func othersTables(found db.Schema) []string {
	if found.Applied > 0 {
		return nil
	}
	isList := func(table string) bool { return table == "goose_db_version" }
	return slices.DeleteFunc(slices.Clone(found.Tables), isList)
}

// checkMark returns an error unless a mark of the target is of this move.
func (m *mover) checkMark(where string, found blob.Mark) error {
	switch {
	case found.State == blob.Arriving && found.ID == m.mark.ID:
		return nil
	case found.State == blob.Arriving:
		return fmt.Errorf("%s has what another move left unfinished, from %s: empty it, or choose another",
			where, found.Other)
	case found.ID == m.mark.ID:
		return fmt.Errorf("%s is where the data is", where)
	default:
		return fmt.Errorf("%s has data that was moved to %s: empty it, or choose another", where, found.Other)
	}
}

// checkFiles returns an error if the new place of the files has others. A bucket is not listed: keys are unique, and
// files of others are not replaced.
func (m *mover) checkFiles(ctx context.Context) error {
	found, marked, err := m.newFiles.Mark(ctx)
	if err != nil {
		return err
	}
	if marked {
		return m.checkMark(m.newFiles.String(), found)
	}
	dir, ok := m.newFiles.(*blob.Dir)
	if !ok || m.resumed { // a run that was interrupted has looked, or has removed its mark at the end
		return nil
	}
	errFound := fmt.Errorf("the %s is not empty: move to an empty one", dir)
	return dir.Each(ctx, func(key string, _ time.Time) error {
		if key == probe {
			return nil
		}
		return errFound
	})
}

// probe is the key of the file that shows whether a place can be written. A killed run may leave it.
const probe = "00000000-0000-7000-8000-000000000000"

// tryWriting writes, reads and deletes a file.
func tryWriting(ctx context.Context, files blob.Store) error {
	_, err := files.Put(ctx, probe, strings.NewReader("parley move"))
	if err == nil {
		_, _, err = digestOf(ctx, files, probe)
	}
	if err := errors.Join(err, files.Delete(ctx, probe)); err != nil {
		return fmt.Errorf("the %s can't be written: %w", files, err)
	}
	return nil
}

// checkRoom returns an error if the target's disk has no room for the data. What PostgreSQL and S3 have is not known.
func (m *mover) checkRoom(ctx context.Context) error {
	var needed int64
	if m.to != nil && m.To.DatabaseURL == "" {
		size, err := m.from.Size(ctx)
		if err != nil {
			return err
		}
		needed += size
	}
	if m.newFiles != nil && m.To.FilesURL == "" {
		size, err := m.database.FileBytes(ctx)
		if err != nil {
			return err
		}
		needed += size
	}
	if needed == 0 || m.resumed {
		return nil
	}
	free, err := fsutil.Free(m.To.Data)
	if err == nil && free < needed {
		return fmt.Errorf("%s has %d bytes free, the data needs %d", m.To.Data, free, needed)
	}
	return err
}
