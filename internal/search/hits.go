package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

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
}

// Search returns a page of the titles, messages and files of a user that contain the
// keyword, newest first, and their total. Titles have the time of their session's last activity. It reads files through
// documents, and leaves out files that were deleted meanwhile.
func (x *Index) Search(
	ctx context.Context, userID int64, query Query, page parley.Page, documents Documents,
) (hits []parley.Hit, total int64, err error) {
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
		return nil, 0, fmt.Errorf("search: %w", err)
	}
	return s.hits, s.total, nil
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

	matched int64 // how many texts are known to match, without blank sessions
	found   newest
	blank   blankSessions
	hits    []parley.Hit // of the page
	total   int64
}

// find finds what matches, and reads the page unless documents have to be read first.
func (s *searcher) find(ctx context.Context, q db.Querier) (err error) {
	s.read, s.files, s.unread = nil, map[string]*file{}, nil
	s.matched, s.found = 0, newest{limit: s.reach()}
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

// reach returns how many of the newest matches are needed for the page.
func (s *searcher) reach() int {
	const most = 1 << 40
	skip, ok := s.page.Skip()
	if !ok {
		return 0
	}
	return int(min(skip+s.page.Size, most))
}

func (s *searcher) add(text grams.Entry) {
	s.matched++
	s.found.add(text)
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
		if sure && text.Number != TitleNumber {
			s.add(text)
		} else {
			s.read = append(s.read, text.Name)
		}
	})
}

// check adds a title or a message if it contains the key.
func (s *searcher) check(t namedText) {
	if casefold.Contains(t.text, s.query.Key) {
		s.add(grams.Entry{Name: t.Name, Time: t.time})
	}
}

// blankSessions are the sessions without title and messages, if they match. They may be many,
// so only those that may be on the page are listed.
type blankSessions struct {
	passed int64 // how many are before the page
	texts  []grams.Entry
}

// findUntitled adds the sessions without a title.
func (s *searcher) findUntitled(ctx context.Context, q db.Querier) error {
	scan := func(rows *sql.Rows) (text grams.Entry, err error) {
		err = rows.Scan(&text.Session, &text.Time)
		return text, err
	}
	if s.query.Session != "" {
		texts, err := db.List(ctx, q, scan,
			`SELECT id, active_at FROM sessions WHERE user_id = $1 AND id = $2 AND title = ''`, s.userID, s.query.Session)
		for _, text := range texts {
			s.add(text)
		}
		return err
	}
	texts, err := db.List(ctx, q, scan,
		`SELECT id, active_at FROM sessions WHERE user_id = $1 AND title = '' AND message_count > 0`, s.userID)
	for _, text := range texts {
		s.add(text)
	}
	return err
}
