package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"parley/internal/casefold"
	"parley/internal/db"
	"parley/internal/search/grams"
)

// Audit counts the texts that are not in the index or the queue exactly once, and the
// entries of both that belong to no text.
func Audit(ctx context.Context, q db.Querier) (missing, stray int64, err error) {
	users, err := db.List(ctx, q, db.ScanOne[int64], `SELECT id FROM users ORDER BY id`)
	if err != nil {
		return 0, 0, err
	}
	for _, user := range users {
		e, err := readEntries(ctx, q, user)
		if errors.Is(err, grams.ErrDamaged) {
			missing++
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		m, s, err := e.compare(ctx, q, user)
		if err != nil {
			return 0, 0, err
		}
		missing, stray = missing+m, stray+s
	}
	var orphaned int64
	err = q.QueryRowContext(ctx, `
		SELECT count(*) FROM search_queue q
		WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = q.user_id)`).Scan(&orphaned)
	return missing, stray + orphaned, err
}

// entries are the names of a user's texts in the index and the queue.
type entries struct {
	indexed map[grams.Name]int64 // how often; without those that are queued
	queued  map[grams.Name]bool  // whether it is stale
}

func readEntries(ctx context.Context, q db.Querier, userID int64) (entries, error) {
	e := entries{indexed: map[grams.Name]int64{}, queued: map[grams.Name]bool{}}
	texts, err := db.List(ctx, q, scanQueued,
		`SELECT session_id, number, stale FROM search_queue WHERE user_id = $1`, userID)
	if err != nil {
		return e, err
	}
	queued := nameSet{}
	for _, t := range texts {
		e.queued[t.Name] = t.stale
		queued.add(t.Name)
	}
	blocks, err := userBlocks(ctx, q, userID)
	if err != nil {
		return e, err
	}
	for _, b := range blocks {
		for _, entry := range b.entries {
			if entry.Session != "" && !queued.has(entry.Name) {
				e.indexed[entry.Name]++
			}
		}
	}
	return e, nil
}

// textNames selects the texts of a user that should have an entry. Texts of an open turn
// get one when it ends.
var textNames = `
	SELECT user_id, id AS session_id, 0 AS number FROM sessions WHERE user_id = $1 AND title <> ''
	UNION ALL
	SELECT user_id, id, -2 FROM files WHERE user_id = $1
	UNION ALL
	SELECT m.user_id, m.session_id, ` + MessageNumberOf(`m`) + ` FROM messages m WHERE m.user_id = $1
	AND NOT EXISTS (SELECT 1 FROM turns t
	    WHERE t.user_id = $1 AND t.session_id = m.session_id AND t.redo = 0
	    AND m.branch = t.branch AND m.number >= t.number - 1)`

// compare counts the texts without exactly one entry, and the entries without a text.
func (e entries) compare(ctx context.Context, q db.Querier, userID int64) (missing, stray int64, err error) {
	names, err := db.List(ctx, q, scanName, `SELECT session_id, number FROM (`+textNames+`) t`, userID)
	if err != nil {
		return 0, 0, err
	}
	for _, name := range names {
		if _, queued := e.queued[name]; !queued && e.indexed[name] != 1 {
			missing++
		}
		delete(e.indexed, name)
		delete(e.queued, name)
	}
	if missing, err = e.compareSections(ctx, q, userID, missing); err != nil {
		return 0, 0, err
	}
	stray = int64(len(e.indexed))
	for _, stale := range e.queued { // deleted texts are queued as stale
		if !stale {
			stray++
		}
	}
	return missing, stray, nil
}

// compareSections adds the sections of documents without exactly one entry to missing. Those
// in the queue have none.
func (e entries) compareSections(ctx context.Context, q db.Querier, userID, missing int64) (int64, error) {
	unindexed := map[string]int64{} // the first section in the queue, by document
	for name := range e.queued {
		if name.Number <= firstSection {
			unindexed[name.Session] = numberedSection(name.Number)
		}
	}
	err := db.Each(ctx, q, func(rows *sql.Rows) error {
		var id string
		var size int64
		if err := rows.Scan(&id, &size); err != nil {
			return err
		}
		end := sectionCount(size)
		if first, queued := unindexed[id]; queued {
			end = first
			delete(e.queued, grams.Name{Session: id, Number: sectionNumber(first)})
		}
		for section := range end {
			name := grams.Name{Session: id, Number: sectionNumber(section)}
			if e.indexed[name] != 1 {
				missing++
			}
			delete(e.indexed, name)
		}
		return nil
	}, `SELECT id, text_size FROM files WHERE user_id = $1`, userID)
	return missing, err
}

// Check compares blocks of the index, of about limit texts, with the texts themselves, without
// sections of documents. It
// returns how many texts were checked and how many of their entries are wrong.
func (x *Index) Check(ctx context.Context, limit int) (wrong, checked int64, err error) {
	err = x.db.Snapshot(ctx, func(ctx context.Context, q db.Querier) error {
		wrong, checked = 0, 0
		users, err := db.List(ctx, q, db.ScanOne[int64],
			`SELECT DISTINCT user_id FROM search_blocks ORDER BY user_id DESC`)
		if err != nil {
			return err
		}
		for _, user := range users {
			if checked >= int64(limit) {
				break
			}
			bad, all, err := checkUser(ctx, q, user)
			if errors.Is(err, grams.ErrDamaged) {
				bad, all, err = 1, 1, nil
			}
			if err != nil {
				return err
			}
			wrong, checked = wrong+bad, checked+all
		}
		return nil
	})
	if err != nil {
		return 0, 0, fmt.Errorf("check the search index: %w", err)
	}
	return wrong, checked, nil
}

// checkUser compares the blocks of a user with the texts, except those of an older form.
func checkUser(ctx context.Context, q db.Querier, userID int64) (wrong, checked int64, err error) {
	e, err := readEntries(ctx, q, userID)
	if err != nil {
		return 0, 0, err
	}
	blocks, err := userBlocks(ctx, q, userID)
	if err != nil {
		return 0, 0, err
	}
	for _, b := range blocks {
		if b.pages < 0 { // it is indexed anew when it is next needed
			continue
		}
		pages, err := blockPages(ctx, q, userID, b.block)
		if err != nil {
			return 0, 0, err
		}
		texts, err := grams.Texts(pages, b.size)
		if err != nil { // a page is damaged: count all texts of the block as wrong
			texts = make([][]grams.Gram, b.size)
		}
		for place, entry := range b.entries {
			if e.indexed[entry.Name] == 0 || entry.Number <= firstSection {
				continue
			}
			checked++
			text, err := textOf(ctx, q, userID, entry.Name)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return 0, 0, err
			}
			if !slices.Equal(texts[place], grams.Of(casefold.Key(text))) {
				wrong++
			}
		}
	}
	return wrong, checked, nil
}
