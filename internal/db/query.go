package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Querier runs SQL: a pool, a transaction, or a connection with prepared statements.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Exec runs a statement and returns how many rows it changed.
func Exec(ctx context.Context, q Querier, query string, args ...any) (int64, error) {
	result, err := q.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// ErrStop is for the scan functions of Each, List and ReadList. It ends the list before
// the current row, without an error.
var ErrStop = errors.New("stop reading rows")

// Each calls scan with each row of a query. It stops when ctx ends.
func Each(ctx context.Context, q Querier, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has the error
	for rows.Next() {
		err := ctx.Err()
		if err == nil {
			err = scan(rows)
		}
		if errors.Is(err, ErrStop) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

// List reads all rows of a query. scan reads one row.
func List[T any](
	ctx context.Context, q Querier, scan func(*sql.Rows) (T, error), query string, args ...any,
) ([]T, error) {
	all := []T{}
	err := Each(ctx, q, func(rows *sql.Rows) error {
		one, err := scan(rows)
		if err == nil {
			all = append(all, one)
		}
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// ScanOne reads a row of one column. It is for List and ReadList.
func ScanOne[T any](rows *sql.Rows) (T, error) {
	var v T
	err := rows.Scan(&v)
	return v, err
}

// ReadRow reads the row of a query with scan.
func (d *DB) ReadRow(ctx context.Context, scan func(row *sql.Row) error, query string, args ...any) error {
	return d.Read(ctx, func(ctx context.Context, q Querier) error { return scan(q.QueryRowContext(ctx, query, args...)) })
}

// ReadOne reads the only column of a query's row.
func ReadOne[T any](ctx context.Context, d *DB, query string, args ...any) (value T, err error) {
	err = d.ReadRow(ctx, func(row *sql.Row) error { return row.Scan(&value) }, query, args...)
	return value, err
}

// ReadList reads all rows of a query. scan reads one row.
func ReadList[T any](
	ctx context.Context, d *DB, scan func(*sql.Rows) (T, error), query string, args ...any,
) (all []T, err error) {
	err = d.Read(ctx, func(ctx context.Context, q Querier) error {
		all, err = List(ctx, q, scan, query, args...)
		return err
	})
	return all, err
}

// WriteEach runs do for each id above after, in order and each in its own transaction. The
// query must list the ids above $1 in order. WriteEach returns the number of ids that are
// done, and calls progress with it after each id.
func WriteEach[ID int64 | string](
	ctx context.Context, d *DB, query string, after ID,
	do func(ctx context.Context, q Querier, id ID) error, progress func(done int64),
) (done int64, err error) {
	const batch = 500
	for {
		var ids []ID
		err := d.Snapshot(ctx, func(ctx context.Context, q Querier) (err error) {
			ids, err = List(ctx, q, ScanOne[ID], query+fmt.Sprintf(` LIMIT %d`, batch), after)
			return err
		})
		if err != nil {
			return done, err
		}
		for _, id := range ids {
			err := d.Write(ctx, func(ctx context.Context, q Querier) error { return do(ctx, q, id) })
			if err != nil {
				return done, err
			}
			after = id
			done++
			progress(done)
		}
		if len(ids) < batch {
			return done, nil
		}
	}
}
