package db

import (
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	sqlitedriver "modernc.org/sqlite"
)

// Refused reports whether an error of a change means that nothing was changed: the database said so, was not reached,
// or the change was given up before it began. After any other error, such as a timeout or a lost connection, the change
// may have been committed.
func Refused(err error) bool {
	var postgres *pgconn.PgError
	var unreached *pgconn.ConnectError
	var unprepared pgx.ErrPreprocessingBatch // no step was sent
	var sqlite *sqlitedriver.Error
	var unbegun notBegun
	return errors.As(err, &postgres) || errors.As(err, &unreached) || errors.As(err, &unprepared) ||
		errors.As(err, &sqlite) || errors.As(err, &unbegun) || errors.Is(err, driver.ErrBadConn)
}

// notBegun is the error of a change if its context ended before anything was sent to the database.
type notBegun struct{ error }

func (e notBegun) Unwrap() error { return e.error }
