package store

import (
	"context"
	"database/sql"
	"slices"

	"parley"
)

// found is what a search has found of a user's sessions.
type found struct {
	userID  int64
	matched []string
	// blank is the number of further ones, with neither title nor message, where the
	// keyword is a piece of the title that they are shown with. They may be many, so they
	// stay in their index.
	blank int64
}

func (f found) total() int64 { return int64(len(f.matched)) + f.blank }

// has reports whether a session of the user's is among the found ones.
func (f found) has(session parley.Session, matched map[string]bool) bool {
	return matched[session.ID] || f.blank > 0 && session.Title == "" && session.MessageCount == 0
}

func countBlank(ctx context.Context, q querier, userID int64) (n int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT count(*) FROM sessions WHERE user_id = $1 AND title = '' AND message_count = 0`, userID).Scan(&n)
	return n, err
}

// pageOf reads a page of the found sessions, latest activity first.
func (s *Store) pageOf(ctx context.Context, q querier, f found, page parley.Page) ([]parley.Session, error) {
	skip, ok := page.Skip()
	if !ok || skip >= f.total() {
		return []parley.Session{}, nil
	}
	if latest, err := latestOf(ctx, q, f, skip, page.Size); err != nil || latest != nil {
		return latest, err
	}
	// So many blank sessions come before the page, even if all others do too.
	passed := max(0, skip-int64(len(f.matched)))
	skip -= passed
	return list(ctx, q, scanSession, `
		SELECT s.id, s.title, s.message_count, s.last_message_at FROM (
		    `+s.listed(`$2`)+`
		    UNION ALL
		    SELECT id FROM (
		        SELECT id FROM sessions WHERE user_id = $1 AND title = '' AND message_count = 0
		        ORDER BY active_at DESC, id DESC LIMIT CAST($3 AS BIGINT) OFFSET CAST($4 AS BIGINT)) blank
		) l CROSS JOIN sessions s
		WHERE s.id = l.value AND s.user_id = $1
		ORDER BY s.active_at DESC, s.id DESC LIMIT CAST($5 AS BIGINT) OFFSET CAST($6 AS BIGINT)`,
		f.userID, s.listArg(f.matched), min(f.blank, skip+page.Size), passed, page.Size, skip)
}

// latestOf reads such a page where it is among the user's latest sessions, as it is where
// most of them have matched: else none. That spares a look at each that has.
func latestOf(ctx context.Context, q querier, f found, skip, size int64) ([]parley.Session, error) {
	const reach = 8
	most := reach * (skip + size)
	if most > int64(len(f.matched)) {
		return nil, nil
	}
	latest, err := list(ctx, q, scanSession, `
		SELECT id, title, message_count, last_message_at FROM sessions WHERE user_id = $1
		ORDER BY active_at DESC, id DESC LIMIT CAST($2 AS BIGINT)`, f.userID, most)
	if err != nil {
		return nil, err
	}
	matched := make(map[string]bool, len(f.matched))
	for _, id := range f.matched {
		matched[id] = true
	}
	latest = slices.DeleteFunc(latest, func(session parley.Session) bool { return !f.has(session, matched) })
	if int64(len(latest)) < skip+size {
		return nil, nil
	}
	return latest[skip : skip+size], nil
}

func scanSession(rows *sql.Rows) (session parley.Session, err error) {
	err = rows.Scan(&session.ID, &session.Title, &session.MessageCount, &session.LastMessageTime)
	session.LastMessageTime = seconds(session.LastMessageTime)
	return session, err
}
