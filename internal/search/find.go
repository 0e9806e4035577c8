package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"parley"
	"parley/internal/casefold"
	"parley/internal/db"
	"parley/internal/search/grams"
)

// Keyword is a text to search for.
type Keyword struct {
	// Key is the casefold.Key of the text.
	Key string
	// Untitled makes sessions without a title match.
	Untitled bool
	// Pinned and Archived find only sessions that are.
	Pinned, Archived bool
}

// Find returns a page of the user's sessions with the keyword in the title or in a message, latest activity first, and
// their total.
func (x *Index) Find(
	ctx context.Context, userID int64, keyword Keyword, page parley.Page,
) (sessions []parley.Session, total int64, err error) {
	find := func(ctx context.Context, q db.Querier) (err error) {
		sessions, total, err = x.find(ctx, q, userID, keyword, page)
		return err
	}
	if err = x.db.Snapshot(ctx, find); errors.Is(err, grams.ErrDamaged) {
		if err = x.requeueUser(ctx, userID); err == nil {
			err = x.db.Snapshot(ctx, find)
		}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("find sessions: %w", err)
	}
	return sessions, total, nil
}

func (x *Index) find(
	ctx context.Context, q db.Querier, userID int64, keyword Keyword, page parley.Page,
) (sessions []parley.Session, total int64, err error) {
	c, err := findCandidates(ctx, q, userID, keyword)
	if err != nil {
		return nil, 0, err
	}
	m := matches{userID: userID}
	if m.sessions, err = c.verify(ctx, q); err != nil {
		return nil, 0, err
	}
	if keyword.Untitled {
		if m.blank, err = countBlank(ctx, q, userID, 0, math.MaxInt64); err != nil {
			return nil, 0, err
		}
	}
	if m, err = x.selectMatches(ctx, q, m, keyword); err != nil {
		return nil, 0, err
	}
	if sessions, err = x.pageOf(ctx, q, m, page); err != nil {
		return nil, 0, err
	}
	for i := range sessions {
		if sessions[i].Snippet, err = c.snippet(ctx, q, sessions[i]); err != nil {
			return nil, 0, err
		}
	}
	return sessions, m.total(), nil
}

// candidates are the texts of a user that may contain a key, by session.
type candidates struct {
	userID   int64
	key      string
	sessions map[string]*candidate
	lines    map[string]line
}

// candidate is the numbers of a session's texts that may contain the key.
type candidate struct {
	sure  bool    // one of the texts contains it
	first int64   // the first message that surely contains it, or 0
	maybe []int64 // texts that must be read to find out
}

func (c *candidate) add(number int64, sure bool) {
	if !sure {
		c.maybe = append(c.maybe, number)
		return
	}
	c.sure = true
	if number != TitleNumber && (c.first == 0 || number < c.first) {
		c.first = number
	}
}

func (c *candidates) session(id string) *candidate {
	found := c.sessions[id]
	if found == nil {
		found = &candidate{}
		c.sessions[id] = found
	}
	return found
}

// findCandidates looks in the index, the queue and the questions of open turns. It leaves
// out blank sessions, which have no text.
func findCandidates(ctx context.Context, q db.Querier, userID int64, keyword Keyword) (*candidates, error) {
	lines, err := readLines(ctx, q, userID)
	if err != nil {
		return nil, err
	}
	c := &candidates{userID: userID, key: keyword.Key, sessions: map[string]*candidate{}, lines: lines}
	if keyword.Untitled {
		untitled, err := db.List(ctx, q, db.ScanOne[string],
			`SELECT id FROM sessions WHERE user_id = $1 AND title = '' AND temporary = 0 AND message_count > 0`, userID)
		if err != nil {
			return nil, err
		}
		for _, id := range untitled {
			c.session(id).add(TitleNumber, true)
		}
	}
	names, err := queuedNames(ctx, q, userID)
	if err != nil {
		return nil, err
	}
	queued := nameSet{}
	for _, name := range names {
		queued.add(name)
		if name.Number != allNumber && !isFile(name) && c.lines[name.Session].has(name.Number) {
			c.session(name.Session).add(name.Number, false)
		}
	}
	return c, c.lookUp(ctx, q, queued)
}

// lookUp adds the texts that the index finds, except those that are queued.
func (c *candidates) lookUp(ctx context.Context, q db.Querier, queued nameSet) error {
	last, found := "", (*candidate)(nil)
	return eachFound(ctx, q, c.userID, c.key, func(text grams.Entry, sure bool) {
		if isFile(text.Name) || queued.has(text.Name) || !c.lines[text.Session].has(text.Number) {
			return
		}
		if text.Session != last {
			last, found = text.Session, c.session(text.Session)
		}
		found.add(text.Number, sure)
	})
}

// verify returns the sessions with a text that contains the key. It reads the texts that
// are not sure: the first one of each session, then the next one of the sessions that are
// left, and so on. If few sessions are left, it reads several texts of each at a time.
func (c *candidates) verify(ctx context.Context, q db.Querier) ([]string, error) {
	matched := []string{}
	var left []string
	for id, found := range c.sessions {
		switch {
		case found.sure:
			matched = append(matched, id)
		case len(found.maybe) > 0:
			slices.Sort(found.maybe)
			left = append(left, id)
		}
	}
	for done := 0; len(left) > 0; {
		var names []grams.Name
		next := done + max(1, textsAtOnce/len(left))
		for _, id := range left {
			maybe := c.sessions[id].maybe
			for _, number := range maybe[done:min(next, len(maybe))] {
				names = append(names, grams.Name{Session: id, Number: number})
			}
		}
		if err := eachText(ctx, q, c.userID, names, c.check); err != nil {
			return nil, err
		}
		left = slices.DeleteFunc(left, func(id string) bool {
			found := c.sessions[id]
			if found.sure {
				matched = append(matched, id)
				found.maybe = nil // those before the first were read, those after it don't matter
			}
			return found.sure || next >= len(found.maybe)
		})
		done = next
	}
	return matched, nil
}

// check makes the session of a text sure if the text contains the key. It skips texts after
// the session's first match.
func (c *candidates) check(t namedText) {
	found := c.sessions[t.Session]
	if found.sure && (found.first == 0 || found.first < t.Number) {
		return
	}
	if casefold.Contains(t.text, c.key) {
		found.add(t.Number, true)
	}
}

// snippet returns the text around the key in the first message of a session that contains
// it. It is empty if the title contains the key.
func (c *candidates) snippet(ctx context.Context, q db.Querier, session parley.Session) (string, error) {
	found := c.sessions[session.ID]
	if found == nil || casefold.Contains(session.Title, c.key) { // blank, or matched by its title
		return "", nil
	}
	numbers := append(slices.Clone(found.maybe), found.first)
	slices.Sort(numbers)
	for _, number := range numbers {
		if number == TitleNumber {
			continue
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		text, err := textOf(ctx, q, c.userID, grams.Name{Session: session.ID, Number: number})
		if errors.Is(err, sql.ErrNoRows) {
			continue // it is queued because it was deleted
		}
		if err != nil {
			return "", err
		}
		if casefold.Contains(text, c.key) {
			return Snippet(text, c.key), nil
		}
	}
	return "", nil
}
