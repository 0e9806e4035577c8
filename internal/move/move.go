// Package move moves the data of a service to another database and another place for files.
//
// A move copies the rows of all tables in order of their keys, then the files, then reads everything again at both ends
// and compares it. Only then the old place is marked as left and the new one can be used. It can be interrupted at any
// moment and run again: the rows that have arrived show how far it is, and files that have arrived are left as they
// are. Until it is done, both places are marked: no server uses them.
package move

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/blob"
	"parley/internal/db"
	"parley/internal/id"
	"parley/internal/store"
)

// Config configures a move.
type Config struct {
	From, To Place
	// Version is the version of this program.
	Version string
	// Progress is called from time to time with a description of the current work.
	Progress func(text string)
}

// Report is the result of a move.
type Report struct {
	// Tables and Rows count what was moved, if a database was moved.
	Tables int
	Rows   int64
	// Files is the number of files and Bytes their size, with the texts and indexes that belong to documents. They are
	// zero if the files stay where they are.
	Files, Bytes int64
	// Missing are the ids of documents without bytes: these were missing already. Their rows are kept.
	Missing []string
}

// mover is a move in progress. What stays where it is has no target.
type mover struct {
	Config
	mark     blob.Mark // of the source
	resumed  bool      // an earlier run was interrupted
	left     bool      // it has marked the source as left
	database *store.Store
	from, to *db.DB
	files    blob.Place
	newFiles blob.Place
	tables   []*rows
	release  func() error // the lock of the data folder
	report   Report
}

// Run moves the data, or goes on with a move that was interrupted.
func Run(ctx context.Context, c Config) (report Report, err error) {
	m := &mover{Config: c}
	defer func() { err = errors.Join(err, m.close()) }()
	for _, step := range []func(context.Context) error{
		m.openSource, m.openTarget, m.checkRoom, m.begin,
		m.copyRows, m.copySequences, m.copyFiles, m.verifyRows, m.finish,
	} {
		if err := step(ctx); err != nil {
			return m.report, err
		}
	}
	return m.report, nil
}

// openSource opens the source, and returns an error if a server is using it.
func (m *mover) openSource(ctx context.Context) (err error) {
	if !m.movesDatabase() && !m.movesFiles() {
		return errors.New("that is where the data is")
	}
	if m.release, err = m.From.lock(); err != nil {
		return err
	}
	if m.from, err = m.From.attach(ctx); err != nil {
		return err
	}
	m.database = store.New(m.from)
	if err := m.checkServers(ctx); err != nil {
		return err
	}
	if m.files, err = m.From.openFiles(ctx); err != nil {
		return err
	}
	return m.findMark(ctx)
}

// checkServers returns an error if servers are using the source.
func (m *mover) checkServers(ctx context.Context) error {
	turns, err := m.database.CountTurns(ctx)
	if err != nil {
		return err
	}
	if turns.Owners > 0 && m.from.Shared() {
		return fmt.Errorf("%d servers are using %s: stop them first (one that was killed counts for ten seconds)",
			turns.Owners, m.From.Database())
	}
	return nil
}

// findMark sets the mark of the move: that of an earlier run if there was one, else a new one.
func (m *mover) findMark(ctx context.Context) error {
	m.mark = blob.Mark{ID: id.New(), State: blob.Leaving, Other: m.To.String()}
	inFiles, filesMarked, err := m.files.Mark(ctx)
	if err != nil {
		return err
	}
	found, marked, err := m.database.Mark(ctx)
	switch {
	case err == nil && !marked && filesMarked:
		return inFiles.Refusal("what was in the " + m.files.String())
	case err != nil || !marked:
		return err
	case found.State == blob.Arriving:
		return found.Refusal("the data")
	case found.Other != m.mark.Other:
		return fmt.Errorf("a move to %s was begun: finish that one, or run parley move --undo first", found.Other)
	}
	m.mark.ID, m.resumed, m.left = found.ID, true, found.State == blob.Left
	return nil
}

func (m *mover) movesDatabase() bool { return !m.From.sameDatabase(m.To) }
func (m *mover) movesFiles() bool    { return !m.From.sameFiles(m.To) }

// begin marks both ends, the source first: a target without a mark is empty.
func (m *mover) begin(ctx context.Context) error {
	if err := m.database.SetMark(ctx, m.mark); err != nil {
		return err
	}
	arriving := blob.Mark{ID: m.mark.ID, State: blob.Arriving, Other: m.From.String()}
	if m.to != nil {
		if err := store.New(m.to).SetMark(ctx, arriving); err != nil {
			return err
		}
	}
	if m.newFiles != nil {
		return m.newFiles.SetMark(ctx, arriving)
	}
	return nil
}

// finish marks the source as left, then releases the target.
func (m *mover) finish(ctx context.Context) error {
	if err := m.checkServers(ctx); err != nil {
		return err
	}
	left := m.mark
	left.State = blob.Left
	if m.newFiles != nil {
		if err := m.files.SetMark(ctx, left); err != nil {
			return err
		}
	}
	if m.to != nil {
		if err := m.database.SetMark(ctx, left); err != nil {
			return err
		}
	}
	if m.newFiles != nil {
		if err := m.newFiles.DropMark(ctx); err != nil {
			return err
		}
	}
	if m.to != nil {
		return store.New(m.to).DropMark(ctx)
	}
	return m.database.DropMark(ctx) // it stays in use
}

func (m *mover) close() error {
	var errs []error
	for _, files := range []blob.Place{m.newFiles, m.files} {
		if files != nil {
			errs = append(errs, files.Close())
		}
	}
	for _, database := range []*db.DB{m.to, m.from} {
		if database != nil {
			errs = append(errs, database.Close())
		}
	}
	if m.release != nil {
		errs = append(errs, m.release())
	}
	return errors.Join(errs...)
}

// Undo removes the marks of a move. Then servers use the place again as it was left. It returns an error if there are
// no marks, or if the place is the target of a move.
func Undo(ctx context.Context, at Place) (other string, err error) {
	m := &mover{Config: Config{From: at}}
	defer func() { err = errors.Join(err, m.close()) }()
	if m.release, err = at.lock(); err != nil {
		return "", err
	}
	if m.from, err = at.attach(ctx); err != nil {
		return "", err
	}
	if m.files, err = at.openFiles(ctx); err != nil {
		return "", err
	}
	m.database = store.New(m.from)
	inDatabase, marked, err := m.database.Mark(ctx)
	if err != nil {
		return "", err
	}
	inFiles, filesMarked, err := m.files.Mark(ctx)
	switch {
	case err != nil:
		return "", err
	case !marked && !filesMarked:
		return "", errors.New("no move from here was begun")
	case marked && inDatabase.State == blob.Arriving:
		return "", inDatabase.Refusal("the data")
	case filesMarked && inFiles.State == blob.Arriving:
		return "", inFiles.Refusal("the files")
	}
	if err := errors.Join(m.files.DropMark(ctx), m.database.DropMark(ctx)); err != nil {
		return "", err
	}
	if marked {
		return inDatabase.Other, nil
	}
	return inFiles.Other, nil
}
