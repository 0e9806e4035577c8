// Package dbtest explains the statements that run on a database, for tests.
package dbtest

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"

	"parley/internal/db"
)

// Explainer gets the plan of each statement from the database before the statement runs.
type Explainer struct {
	db.Engine
	// Analyze, with PostgreSQL, runs each statement for its plan and counts blocks, as JSON.
	Analyze bool
	// Plans are the plans by statement. Count is how often each statement was run.
	Plans map[string]string
	Count map[string]int

	t        testing.TB
	database *db.DB
	mu       sync.Mutex
}

// Explain wraps a database in an Explainer until Stop is called.
func Explain(t testing.TB, database *db.DB) *Explainer {
	x := &Explainer{t: t, database: database, Plans: map[string]string{}, Count: map[string]int{}}
	database.Wrap(func(engine db.Engine) db.Engine {
		x.Engine = engine
		return x
	})
	return x
}

// Stop unwraps the database.
func (x *Explainer) Stop() { x.database.Wrap(func(db.Engine) db.Engine { return x.Engine }) }

// Read implements db.Engine.
func (x *Explainer) Read(ctx context.Context, do db.Func) error {
	return x.Engine.Read(ctx, x.explained(do))
}

// Snapshot implements db.Engine.
func (x *Explainer) Snapshot(ctx context.Context, do db.Func) error {
	return x.Engine.Snapshot(ctx, x.explained(do))
}

// Write implements db.Engine.
func (x *Explainer) Write(ctx context.Context, do db.Func) error {
	return x.Engine.Write(ctx, x.explained(do))
}

// WriteAlone implements db.Engine.
func (x *Explainer) WriteAlone(ctx context.Context, do db.Func) error {
	return x.Engine.WriteAlone(ctx, x.explained(do))
}

// Change implements db.Engine. It runs the steps one by one.
func (x *Explainer) Change(ctx context.Context, steps []db.Step) error {
	return x.Write(ctx, func(ctx context.Context, q db.Querier) error { return db.RunEach(ctx, q, steps) })
}

// RunSteps implements db.Engine. It runs the steps one by one.
func (x *Explainer) RunSteps(ctx context.Context, q db.Querier, steps []db.Step) error {
	return db.RunEach(ctx, q, steps)
}

func (x *Explainer) explained(do db.Func) db.Func {
	return func(ctx context.Context, q db.Querier) error { return do(ctx, querier{q, x}) }
}

// plan gets the plan of a statement.
func (x *Explainer) plan(ctx context.Context, q db.Querier, query string, args []any) {
	explain, scan := `EXPLAIN QUERY PLAN `, func(rows *sql.Rows) (line string, err error) {
		var node, parent, unused int
		err = rows.Scan(&node, &parent, &unused, &line)
		return line, err
	}
	if x.database.Shared() {
		explain, scan = `EXPLAIN `, db.ScanOne[string]
		if x.Analyze {
			explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) `
		}
	}
	lines, err := db.List(ctx, q, scan, explain+query, args...)
	if err != nil {
		x.t.Errorf("plan of %s: %v", query, err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.Plans[query] = strings.Join(lines, "\n")
	x.Count[query]++
}

// querier is a Querier of an Explainer.
type querier struct {
	q db.Querier
	x *Explainer
}

func (e querier) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	e.x.plan(ctx, e.q, query, args)
	return e.q.QueryContext(ctx, query, args...)
}

func (e querier) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	e.x.plan(ctx, e.q, query, args)
	return e.q.QueryRowContext(ctx, query, args...)
}

func (e querier) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	e.x.plan(ctx, e.q, query, args)
	return e.q.ExecContext(ctx, query, args...)
}
