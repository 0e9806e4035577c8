package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/internal/db"
)

// nameRetention is the row of bookkeeping with the retention that servers use, and since when.
const nameRetention = "retention"

// BeginRetention notes that a server uses a retention, and returns since when. If the note has another retention, or is
// missing, the retention begins now, and begun is set. If retention is 0, the server has none, and the note is removed.
func (s *Store) BeginRetention(
	ctx context.Context, retention time.Duration, now time.Time,
) (since time.Time, begun bool, err error) {
	noted, err := db.ReadOne[string](ctx, s.db, `SELECT value FROM bookkeeping WHERE name = $1`, nameRetention)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return since, false, fmt.Errorf("read since when the retention is used: %w", err)
	}
	length, at, _ := strings.Cut(noted, " ")
	since = parseMicros(at)
	switch {
	case retention == 0 && noted == "":
		return now, false, nil
	case retention == 0:
		err = s.db.Change(ctx, db.Do(`DELETE FROM bookkeeping WHERE name = $1`, nameRetention))
	case length == retention.String() && !since.IsZero() && !since.After(now): // the clock may have been set back
		return since, false, nil
	default:
		value := fmt.Sprintf("%s %d", retention, micros(now))
		err, begun = s.db.Change(ctx, db.Do(setNote, nameRetention, value)), true
	}
	if err != nil {
		return since, false, fmt.Errorf("note since when the retention is used: %w", err)
	}
	return now, begun, nil
}

// Copy copies the SQLite database of a data folder into the new file at path. The copy does not know since when a
// retention is used. A server that starts on it later waits again before it deletes what has become old meanwhile.
func Copy(ctx context.Context, dir, path string) error {
	if err := db.CopySQLite(ctx, dir, path); err != nil {
		return err
	}
	err := db.ChangeCopy(ctx, path, bookkeeping, `DELETE FROM bookkeeping WHERE name = $1`, nameRetention)
	if err != nil {
		return fmt.Errorf("forget since when the retention is used: %w", err)
	}
	return nil
}

// parseMicros returns a time that was stored as a text, or the zero time if the text is not a time.
func parseMicros(text string) time.Time {
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(at)
}
