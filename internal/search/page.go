package search

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"parley"
	"parley/internal/db"
	"parley/internal/search/grams"
)

// readPage reads the page.
func (s *searcher) readPage(ctx context.Context, q db.Querier) error {
	s.out = parley.SearchOutput{Hits: []parley.Hit{}}
	if err := s.findBlank(ctx, q); err != nil {
		return err
	}
	counts := s.counts
	counts.Titles += s.blank.count
	read := s.readNewest
	if s.query.Grouped {
		read = s.readGroups
		s.out.Sessions = int64(len(s.groups.bySession)) + s.blank.count - s.blank.grouped
	}
	if err := read(ctx, q, &counts); err != nil {
		return err
	}
	if s.out.Total = counts.Total(); s.out.Total > 0 {
		s.out.Counts = &counts
	}
	return nil
}

// readNewest reads the hits of the page. It takes those that were deleted while documents were read from the counts.
func (s *searcher) readNewest(ctx context.Context, q db.Querier, counts *parley.HitCounts) error {
	skip, ok := s.skip()
	if !ok {
		return nil
	}
	s.found.cut()
	texts := slices.Concat(s.found.texts, s.blank.texts)
	slices.SortFunc(texts, newestFirst)
	texts = texts[min(skip-s.blank.passed, int64(len(texts))):]
	if int64(len(texts)) > s.page.Size {
		texts = texts[:s.page.Size]
		s.out.Next = cursorAt(texts[len(texts)-1]).String()
	}
	read, err := s.readHits(ctx, q, texts)
	for _, text := range texts {
		if hit, ok := read[text.Name]; ok {
			s.out.Hits = append(s.out.Hits, hit)
		} else {
			countHit(counts, text.Name, -1)
		}
	}
	return err
}

// countHit adds n to the hits of the kind of a text.
func countHit(counts *parley.HitCounts, name grams.Name, n int64) {
	switch {
	case name.Number == TitleNumber:
		counts.Titles += n
	case isFile(name):
		counts.Files += n
	default:
		counts.Messages += n
	}
}

// readGroups reads the sessions of the page with their newest hits.
func (s *searcher) readGroups(ctx context.Context, q db.Querier, _ *parley.HitCounts) error {
	skip, ok := s.skip()
	if !ok {
		return nil
	}
	var blank groups
	for _, text := range s.blank.texts {
		blank.add(text.Session, text)
	}
	list := newestGroups(s.query.After, s.groups, blank)
	list = list[min(skip, int64(len(list))):]
	if int64(len(list)) > s.page.Size {
		list = list[:s.page.Size]
		s.out.Next = cursorAt(list[len(list)-1].entry()).String()
	}
	var texts []grams.Entry
	for _, group := range list {
		group.newest.cut()
		texts = append(texts, group.newest.texts...)
		s.out.Groups = append(s.out.Groups, parley.HitGroup{SessionID: group.session, Total: group.total})
	}
	read, err := s.readHits(ctx, q, texts)
	for _, text := range texts {
		if hit, ok := read[text.Name]; ok {
			s.out.Hits = append(s.out.Hits, hit)
		}
	}
	return err
}

// readHits reads the hits of texts. Those that were deleted are left out.
func (s *searcher) readHits(
	ctx context.Context, q db.Querier, texts []grams.Entry,
) (map[grams.Name]parley.Hit, error) {
	read := make(map[grams.Name]parley.Hit, len(texts))
	for some := range slices.Chunk(texts, textsAtOnce) {
		names := make([]grams.Name, len(some))
		times := make(map[grams.Name]int64, len(some))
		for i, text := range some {
			names[i], times[text.Name] = text.Name, text.Time
		}
		args, fileSession := wantedArgs(s.userID, names), `f.session_id`
		if s.query.Session != "" { // its files may belong to another session
			args = append(args, s.query.Session)
			fileSession = fmt.Sprintf(`$%d`, len(args))
		}
		err := db.Each(ctx, q, func(rows *sql.Rows) error {
			name, hit, err := s.scanHit(rows)
			hit.Timestamp = times[name] / 1_000_000
			read[name] = hit
			return err
		}, hitsQuery(fileSession), args...)
		if err != nil {
			return nil, err
		}
	}
	return read, nil
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

// hitsQuery reads titles, messages and files by their names, each with its session. fileSession is SQL.
func hitsQuery(fileSession string) string {
	return wanted() + `
		SELECT m.session_id, ` + MessageNumberOf(`m`) + `, m.session_id, m.id, m.content, s.title, s.archived
		FROM wanted w CROSS JOIN messages m CROSS JOIN sessions s
		WHERE m.user_id = $1 AND m.session_id = w.session_id AND m.number = w.number AND m.branch = w.branch
		AND s.user_id = $1 AND s.id = m.session_id
		UNION ALL
		SELECT s.id, w.number, s.id, '', s.title, s.title, s.archived FROM wanted w CROSS JOIN sessions s
		WHERE w.number = 0 AND s.user_id = $1 AND s.id = w.session_id
		UNION ALL
		SELECT f.id, w.number, s.id, f.id, f.name, s.title, s.archived
		FROM wanted w CROSS JOIN files f CROSS JOIN sessions s
		WHERE w.number < 0 AND f.user_id = $1 AND f.id = w.session_id AND s.user_id = $1 AND s.id = ` + fileSession
}
