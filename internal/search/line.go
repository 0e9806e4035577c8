package search

import (
	"context"
	"database/sql"
	"sort"

	"parley/internal/db"
)

// line is the branches that a session shows, in order. Each branch has the visible messages from its first one on, up
// to the first of the next branch. line is empty if the session has no versions. It is hidden if the session is
// temporary.
type line []segment

type segment struct{ branch, first int64 }

// hidden is the branch in the line of a temporary session, which no search finds.
const hidden = -1

// isHidden reports whether no search finds the session.
func (l line) isHidden() bool { return len(l) > 0 && l[0].branch == hidden }

// readLines returns the lines of a user's sessions that have versions or are temporary.
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
	}, `
		SELECT id, -1, -1 FROM sessions WHERE user_id = $1 AND temporary = 1
		UNION ALL
		SELECT session_id, branch, first FROM branches WHERE user_id = $1 AND shown = 1 ORDER BY 1, 3`, userID)
	return lines, err
}

// has reports whether a text of the session is visible. Titles are.
func (l line) has(number int64) bool {
	if l.isHidden() {
		return false
	}
	if len(l) == 0 || number == TitleNumber {
		return true
	}
	branch, message := splitNumber(number)
	next := sort.Search(len(l), func(i int) bool { return l[i].first > message })
	return next > 0 && l[next-1].branch == branch
}
