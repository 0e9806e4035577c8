package db

import (
	"context"
	"database/sql"
	"errors"
)

// Step is a statement of a transaction. Its arguments don't depend on the results of the steps before it, so all can be
// sent at once. In the database each step sees the changes of the steps before it.
type Step struct {
	query   string
	args    []any
	dest    []any // receives the columns of the returned row; nil if no row is returned
	missing error // the result of the transaction if there is no row; nil if no row is needed
	unique  bool  // there is no row if its key is taken
}

// Do is a step that may change or return no row.
func Do(query string, args ...any) Step { return Step{query: query, args: args} }

// Require is a step that must change or return a row. If there is none, the transaction is
// rolled back and returns the error missing. If missing is nil, it is Do.
func Require(missing error, query string, args ...any) Step {
	return Step{query: query, args: args, missing: missing}
}

// Insert is a step that inserts a row, unless its key is taken. Then the transaction is
// rolled back and returns the error taken. The query has no ON CONFLICT. If it selects the
// row, an earlier step has required what it selects from.
func Insert(taken error, query string, args ...any) Step {
	return Step{query: query, args: args, missing: taken, unique: true}
}

// Into returns the step with the destination of the row that it returns. If there is no
// row, dest is not changed.
func (s Step) Into(dest ...any) Step {
	s.dest = dest
	return s
}

// Run runs the step by itself.
func (s Step) Run(ctx context.Context, q Querier) error {
	if s.dest == nil {
		n, err := Exec(ctx, q, s.alone(), s.args...)
		if err == nil && n == 0 {
			return s.missing
		}
		return err
	}
	err := q.QueryRowContext(ctx, s.query, s.args...).Scan(s.dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return s.missing
	}
	return err
}

// alone returns the statement if its result is known before the next one is sent.
func (s Step) alone() string {
	if s.unique {
		return s.query + ` ON CONFLICT DO NOTHING`
	}
	return s.query
}

// RunEach runs steps one after the other.
func RunEach(ctx context.Context, q Querier, steps []Step) error {
	for _, s := range steps {
		if err := s.Run(ctx, q); err != nil {
			return err
		}
	}
	return nil
}
