package search

import (
	"context"
	"database/sql"
	"slices"

	"parley"
	"parley/internal/db"
	"parley/internal/search/grams"
)

// readPage reads the hits of the page.
func (s *searcher) readPage(ctx context.Context, q db.Querier) error {
	s.hits, s.total = []parley.Hit{}, s.matched
	if err := s.findBlank(ctx, q); err != nil {
		return err
	}
	skip, ok := s.page.Skip()
	if !ok {
		return nil
	}
	s.found.cut()
	texts := slices.Concat(s.found.texts, s.blank.texts)
	slices.SortFunc(texts, newestFirst)
	skip = min(skip-s.blank.passed, int64(len(texts)))
	texts = texts[skip:min(skip+s.page.Size, int64(len(texts)))]
	read := make(map[grams.Name]parley.Hit, len(texts))
	for some := range slices.Chunk(texts, textsAtOnce) {
		names := make([]grams.Name, len(some))
		for i, text := range some {
			names[i] = text.Name
		}
		err := db.Each(ctx, q, func(rows *sql.Rows) error {
			name, hit, err := s.scanHit(rows)
			read[name] = hit
			return err
		}, hitsQuery(), wantedArgs(s.userID, names)...)
		if err != nil {
			return err
		}
	}
	for _, text := range texts {
		hit, ok := read[text.Name]
		if !ok { // it was deleted while documents were read
			s.total--
			continue
		}
		hit.Timestamp = text.Time / 1_000_000
		s.hits = append(s.hits, hit)
	}
	return nil
}

// findBlank counts the sessions without title and messages, if they match, and reads those
// that may be on the page.
func (s *searcher) findBlank(ctx context.Context, q db.Querier) error {
	s.blank = blankSessions{}
	if !s.query.Titles || !s.query.Untitled || s.query.Session != "" {
		return nil
	}
	count, err := countBlank(ctx, q, s.userID)
	if err != nil {
		return err
	}
	s.total = s.matched + count
	skip, ok := s.page.Skip()
	if !ok || skip >= s.total || count == 0 {
		return nil
	}
	// At least this many blank sessions come before the page.
	s.blank.passed = max(0, skip-s.matched)
	s.blank.texts, err = db.List(ctx, q, func(rows *sql.Rows) (text grams.Entry, err error) {
		err = rows.Scan(&text.Session, &text.Time)
		return text, err
	}, `
		SELECT id, active_at FROM sessions WHERE user_id = $1 AND title = '' AND message_count = 0
		ORDER BY active_at DESC, id DESC LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT)`,
		s.userID, skip-s.blank.passed+s.page.Size, s.blank.passed)
	return err
}

// scanHit reads a row of hitsQuery. The hit of a section has no snippet yet.
func (s *searcher) scanHit(rows *sql.Rows) (name grams.Name, hit parley.Hit, err error) {
	var id, text string
	err = rows.Scan(&name.Session, &name.Number, &hit.SessionID, &id, &text, &hit.SessionTitle, &hit.Archived)
	if err != nil {
		return name, hit, err
	}
	switch {
	case name.Number == TitleNumber:
		hit.Kind = parley.HitTitle
		if text == "" {
			text = parley.DefaultTitle
		}
	case isFile(name):
		hit.Kind, hit.FileID, hit.Filename = parley.HitFile, id, text
	default:
		hit.Kind, hit.MessageID = parley.HitMessage, id
		_, hit.Number = splitNumber(name.Number)
	}
	if hit.SessionTitle == "" {
		hit.SessionTitle = parley.DefaultTitle
	}
	if name.Number >= FilenameNumber {
		hit.Snippet, hit.Match = markedSnippet(text, s.query.Key)
	}
	return name, hit, nil
}

// hitsQuery reads titles, messages and files by their names, each with its session.
func hitsQuery() string {
	return wanted() + `
		SELECT m.session_id, ` + MessageNumberOf(`m`) + `, m.session_id, m.id, m.content, s.title, s.archived
		FROM wanted w CROSS JOIN messages m CROSS JOIN sessions s
		WHERE m.user_id = $1 AND m.session_id = w.session_id AND m.number = w.number AND m.branch = w.branch
		AND s.user_id = $1 AND s.id = m.session_id
		UNION ALL
		SELECT s.id, w.number, s.id, '', s.title, s.title, s.archived FROM wanted w CROSS JOIN sessions s
		WHERE w.number = 0 AND s.user_id = $1 AND s.id = w.session_id
		UNION ALL
		SELECT f.id, w.number, f.session_id, f.id, f.name, s.title, s.archived
		FROM wanted w CROSS JOIN files f CROSS JOIN sessions s
		WHERE w.number < 0 AND f.user_id = $1 AND f.id = w.session_id AND s.user_id = $1 AND s.id = f.session_id`
}
