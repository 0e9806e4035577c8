package search

import (
	"context"
	"database/sql"
	"slices"

	"parley"
	"parley/internal/db"
)

// matches are the sessions of a user that a search has found.
type matches struct {
	userID   int64
	sessions []string
	// blank is how many sessions with neither title nor message match too. They may be
	// many, so they are not listed.
	blank int64
}

func (m matches) total() int64 { return int64(len(m.sessions)) + m.blank }

// countBlank counts the sessions with neither title nor message that were last active between two times, which are
// included.
func countBlank(ctx context.Context, q db.Querier, userID, from, to int64) (n int64, err error) {
	err = q.QueryRowContext(ctx, `
		SELECT count(*) FROM sessions
		WHERE user_id = $1 AND title = '' AND temporary = 0 AND message_count = 0 AND active_at >= $2 AND active_at <= $3`,
		userID, from, to).Scan(&n)
	return n, err
}

// selectMatches returns the matches that are pinned or archived, if the keyword asks for it.
// Blank sessions are then among the others.
func (x *Index) selectMatches(ctx context.Context, q db.Querier, m matches, keyword Keyword) (matches, error) {
	condition := ``
	if keyword.Pinned {
		condition += ` AND s.pinned = 1`
	}
	if keyword.Archived {
		condition += ` AND s.archived = 1`
	}
	if condition == `` {
		return m, nil
	}
	ids := x.db.SelectStrings(`$2`)
	if m.blank > 0 {
		ids += ` UNION ALL SELECT id FROM sessions WHERE user_id = $1 AND title = '' AND temporary = 0 AND message_count = 0`
	}
	selected, err := db.List(ctx, q, db.ScanOne[string], `
		SELECT s.id FROM (`+ids+`) l CROSS JOIN sessions s
		WHERE s.user_id = $1 AND s.id = l.value`+condition, m.userID, x.db.StringsArg(m.sessions))
	return matches{userID: m.userID, sessions: selected}, err
}

// pageOf reads a page of the matches, latest activity first.
func (x *Index) pageOf(ctx context.Context, q db.Querier, m matches, page parley.Page) ([]parley.Session, error) {
	skip, ok := page.Skip()
	if !ok || skip >= m.total() {
		return []parley.Session{}, nil
	}
	if latest, err := latestOf(ctx, q, m, skip, page.Size); err != nil || latest != nil {
		return latest, err
	}
	// At least this many blank sessions come before the page.
	passed := max(0, skip-int64(len(m.sessions)))
	skip -= passed
	return db.List(ctx, q, scanSession, `
		SELECT s.id, s.title, s.message_count, s.last_message_at, s.pinned, s.archived, s.expires_at FROM (
		    `+x.db.SelectStrings(`$2`)+`
		    UNION ALL
		    SELECT id FROM (
		        SELECT id FROM sessions WHERE user_id = $1 AND title = '' AND temporary = 0 AND message_count = 0
		        ORDER BY active_at DESC, id DESC LIMIT CAST($3 AS BIGINT) OFFSET CAST($4 AS BIGINT)) blank
		) l CROSS JOIN sessions s
		WHERE s.user_id = $1 AND s.id = l.value
		ORDER BY s.active_at DESC, s.id DESC LIMIT CAST($5 AS BIGINT) OFFSET CAST($6 AS BIGINT)`,
		m.userID, x.db.StringsArg(m.sessions), min(m.blank, skip+page.Size), passed, page.Size, skip)
}

// latestOf reads the page from the user's latest sessions, or returns nil if they don't
// contain it. If most sessions match, this is cheaper than reading all matches.
func latestOf(ctx context.Context, q db.Querier, m matches, skip, size int64) ([]parley.Session, error) {
	const reach = 8
	limit := reach * (skip + size)
	if limit > int64(len(m.sessions)) {
		return nil, nil
	}
	// The index has archived sessions apart.
	const columns = `SELECT id, title, message_count, last_message_at, pinned, archived, expires_at`
	const page = columns + `, active_at FROM sessions WHERE user_id = $1 AND temporary = 0 AND archived = `
	const latestFirst = ` ORDER BY active_at DESC, id DESC LIMIT CAST($2 AS BIGINT)`
	latest, err := db.List(ctx, q, scanSession, columns+` FROM (
		    SELECT * FROM (`+page+`0`+latestFirst+`) l
		    UNION ALL
		    SELECT * FROM (`+page+`1`+latestFirst+`) a) b`+latestFirst, m.userID, limit)
	if err != nil {
		return nil, err
	}
	matched := make(map[string]bool, len(m.sessions))
	for _, id := range m.sessions {
		matched[id] = true
	}
	latest = slices.DeleteFunc(latest, func(session parley.Session) bool {
		blank := session.Title == "" && session.MessageCount == 0
		return !matched[session.ID] && (m.blank == 0 || !blank)
	})
	if int64(len(latest)) < skip+size {
		return nil, nil
	}
	return latest[skip : skip+size], nil
}

func scanSession(rows *sql.Rows) (session parley.Session, err error) {
	var last, expires int64 // in microseconds
	err = rows.Scan(&session.ID, &session.Title, &session.MessageCount, &last, &session.Pinned, &session.Archived,
		&expires)
	session.LastMessageTime = last / 1_000_000
	session.ExpiresAt = expires / 1_000_000
	return session, err
}
