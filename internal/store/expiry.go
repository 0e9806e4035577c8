package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/id"
)

// SessionKey names a session of any user.
type SessionKey struct {
	UserID    int64
	SessionID string
}

// AgedSession is a session and the time of its latest activity, in microseconds.
type AgedSession struct {
	SessionKey
	ActiveAt int64
}

// ExpiredSessions returns up to limit sessions that have reached their own time.
func (s *Store) ExpiredSessions(ctx context.Context, now time.Time, limit int) ([]SessionKey, error) {
	found, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (key SessionKey, err error) {
		err = rows.Scan(&key.UserID, &key.SessionID)
		return key, err
	}, `
		SELECT user_id, id FROM sessions WHERE expires_at > 0 AND expires_at <= $1
		ORDER BY expires_at LIMIT CAST($2 AS BIGINT)`, micros(now), limit)
	if err != nil {
		return nil, fmt.Errorf("list expired sessions: %w", err)
	}
	return found, nil
}

// AgedSessions returns up to limit sessions without activity since a time, in the order of their activity, from the
// one after a given session on.
func (s *Store) AgedSessions(
	ctx context.Context, since time.Time, after AgedSession, limit int,
) ([]AgedSession, error) {
	found, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (aged AgedSession, err error) {
		err = rows.Scan(&aged.ActiveAt, &aged.UserID, &aged.SessionID)
		return aged, err
	}, `
		SELECT active_at, user_id, id FROM sessions
		WHERE active_at <= $1 AND (active_at, user_id, id) > (CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT))
		ORDER BY active_at, user_id, id LIMIT CAST($5 AS BIGINT)`,
		micros(since), after.ActiveAt, after.UserID, after.SessionID, limit)
	if err != nil {
		return nil, fmt.Errorf("list old sessions: %w", err)
	}
	return found, nil
}

// errNotDue is returned if a session is not to be deleted after all.
var errNotDue = errors.New("the session is not due")

// DeleteExpired deletes a session as DeleteSession does, if its own time has come. It reports whether it did.
func (s *Store) DeleteExpired(ctx context.Context, key SessionKey, now time.Time) (bool, error) {
	return s.deleteIf(ctx, key, `s.expires_at > 0 AND s.expires_at <= $3`, micros(now))
}

// DeleteAged deletes a session as DeleteSession does, if it was neither used nor imported since a time, has no favorite
// and is not pinned. It reports whether it did.
func (s *Store) DeleteAged(ctx context.Context, key SessionKey, since time.Time) (bool, error) {
	return s.deleteIf(ctx, key, agedCondition(`$3`, `$4`), micros(since), id.Lowest(since))
}

// CountAged returns how many sessions DeleteAged would delete, and of how many users.
func (s *Store) CountAged(ctx context.Context, since time.Time) (count parley.AgedSessions, err error) {
	err = s.db.ReadRow(ctx, func(row *sql.Row) error { return row.Scan(&count.Sessions, &count.Users) }, `
		SELECT count(*), count(DISTINCT s.user_id) FROM sessions s WHERE `+agedCondition(`$1`, `$2`),
		micros(since), id.Lowest(since))
	if err != nil {
		return count, fmt.Errorf("count old sessions: %w", err)
	}
	return count, nil
}

// agedCondition returns the condition of sessions s that a retention deletes. active is the parameter of a time, and
// stored is the lowest id of that time. They were neither active nor stored since then. An id has the time when its
// session was stored: if older messages were imported, the time of the import.
func agedCondition(active, stored string) string {
	return `s.active_at <= ` + active + ` AND s.id < ` + stored + ` AND s.pinned = 0 AND NOT EXISTS (
		SELECT 1 FROM messages m WHERE m.user_id = s.user_id AND m.session_id = s.id AND m.favorite_id IS NOT NULL)`
}

// deleteIf deletes a session if a condition on its row, s, holds. The parameters of the condition begin with $3.
func (s *Store) deleteIf(ctx context.Context, key SessionKey, condition string, parameters ...any) (bool, error) {
	// The condition is checked with the row locked. On PostgreSQL a locking query reads the row again if it has
	// changed, but not what the query has read of other tables. So the lock comes first.
	err := s.db.Change(ctx, slices.Concat(
		[]db.Step{
			s.lockSession(key.UserID, key.SessionID, errNotDue),
			db.Require(errNotDue, `SELECT 1 FROM sessions s WHERE s.user_id = $1 AND s.id = $2 AND `+condition,
				append([]any{key.UserID, key.SessionID}, parameters...)...).Into(new(int)),
		},
		deleteSession(key.UserID, key.SessionID))...)
	if errors.Is(err, errNotDue) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("delete a session that is due: %w", err)
	}
	s.deleted.Store(true)
	s.search.Wake()
	return true, nil
}

// keepTemporary moves the end of a temporary session, if t is a turn of one. A turn that fails does not move it back.
func keepTemporary(t NewTurn) []db.Step {
	if !t.Temporary {
		return nil
	}
	return []db.Step{db.Do(`UPDATE sessions SET expires_at = $3 WHERE user_id = $1 AND id = $2 AND temporary = 1`,
		t.UserID, t.SessionID, micros(t.Now.Add(parley.TemporaryLife)))}
}

// expiryMicros returns the end of a session as it is stored. 0 is never.
func expiryMicros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return micros(at)
}
