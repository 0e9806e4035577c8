package search

import (
	"context"
	"database/sql"

	"parley/internal/db"
	"parley/internal/search/grams"
)

// head is a block's row without its entries.
type head struct {
	block int64
	size  int // places, including those of deleted texts
	gone  int
	pages int // -1 if it is of an older form
	// sections is set if the texts are sections of documents.
	sections bool
}

// blockHeads returns the heads of a user's blocks. If one is of an older form it returns grams.ErrDamaged.
func blockHeads(ctx context.Context, q db.Querier, userID int64) ([]head, error) {
	return db.List(ctx, q, func(rows *sql.Rows) (h head, err error) {
		err = rows.Scan(&h.block, &h.size, &h.gone, &h.pages, &h.sections)
		if err == nil && h.pages < 0 {
			err = grams.ErrDamaged
		}
		return h, err
	}, `SELECT block, size, gone, pages, sections FROM search_blocks WHERE user_id = $1 ORDER BY block`, userID)
}

func nextBlock(heads []head) int64 {
	if len(heads) == 0 {
		return 1
	}
	return heads[len(heads)-1].block + 1
}

// block is a head with the texts at its places.
type block struct {
	head
	entries []grams.Entry
}

func scanBlock(rows *sql.Rows) (b block, err error) {
	var encoded []byte
	if err := rows.Scan(&b.block, &b.size, &b.gone, &b.pages, &b.sections, &encoded); err != nil {
		return b, err
	}
	b.entries, err = grams.DecodeEntries(encoded, b.size)
	return b, err
}

func userBlocks(ctx context.Context, q db.Querier, userID int64) ([]block, error) {
	return db.List(ctx, q, scanBlock,
		`SELECT block, size, gone, pages, sections, names FROM search_blocks WHERE user_id = $1 ORDER BY block`, userID)
}

func blockPages(ctx context.Context, q db.Querier, userID, block int64) ([]grams.Page, error) {
	return db.List(ctx, q, func(rows *sql.Rows) (p grams.Page, err error) {
		err = rows.Scan(&p.First, &p.Data)
		return p, err
	}, `SELECT first, data FROM search_pages WHERE user_id = $1 AND block = $2 ORDER BY first`, userID, block)
}

func addBlock(userID int64, added head, entries []grams.Entry, pages []grams.Page) []db.Step {
	sections := 0
	if added.sections {
		sections = 1
	}
	steps := []db.Step{db.Do(
		`INSERT INTO search_blocks (user_id, block, size, pages, sections, names) VALUES ($1, $2, $3, $4, $5, $6)`,
		userID, added.block, len(entries), len(pages), sections, grams.EncodeEntries(entries))}
	for _, page := range pages {
		steps = append(steps, db.Do(`INSERT INTO search_pages (user_id, block, first, data) VALUES ($1, $2, $3, $4)`,
			userID, added.block, int64(page.First), page.Data))
	}
	return steps
}

// removeStale removes the names of changed and deleted texts from a user's blocks.
func removeStale(ctx context.Context, q db.Querier, userID int64, taken []queuedText) error {
	gone := nameSet{}
	for _, t := range taken {
		if t.stale {
			gone.add(t.Name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	blocks, err := userBlocks(ctx, q, userID)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		before := b.gone
		for i, entry := range b.entries {
			if entry.Session != "" && gone.has(entry.Name) {
				b.entries[i] = grams.Entry{}
				b.gone++
			}
		}
		if b.gone == before {
			continue
		}
		_, err := q.ExecContext(ctx, `UPDATE search_blocks SET gone = $3, names = $4 WHERE user_id = $1 AND block = $2`,
			userID, b.block, b.gone, grams.EncodeEntries(b.entries))
		if err != nil {
			return err
		}
	}
	return nil
}
