package search

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"parley"
	"parley/internal/casefold"
	"parley/internal/db"
	"parley/internal/search/grams"
)

// Query selects the texts that a search looks at.
type Query struct {
	Keyword
	// Session limits the search to one session, unless it is empty.
	Session                 string
	Titles, Messages, Files bool
	// From and To limit the times of the hits, in microseconds. Both are included; a To of 0 is no limit.
	From, To int64
	// After is where to read on. The number of the page is not used then. The zero Cursor is the beginning.
	After Cursor
	// Grouped lists sessions with their newest hits. The page is one of sessions.
	Grouped bool
}

func (q Query) lastTime() int64 { return cmp.Or(q.To, math.MaxInt64) }

// covers reports whether hits of a time are wanted.
func (q Query) covers(time int64) bool { return q.From <= time && time <= q.lastTime() }

// Search returns a page of the titles, messages and files of a user that contain the
// keyword, newest first, and their total. Titles have the time of their session's last activity. It reads files through
// documents, and leaves out files that were deleted meanwhile.
func (x *Index) Search(
	ctx context.Context, userID int64, query Query, page parley.Page, documents Documents,
) (out parley.SearchOutput, err error) {
	s := &searcher{db: x.db, userID: userID, query: query, page: page, documents: documents}
	find := func(ctx context.Context, q db.Querier) error { return s.find(ctx, q) }
	if err = x.db.Snapshot(ctx, find); errors.Is(err, grams.ErrDamaged) {
		if err = x.requeueUser(ctx, userID); err == nil {
			err = x.db.Snapshot(ctx, find)
		}
	}
	if err == nil && len(s.unread) > 0 {
		if err = s.readDocuments(ctx); err == nil {
			err = x.db.Snapshot(ctx, s.readPage)
		}
	}
	if err == nil {
		err = s.documentSnippets(ctx)
	}
	if err != nil {
		return parley.SearchOutput{}, fmt.Errorf("search: %w", err)
	}
	return s.out, nil
}

// searcher runs one search.
type searcher struct {
	db        *db.DB
	userID    int64
	query     Query
	page      parley.Page
	documents Documents

	lines  map[string]line
	queued nameSet
	read   []grams.Name // titles and messages that are read to find out whether they match
	files  map[string]*file
	unread []*file // files with documents that must be read to find out

	counts parley.HitCounts // the texts that are known to match, without blank sessions
	found  newest
	groups groups
	blank  blankSessions
	out    parley.SearchOutput // the page
}

// find finds what matches, and reads the page unless documents have to be read first.
func (s *searcher) find(ctx context.Context, q db.Querier) (err error) {
	s.read, s.files, s.unread = nil, map[string]*file{}, nil
	s.counts, s.found, s.groups = parley.HitCounts{}, newest{limit: s.reach()}, groups{}
	if s.lines, err = readLines(ctx, q, s.userID); err != nil {
		return err
	}
	if err := s.findQueued(ctx, q); err != nil {
		return err
	}
	if err := s.lookUp(ctx, q); err != nil {
		return err
	}
	if err := eachText(ctx, q, s.userID, s.read, s.check); err != nil {
		return err
	}
	if err := s.findFiles(ctx, q); err != nil {
		return err
	}
	if s.query.Titles && s.query.Untitled {
		if err := s.findUntitled(ctx, q); err != nil {
			return err
		}
	}
	if len(s.unread) > 0 {
		return nil
	}
	return s.readPage(ctx, q)
}

// skip returns how many entries are before the page and after the cursor, and false if no list can be that long.
func (s *searcher) skip() (int64, bool) {
	if s.query.After != (Cursor{}) {
		return 0, true
	}
	return s.page.Skip()
}

// reach returns how many of the newest matches after the cursor are needed for the page, and to know whether more
// follow.
func (s *searcher) reach() int {
	const most = 1 << 40
	skip, ok := s.skip()
	if !ok {
		return 0
	}
	return int(min(skip+s.page.Size+1, most))
}

// add adds a text of a session that matches, if its time is wanted.
func (s *searcher) add(session string, text grams.Entry) {
	if !s.query.covers(text.Time) {
		return
	}
	countHit(&s.counts, text.Name, 1)
	switch {
	case s.query.Grouped:
		s.groups.add(session, text)
	case s.query.After.precedes(text):
		s.found.add(text)
	}
}

// findQueued adds the texts in the queue and the questions of open turns to those that are
// read.
func (s *searcher) findQueued(ctx context.Context, q db.Querier) error {
	names, err := queuedNames(ctx, q, s.userID)
	if err != nil {
		return err
	}
	s.queued = nameSet{}
	for _, name := range names {
		if s.queued[name.Session][name.Number] { // in the queue and in an open turn
			continue
		}
		s.queued.add(name)
		switch {
		case name.Number == allNumber:
		case isFile(name):
			if s.query.Files {
				s.file(name.Session).queue(name.Number)
			}
		case s.wants(name) && s.lines[name.Session].has(name.Number):
			s.read = append(s.read, name)
		}
	}
	return nil
}

// wants reports whether a title or a message is searched.
func (s *searcher) wants(name grams.Name) bool {
	if s.query.Session != "" && name.Session != s.query.Session {
		return false
	}
	if name.Number == TitleNumber {
		return s.query.Titles
	}
	return s.query.Messages
}

// lookUp adds the texts that the index finds, except those that are queued. Titles are read
// for their time.
func (s *searcher) lookUp(ctx context.Context, q db.Querier) error {
	last, queued, line := "", map[int64]bool(nil), line(nil)
	return eachFound(ctx, q, s.userID, s.query.Key, func(text grams.Entry, sure bool) {
		if text.Session != last {
			last, queued, line = text.Session, s.queued[text.Session], s.lines[text.Session]
		}
		if queued[text.Number] || text.Number != TitleNumber && queued[allNumber] {
			return
		}
		if isFile(text.Name) {
			if s.query.Files {
				s.file(text.Session).add(text.Number, sure)
			}
			return
		}
		if !s.wants(text.Name) || !line.has(text.Number) {
			return
		}
		switch {
		case text.Number == TitleNumber:
			s.read = append(s.read, text.Name)
		case !s.query.covers(text.Time):
		case sure:
			s.add(text.Session, text)
		default:
			s.read = append(s.read, text.Name)
		}
	})
}

// check adds a title or a message if it contains the key.
func (s *searcher) check(t namedText) {
	if casefold.Contains(t.text, s.query.Key) {
		s.add(t.Session, grams.Entry{Name: t.Name, Time: t.time})
	}
}

// findUntitled adds the sessions without a title.
func (s *searcher) findUntitled(ctx context.Context, q db.Querier) error {
	scan := func(rows *sql.Rows) (text grams.Entry, err error) {
		err = rows.Scan(&text.Session, &text.Time)
		return text, err
	}
	if s.query.Session != "" {
		texts, err := db.List(ctx, q, scan,
			`SELECT id, active_at FROM sessions WHERE user_id = $1 AND id = $2 AND title = '' AND temporary = 0`,
			s.userID, s.query.Session)
		for _, text := range texts {
			s.add(text.Session, text)
		}
		return err
	}
	texts, err := db.List(ctx, q, scan,
		`SELECT id, active_at FROM sessions WHERE user_id = $1 AND title = '' AND temporary = 0 AND message_count > 0`,
		s.userID)
	for _, text := range texts {
		s.add(text.Session, text)
	}
	return err
}
