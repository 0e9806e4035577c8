package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"parley/internal/casefold"
	"parley/internal/grams"
)

// auditIndex looks for texts that are neither in the search index nor in its queue, and
// for entries that stand for no text.
func auditIndex(ctx context.Context, q querier) ([]Finding, error) {
	missing := Finding{Kind: Search, Rule: "texts are indexed once"}
	strays := Finding{Kind: Search, Rule: "what is indexed exists"}
	users, err := list(ctx, q, scanOne[int64], `SELECT id FROM users ORDER BY id`)
	if err != nil {
		return nil, err
	}
	for _, user := range users {
		known, err := knownTexts(ctx, q, user)
		if errors.Is(err, grams.ErrDamaged) {
			missing.Rows++
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", missing.Rule, err)
		}
		if err := known.compare(ctx, q, user, &missing, &strays); err != nil {
			return nil, fmt.Errorf("%s: %w", missing.Rule, err)
		}
	}
	var homeless int64
	if err := q.QueryRowContext(ctx, `SELECT count(*) FROM search_queue q WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = q.user_id)`).Scan(&homeless); err != nil {
		return nil, err
	}
	strays.Rows += homeless
	return slices.DeleteFunc([]Finding{missing, strays}, func(f Finding) bool { return f.Rows == 0 }), nil
}

// known is what the search knows of a user's texts.
type known struct {
	indexed map[grams.Name]int64 // how often, but for what the queue knows better
	queued  map[grams.Name]bool  // and whether it is stale
}

func knownTexts(ctx context.Context, q querier, userID int64) (known, error) {
	k := known{indexed: map[grams.Name]int64{}, queued: map[grams.Name]bool{}}
	queued, err := list(ctx, q, scanQueued, `SELECT session_id, number, stale FROM search_queue WHERE user_id = $1`, userID)
	if err != nil {
		return k, err
	}
	better := overrides{}
	for _, t := range queued {
		k.queued[t.Name] = t.stale
		better.add(t.Name)
	}
	blocks, err := userBlocks(ctx, q, userID)
	if err != nil {
		return k, err
	}
	for _, b := range blocks {
		for _, name := range b.names {
			if name.Session != "" && !better.has(name) {
				k.indexed[name]++
			}
		}
	}
	return k, nil
}

// textNames lists the texts of a user that should be found; those of an open turn
// come when it ends.
const textNames = `
	SELECT id AS session_id, 0 AS number FROM sessions WHERE user_id = $1 AND title <> ''
	UNION ALL
	SELECT m.session_id, m.number FROM sessions s JOIN messages m ON m.session_id = s.id WHERE s.user_id = $1
	AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = m.session_id AND t.redo = 0 AND m.number >= t.number - 1)`

// compare counts the texts that are not known, or twice, and what is known but not there.
func (k known) compare(ctx context.Context, q querier, userID int64, missing, strays *Finding) error {
	names, err := list(ctx, q, scanName, textNames, userID)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, queued := k.queued[name]; !queued && k.indexed[name] != 1 {
			missing.Rows++
		}
		delete(k.indexed, name)
		delete(k.queued, name)
	}
	strays.Rows += int64(len(k.indexed))
	for _, stale := range k.queued { // what is gone is queued as stale
		if !stale {
			strays.Rows++
		}
	}
	return nil
}

func scanName(rows *sql.Rows) (name grams.Name, err error) {
	err = rows.Scan(&name.Session, &name.Number)
	return name, err
}

// CheckIndex compares what blocks of the index hold, up to about most texts, with the
// texts themselves, and says how many of how many are wrong.
func (s *Store) CheckIndex(ctx context.Context, most int) (wrong, looked int64, err error) {
	err = s.snapshot(ctx, func(ctx context.Context, q querier) error {
		wrong, looked = 0, 0
		users, err := list(ctx, q, scanOne[int64], `SELECT DISTINCT user_id FROM search_blocks ORDER BY user_id DESC`)
		if err != nil {
			return err
		}
		for _, user := range users {
			if looked >= int64(most) {
				break
			}
			bad, all, err := checkBlocks(ctx, q, user)
			if errors.Is(err, grams.ErrDamaged) {
				bad, all, err = 1, 1, nil
			}
			if err != nil {
				return err
			}
			wrong, looked = wrong+bad, looked+all
		}
		return nil
	})
	if err != nil {
		return 0, 0, fmt.Errorf("check the search index: %w", err)
	}
	return wrong, looked, nil
}

// checkBlocks compares the blocks of a user with the texts.
func checkBlocks(ctx context.Context, q querier, userID int64) (wrong, looked int64, err error) {
	k, err := knownTexts(ctx, q, userID)
	if err != nil {
		return 0, 0, err
	}
	blocks, err := userBlocks(ctx, q, userID)
	if err != nil {
		return 0, 0, err
	}
	for _, b := range blocks {
		pages, err := blockPages(ctx, q, userID, b.block)
		if err != nil {
			return 0, 0, err
		}
		texts, err := grams.Texts(pages, b.size)
		if err != nil { // a damaged page: nothing of the block can be relied on
			texts = make([][]grams.Gram, b.size)
		}
		for place, name := range b.names {
			if k.indexed[name] == 0 {
				continue
			}
			looked++
			text, err := textOf(ctx, q, userID, name)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return 0, 0, err
			}
			if !slices.Equal(texts[place], grams.Of(casefold.Key(text))) {
				wrong++
			}
		}
	}
	return wrong, looked, nil
}
