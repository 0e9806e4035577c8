package db

import (
	"context"
	"database/sql"
	"sync"
)

// statements is a Querier that prepares each SQL text once. Texts must be constants, which bounds their number.
type statements struct {
	on interface {
		Querier
		PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	}
	known sync.Map // string → *sql.Stmt
}

func (s *statements) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, ok := s.known.Load(query); ok {
		return stmt.(*sql.Stmt), nil
	}
	stmt, err := s.on.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if first, loaded := s.known.LoadOrStore(query, stmt); loaded {
		_ = stmt.Close()
		return first.(*sql.Stmt), nil
	}
	return stmt, nil
}

func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	stmt, err := s.prepare(ctx, query)
	if err != nil { // a Row can't be created from an error, so let the query fail
		return s.on.QueryRowContext(ctx, query, args...)
	}
	return stmt.QueryRowContext(ctx, args...)
}

func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

func (s *statements) close() {
	s.known.Range(func(_, stmt any) bool {
		_ = stmt.(*sql.Stmt).Close()
		return true
	})
}
