package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/casefold"
	"parley/internal/grams"
)

// Keyword is what is looked for in sessions.
type Keyword struct {
	Key string // its casefold.Key
	// Untitled says that a session without a title holds it too.
	Untitled bool
}

// FindSessions reads a page of the user's sessions whose title or one of whose
// messages holds the keyword, latest activity first, and their number.
func (s *Store) FindSessions(ctx context.Context, userID int64, keyword Keyword, page parley.Page) (sessions []parley.Session, total int64, err error) {
	find := func(ctx context.Context, q querier) error {
		search, err := s.newSearch(ctx, q, userID, keyword)
		if err != nil {
			return err
		}
		f := found{userID: userID}
		if f.matched, err = search.matched(ctx, q); err != nil {
			return err
		}
		if keyword.Untitled {
			if f.blank, err = countBlank(ctx, q, userID); err != nil {
				return err
			}
		}
		total = f.total()
		if sessions, err = s.pageOf(ctx, q, f, page); err != nil {
			return err
		}
		for i := range sessions {
			if sessions[i].Snippet, err = search.snippet(ctx, q, sessions[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err = s.snapshot(ctx, find); errors.Is(err, grams.ErrDamaged) {
		if err = s.remakeIndex(ctx, userID); err == nil {
			err = s.snapshot(ctx, find)
		}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("find sessions: %w", err)
	}
	return sessions, total, nil
}

// search is a keyword and the texts of a user that may hold it.
type search struct {
	userID   int64
	key      string
	sessions map[string]*hits
}

// hits are the numbers of a session's texts that may hold the keyword.
type hits struct {
	sure  bool  // one holds it for sure,
	first int64 // and this is the first message of those
	maybe []int64
}

func (h *hits) add(number int64, sure bool) {
	if !sure {
		h.maybe = append(h.maybe, number)
		return
	}
	h.sure = true
	if number != titleNumber && (h.first == 0 || number < h.first) {
		h.first = number
	}
}

func (s *search) hits(session string) *hits {
	h := s.sessions[session]
	if h == nil {
		h = &hits{}
		s.sessions[session] = h
	}
	return h
}

// newSearch looks into the index, the queue, and the questions of open turns. Sessions
// that are blank have no text and are not among what it finds.
func (s *Store) newSearch(ctx context.Context, q querier, userID int64, keyword Keyword) (*search, error) {
	found := &search{userID: userID, key: keyword.Key, sessions: map[string]*hits{}}
	if keyword.Untitled {
		untitled, err := list(ctx, q, scanOne[string], `SELECT id FROM sessions WHERE user_id = $1 AND title = '' AND message_count > 0`, userID)
		if err != nil {
			return nil, err
		}
		for _, session := range untitled {
			found.hits(session).add(titleNumber, true)
		}
	}
	queued, err := list(ctx, q, scanName, `
		SELECT session_id, number FROM search_queue WHERE user_id = $1
		UNION ALL
		SELECT session_id, number - 1 FROM turns WHERE user_id = $1`, userID)
	if err != nil {
		return nil, err
	}
	known := overrides{}
	for _, name := range queued {
		known.add(name)
		if name.Number != allNumber {
			found.hits(name.Session).add(name.Number, false)
		}
	}
	return found, found.lookUp(ctx, q, known)
}

// lookUp adds what the index finds, except the names of which the queue knows better.
func (s *search) lookUp(ctx context.Context, q querier, queued overrides) error {
	query := grams.ForKeyword(s.key)
	places, err := findPlaces(ctx, q, s.userID, query.Need)
	if err != nil || len(places) == 0 {
		return err
	}
	sure := places
	if !query.Exact {
		if sure, err = findRange(ctx, q, s.userID, query.Enough); err != nil {
			return err
		}
	}
	blocks, err := userBlocks(ctx, q, s.userID)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		last, h := "", (*hits)(nil)
		for place := range places[b.block].All() {
			if place >= b.size {
				return grams.ErrDamaged
			}
			name := b.names[place]
			if name.Session == "" || queued.has(name) {
				continue
			}
			if name.Session != last {
				last, h = name.Session, s.hits(name.Session)
			}
			h.add(name.Number, sure[b.block].Has(place))
		}
	}
	return nil
}

// matched lists the sessions with a text that holds the keyword. Where the index is not
// sure it reads: of each such session the first text, then of those that are left the
// next, and so on; more at a time where few sessions are left.
func (s *search) matched(ctx context.Context, q querier) ([]string, error) {
	matched := []string{}
	var left []string
	for session, h := range s.sessions {
		switch {
		case h.sure:
			matched = append(matched, session)
		case len(h.maybe) > 0:
			slices.Sort(h.maybe)
			left = append(left, session)
		}
	}
	for done := 0; len(left) > 0; {
		var names []grams.Name
		next := done + max(1, textsAtOnce/len(left))
		for _, session := range left {
			maybe := s.sessions[session].maybe
			for _, number := range maybe[done:min(next, len(maybe))] {
				names = append(names, grams.Name{Session: session, Number: number})
			}
		}
		texts, err := readTexts(ctx, q, s.userID, names)
		if err != nil {
			return nil, err
		}
		for _, t := range texts {
			if strings.Contains(casefold.Key(t.text), s.key) {
				s.sessions[t.Session].add(t.Number, true)
			}
		}
		left = slices.DeleteFunc(left, func(session string) bool {
			h := s.sessions[session]
			if h.sure {
				matched = append(matched, session)
				h.maybe = nil // those before the first are read, the others do not count
			}
			return h.sure || next >= len(h.maybe)
		})
		done = next
	}
	return matched, nil
}

// snippet is the text around the keyword in the first message of a session that holds
// it, unless the title does.
func (s *search) snippet(ctx context.Context, q querier, session parley.Session) (string, error) {
	if strings.Contains(casefold.Key(session.Title), s.key) {
		return "", nil
	}
	h := s.sessions[session.ID]
	if h == nil { // it is blank
		return "", nil
	}
	numbers := append(slices.Clone(h.maybe), h.first)
	slices.Sort(numbers)
	for _, number := range numbers {
		if number == titleNumber {
			continue
		}
		text, err := textOf(ctx, q, s.userID, grams.Name{Session: session.ID, Number: number})
		if errors.Is(err, sql.ErrNoRows) {
			continue // it is queued because it is gone
		}
		if err != nil {
			return "", err
		}
		if strings.Contains(casefold.Key(text), s.key) {
			return snippet(text, s.key), nil
		}
	}
	return "", nil
}

// snippet is the text around the first occurrence of the keyword, on one line.
func snippet(text, key string) string {
	const around = 60
	start, end, _ := casefold.Find(text, key)
	from, to := start, end
	for n := 0; n < around && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	for n := 0; n < around && to < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	line := strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		line = "…" + line
	}
	if to < len(text) {
		line += "…"
	}
	return line
}
