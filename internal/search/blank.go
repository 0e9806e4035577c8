package search

import (
	"context"
	"database/sql"
	"slices"

	"parley/internal/db"
	"parley/internal/search/grams"
)

// blankSessions are the sessions without title and messages, if they match. They may be many,
// so only those that may be on the page are listed.
type blankSessions struct {
	count  int64
	passed int64 // how many are before the page
	texts  []grams.Entry
	// grouped is how many are among the groups, because they have files that match.
	grouped int64
}

// afterAllIDs is after the id of every session.
const afterAllIDs = "~"

// findBlank counts the sessions without title and messages, if they match, and reads those
// that may be on the page.
func (s *searcher) findBlank(ctx context.Context, q db.Querier) (err error) {
	s.blank = blankSessions{}
	if !s.query.Titles || !s.query.Untitled || s.query.Session != "" {
		return nil
	}
	s.blank.count, err = countBlank(ctx, q, s.userID, s.query.From, s.query.lastTime())
	if err != nil || s.blank.count == 0 {
		return err
	}
	skip, ok := s.skip()
	if !ok {
		return nil
	}
	limit := skip + s.page.Size + 1
	if s.query.Grouped {
		if err := s.groupBlank(ctx, q); err != nil {
			return err
		}
		limit += s.blank.grouped
	} else if s.query.After == (Cursor{}) {
		matched := s.counts.Total()
		if skip >= matched+s.blank.count {
			return nil
		}
		// At least this many blank sessions come before the page.
		s.blank.passed = max(0, skip-matched)
		limit -= s.blank.passed
	}
	return s.listBlank(ctx, q, limit)
}

// groupBlank adds the titles of blank sessions that are among the groups.
func (s *searcher) groupBlank(ctx context.Context, q db.Querier) error {
	var untitled []string
	for session, group := range s.groups.bySession {
		if !group.titled {
			untitled = append(untitled, session)
		}
	}
	if len(untitled) == 0 {
		return nil
	}
	texts, err := db.List(ctx, q, scanBlank, `
		SELECT s.id, s.active_at FROM (`+s.db.SelectStrings(`$2`)+`) l CROSS JOIN sessions s
		WHERE s.user_id = $1 AND s.id = l.value AND s.title = '' AND s.temporary = 0 AND s.message_count = 0
		AND s.active_at >= $3 AND s.active_at <= $4`,
		s.userID, s.db.StringsArg(untitled), s.query.From, s.query.lastTime())
	for _, text := range texts {
		s.groups.add(text.Session, text)
	}
	s.blank.grouped = int64(len(texts))
	return err
}

// listBlank reads blank sessions after the cursor that are not among the groups.
func (s *searcher) listBlank(ctx context.Context, q db.Querier, limit int64) (err error) {
	newest, id := s.query.lastTime(), afterAllIDs
	if after := s.query.After; after != (Cursor{}) && after.Time <= newest {
		newest, id = after.Time, after.Session
	}
	s.blank.texts, err = db.List(ctx, q, scanBlank, `
		SELECT id, active_at FROM sessions
		WHERE user_id = $1 AND title = '' AND temporary = 0 AND message_count = 0
		AND active_at >= $2 AND (active_at, id) <= ($3, $4)
		ORDER BY active_at DESC, id DESC LIMIT CAST($5 AS BIGINT) OFFSET CAST($6 AS BIGINT)`,
		s.userID, s.query.From, newest, id, limit+1, s.blank.passed) // one more, since the first may be the cursor's
	s.blank.texts = slices.DeleteFunc(s.blank.texts, func(text grams.Entry) bool {
		return s.groups.bySession[text.Session] != nil || !s.query.After.precedes(text)
	})
	return err
}

func scanBlank(rows *sql.Rows) (text grams.Entry, err error) {
	err = rows.Scan(&text.Session, &text.Time)
	return text, err
}
