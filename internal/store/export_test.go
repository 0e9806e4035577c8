package store

import "context"

// Audit makes sure that counters, numbers and search agree with the rows.
var Audit = audit

// Inject calls before in each transaction, just before its commit, and after just after
// it. Either may return an error or panic.
func (s *Store) Inject(before, after func() error) { s.engine = faulty{s.engine, before, after} }

// faulty is a database that fails at its commits.
type faulty struct {
	engine
	before, after func() error
}

func (f faulty) write(ctx context.Context, do func(context.Context, querier) error) error {
	err := f.engine.write(ctx, func(ctx context.Context, q querier) error {
		if err := do(ctx, q); err != nil {
			return err
		}
		return f.before()
	})
	if err != nil {
		return err
	}
	return f.after()
}

func (f faulty) change(ctx context.Context, steps []step) error {
	before := func(context.Context, querier) error { return f.before() }
	if err := protect(ctx, before, nil); err != nil { // as the last step: those before it are undone
		steps = append(steps[:len(steps):len(steps)], must(err, `DELETE FROM owners WHERE id = 'nobody'`))
	}
	if err := f.engine.change(ctx, steps); err != nil {
		return err
	}
	return f.after()
}
