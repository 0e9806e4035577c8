package store

import (
	"context"
	"database/sql"
	"errors"
)

// step is a statement of a transaction that needs nothing from Go of what those before it
// found: it can be sent along with them. What it needs it reads in the database, where
// each step sees what the ones before it did.
type step struct {
	query string
	args  []any
	row   []any // where the row goes that it returns; nil where it returns none
	none  error // what it means that there is no row to return or to change; nil where that is fine, and leaves row as it is
}

// do is a step that may find nothing.
func do(query string, args ...any) step { return step{query: query, args: args} }

// must is a step that changes or returns a row; where there is none, nothing is done in
// the whole transaction, and its outcome is that error.
func must(none error, query string, args ...any) step {
	return step{query: query, args: args, none: none}
}

// into says where the row goes that a step returns.
func (s step) into(row ...any) step {
	s.row = row
	return s
}

// run does the step by itself.
func (s step) run(ctx context.Context, q querier) error {
	if s.row == nil {
		n, err := exec(ctx, q, s.query, s.args...)
		if err == nil && n == 0 {
			return s.none
		}
		return err
	}
	err := q.QueryRowContext(ctx, s.query, s.args...).Scan(s.row...)
	if errors.Is(err, sql.ErrNoRows) {
		return s.none
	}
	return err
}

// runAll does steps one after the other.
func runAll(ctx context.Context, q querier, steps []step) error {
	for _, s := range steps {
		if err := s.run(ctx, q); err != nil {
			return err
		}
	}
	return nil
}
