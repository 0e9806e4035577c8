package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// TruncateLog implements Engine. It has its own connection. Its short timeout limits how long writers wait while the
// log is truncated. Most of the work is done before, while they don't wait.
func (s *sqlite) TruncateLog(ctx context.Context) (truncated bool, err error) {
	pool, err := sql.Open("sqlite", sqliteDSN(s.file, "_pragma=busy_timeout(200)"))
	if err != nil {
		return false, fmt.Errorf("truncate the log: %w", err)
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	pool.SetMaxOpenConns(1)
	var busy, pages, moved int64
	for _, mode := range []string{"PASSIVE", "TRUNCATE"} {
		err := pool.QueryRowContext(ctx, `PRAGMA wal_checkpoint(`+mode+`)`).Scan(&busy, &pages, &moved)
		if isBusy(err) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("truncate the log: %w", err)
		}
	}
	return busy == 0, nil
}

// TruncateLog implements Engine.
func (p *postgres) TruncateLog(context.Context) (bool, error) { return true, nil }
