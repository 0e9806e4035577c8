package store

import (
	"context"
	"fmt"
)

// Purge removes what deleted rows have left behind in the files of the database, if rows were deleted since the last
// call. SQLite overwrites a deleted row with zeros, but its log has the row until it is truncated. If the log is in
// use, Purge leaves it to the next call. On PostgreSQL it does nothing: vacuuming removes deleted rows there.
func (s *Store) Purge(ctx context.Context) error {
	if !s.deleted.Swap(false) {
		return nil
	}
	truncated, err := s.db.TruncateLog(ctx)
	if !truncated || err != nil {
		s.deleted.Store(true)
	}
	if err != nil {
		return fmt.Errorf("purge deleted rows: %w", err)
	}
	return nil
}
