package store

import (
	"context"
	"database/sql"
	"fmt"

	"parley"
	"parley/internal/db"
)

// SessionFilter selects sessions of a user that are not temporary. The zero value selects all that are not archived.
type SessionFilter struct {
	Pinned, Archived bool
}

// condition is the condition on a session's row, as the indexes have it.
func (f SessionFilter) condition() string {
	condition := ` AND archived = 0`
	if f.Archived {
		condition = ` AND archived = 1`
	}
	if f.Pinned { // none of these is temporary
		return condition + ` AND pinned = 1`
	}
	return condition + ` AND temporary = 0`
}

// total is the number of the sessions. Users count all of theirs and the archived ones. Pinned and temporary ones are
// few.
func (f SessionFilter) total() string {
	switch {
	case f.Pinned:
		return `(SELECT count(*) FROM sessions WHERE user_id = $1` + f.condition() + `)`
	case f.Archived:
		return `u.archived_count`
	default:
		return `u.session_count - u.archived_count
		    - (SELECT count(*) FROM sessions WHERE user_id = $1 AND temporary = 1)`
	}
}

// Sessions returns a page of a user's sessions, latest activity first, and their total.
func (s *Store) Sessions(
	ctx context.Context, userID int64, filter SessionFilter, page parley.Page,
) ([]parley.Session, int64, error) {
	skip, size := pageRange(page)
	var total int64
	var id, title sql.NullString // these are used again for each row, since each would be allocated
	var count, last, expires sql.NullInt64
	var pinned sql.NullBool
	// Every row has the total, which keeps the page and the total consistent. If the page is empty, there is one row with
	// nothing but the total. The page is chosen in the index: rows before it are not read.
	rows, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (session parley.Session, err error) {
		err = rows.Scan(&total, &id, &title, &count, &last, &pinned, &expires)
		return parley.Session{
			ID: id.String, Title: title.String, MessageCount: count.Int64, LastMessageTime: seconds(last.Int64),
			Pinned: pinned.Bool, Archived: filter.Archived, ExpiresAt: seconds(expires.Int64),
		}, err
	}, `
		SELECT `+filter.total()+`, s.id, s.title, s.message_count, s.last_message_at, s.pinned, s.expires_at
		FROM users u
		LEFT JOIN (
		    SELECT active_at, id FROM sessions WHERE user_id = $1`+filter.condition()+`
		    ORDER BY active_at DESC, id DESC LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT)) l ON u.id = $1
		LEFT JOIN sessions s ON s.user_id = $1 AND s.id = l.id
		WHERE u.id = $1
		ORDER BY l.active_at DESC, l.id DESC`, userID, size, skip)
	if err != nil {
		return nil, 0, fmt.Errorf("list sessions: %w", err)
	}
	if len(rows) == 1 && rows[0].ID == "" {
		rows = rows[:0]
	}
	return rows, total, nil
}
