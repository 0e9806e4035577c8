package move

import (
	"context"
	"fmt"

	"parley/internal/db"
)

// copyRows copies the rows of all tables that the target lacks.
func (m *mover) copyRows(ctx context.Context) error {
	total, done, err := m.countRows(ctx)
	if err != nil {
		return err
	}
	for _, table := range m.tables {
		err := table.copy(ctx, m.from, m.to, func(rows int) {
			done += int64(rows)
			m.Progress(fmt.Sprintf("%d of %d rows copied (%s)", done, total, table.Name))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countRows returns how many rows there are, and how many the target has already.
func (m *mover) countRows(ctx context.Context) (total, done int64, err error) {
	count := func(d *db.DB, query string) (n int64, err error) {
		err = d.Snapshot(ctx, func(ctx context.Context, q db.Querier) error {
			return q.QueryRowContext(ctx, query).Scan(&n)
		})
		return n, err
	}
	for _, table := range m.tables {
		there, err := count(m.from, table.count)
		if err != nil {
			return 0, 0, fmt.Errorf("count %s: %w", table.Name, err)
		}
		here, err := count(m.to, table.count)
		if err != nil {
			return 0, 0, fmt.Errorf("count %s: %w", table.Name, err)
		}
		total, done = total+there, done+here
	}
	return total, done, nil
}

// copySequences lets the ids that the database makes go on after the last one.
func (m *mover) copySequences(ctx context.Context) error {
	if m.to == nil {
		return nil
	}
	last, err := m.from.Sequences(ctx)
	if err != nil {
		return err
	}
	for table, number := range last {
		if leftOut[table] != "" || number == 0 {
			continue
		}
		if err := m.to.SetSequence(ctx, table, number); err != nil {
			return err
		}
	}
	return nil
}

// verifyRows reads all tables at both ends and compares their rows.
func (m *mover) verifyRows(ctx context.Context) error {
	done := 0
	progress := func(rows int) {
		done += rows
		m.Progress(fmt.Sprintf("%d rows read again to compare them", done))
	}
	m.report.Tables, m.report.Rows = len(m.tables), 0
	for _, table := range m.tables {
		from, err := table.sum(ctx, m.from, progress)
		if err != nil {
			return err
		}
		to, err := table.sum(ctx, m.to, progress)
		if err != nil {
			return err
		}
		if from != to {
			return fmt.Errorf("the table %s is not the same at both ends (%d rows and %d): somebody has written to one of "+
				"them; run parley move --undo, empty the target and move again", table.Name, from.rows, to.rows)
		}
		m.report.Rows += from.rows
	}
	return nil
}
