package search

import (
	"context"
	"database/sql"
	"sort"

	"parley/internal/db"
)

// line is the branches that a session shows, in order. Each branch has the visible messages from its first one on, up
// to the first of the next branch. line is empty if the session has no versions.
type line []segment

type segment struct{ branch, first int64 }

// readLines returns the lines of a user's sessions that have versions.
func readLines(ctx context.Context, q db.Querier, userID int64) (map[string]line, error) {
	lines := map[string]line{}
	err := db.Each(ctx, q, func(rows *sql.Rows) error {
		var session string
		var s segment
		if err := rows.Scan(&session, &s.branch, &s.first); err != nil {
			return err
		}
		lines[session] = append(lines[session], s)
		return nil
	}, `SELECT session_id, branch, first FROM branches WHERE user_id = $1 AND shown = 1 ORDER BY session_id, first`,
		userID)
	return lines, err
}

// has reports whether a text of the session is visible. Titles are.
func (l line) has(number int64) bool {
	if len(l) == 0 || number == TitleNumber {
		return true
	}
	branch, message := splitNumber(number)
	next := sort.Search(len(l), func(i int) bool { return l[i].first > message })
	return next > 0 && l[next-1].branch == branch
}
