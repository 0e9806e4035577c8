package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"parley/internal/grams"
)

const (
	// blockFanout is how many blocks of about one size are merged into one: a search looks
	// into up to that many of each size, and a text is written once more for each size.
	blockFanout = 8
	// blockTexts is how many texts a block has at most. Merging so many takes about
	// 100 ms, not counted what the database does.
	blockTexts = 4096
)

// head is a block's row without its names.
type head struct {
	block int64
	size  int // places, those of texts that are gone among them
	gone  int
}

func blockHeads(ctx context.Context, q querier, userID int64) ([]head, error) {
	return list(ctx, q, func(rows *sql.Rows) (h head, err error) {
		err = rows.Scan(&h.block, &h.size, &h.gone)
		return h, err
	}, `SELECT block, size, gone FROM search_blocks WHERE user_id = $1 ORDER BY block`, userID)
}

func nextBlock(heads []head) int64 {
	if len(heads) == 0 {
		return 1
	}
	return heads[len(heads)-1].block + 1
}

// mergeable picks blocks that should become one: one with many texts that are gone, or
// several of a size. An empty one stays while it is the last, so that no number comes
// again: a merge knows by it that a block is still the same.
func mergeable(heads []head) []head {
	var levels [][]head
	for i, h := range heads {
		if h.gone*4 >= h.size && (h.size > 0 || i < len(heads)-1) {
			return []head{h}
		}
		if h.size > blockTexts/2 {
			continue
		}
		level := 0
		for n := h.size / blockFanout; n > 0; n /= blockFanout {
			level++
		}
		for len(levels) <= level {
			levels = append(levels, nil)
		}
		levels[level] = append(levels[level], h)
	}
	for _, level := range levels {
		if len(level) >= blockFanout {
			return fitting(level)
		}
	}
	return nil
}

// fitting is as many of the blocks, the smaller ones first, as fit into one.
func fitting(heads []head) []head {
	slices.SortStableFunc(heads, func(a, b head) int { return a.size - b.size })
	total := 0
	for i, h := range heads {
		if total += h.size; total > blockTexts {
			return heads[:i]
		}
	}
	return heads
}

// block is a head with the names of its places.
type block struct {
	head
	names []grams.Name
}

func scanBlock(rows *sql.Rows) (b block, err error) {
	var encoded []byte
	if err := rows.Scan(&b.block, &b.size, &b.gone, &encoded); err != nil {
		return b, err
	}
	b.names, err = grams.DecodeNames(encoded, b.size)
	return b, err
}

func userBlocks(ctx context.Context, q querier, userID int64) ([]block, error) {
	return list(ctx, q, scanBlock, `SELECT block, size, gone, names FROM search_blocks WHERE user_id = $1 ORDER BY block`, userID)
}

func blockPages(ctx context.Context, q querier, userID, block int64) ([]grams.Page, error) {
	return list(ctx, q, func(rows *sql.Rows) (p grams.Page, err error) {
		err = rows.Scan(&p.First, &p.Data)
		return p, err
	}, `SELECT first, data FROM search_pages WHERE user_id = $1 AND block = $2 ORDER BY first`, userID, block)
}

func addBlock(userID, block int64, names []grams.Name, pages []grams.Page) []step {
	steps := []step{do(`INSERT INTO search_blocks (user_id, block, size, names) VALUES ($1, $2, $3, $4)`,
		userID, block, len(names), grams.EncodeNames(names))}
	for _, page := range pages {
		steps = append(steps, do(`INSERT INTO search_pages (user_id, block, first, data) VALUES ($1, $2, $3, $4)`,
			userID, block, int64(page.First), page.Data))
	}
	return steps
}

// forget takes the names of texts that have changed or are gone out of a user's blocks.
func forget(ctx context.Context, q querier, userID int64, taken []queuedText) error {
	gone := overrides{}
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
		for i, name := range b.names {
			if name.Session != "" && gone.has(name) {
				b.names[i] = grams.Name{}
				b.gone++
			}
		}
		if b.gone == before {
			continue
		}
		if _, err := q.ExecContext(ctx, `UPDATE search_blocks SET gone = $3, names = $4 WHERE user_id = $1 AND block = $2`,
			userID, b.block, b.gone, grams.EncodeNames(b.names)); err != nil {
			return err
		}
	}
	return nil
}

// overrides are names of which the queue knows better than the blocks, by session.
type overrides map[string]map[int64]bool

func (o overrides) add(name grams.Name) {
	if o[name.Session] == nil {
		o[name.Session] = map[int64]bool{}
	}
	o[name.Session][name.Number] = true
}

func (o overrides) has(name grams.Name) bool {
	numbers := o[name.Session]
	return numbers[name.Number] || name.Number != titleNumber && numbers[allNumber]
}

// mergeBlocks merges a user's blocks until there is nothing to merge, and rests after
// each merge.
func (s *Store) mergeBlocks(ctx context.Context, userID int64, rest func(worked time.Duration)) error {
	for {
		begun := time.Now()
		merged, err := s.mergeOnce(ctx, userID)
		if err != nil || !merged {
			return err
		}
		rest(time.Since(begun))
	}
}

// mergeOnce makes one block of those that should be. It does so before it takes the
// write lock, and gives up where they have changed meanwhile.
func (s *Store) mergeOnce(ctx context.Context, userID int64) (bool, error) {
	var m merge
	if err := s.snapshot(ctx, func(ctx context.Context, q querier) error {
		m = merge{}
		return m.read(ctx, q, userID)
	}); err != nil || len(m.heads) == 0 {
		return false, err
	}
	pages, err := grams.Merge(m.parts, len(m.names))
	if err != nil {
		return false, err
	}
	done := false
	err = s.writeAlone(ctx, func(ctx context.Context, q querier) error {
		done = false
		locked, err := list(ctx, q, scanOne[int64], s.lockIndex(false), userID)
		if err != nil || len(locked) == 0 {
			return err
		}
		done, err = s.replace(ctx, q, userID, m, pages)
		return err
	})
	return done, err
}

// merge is blocks that become one.
type merge struct {
	heads []head
	parts []grams.Part
	names []grams.Name
}

func (m *merge) read(ctx context.Context, q querier, userID int64) error {
	heads, err := blockHeads(ctx, q, userID)
	if err != nil {
		return err
	}
	m.heads = mergeable(heads)
	for _, h := range m.heads {
		blocks, err := list(ctx, q, scanBlock, `SELECT block, size, gone, names FROM search_blocks WHERE user_id = $1 AND block = $2`, userID, h.block)
		if err != nil {
			return err
		}
		part := grams.Part{}
		for _, name := range blocks[0].names {
			if name.Session == "" {
				part.Places = append(part.Places, -1)
				continue
			}
			part.Places = append(part.Places, len(m.names))
			m.names = append(m.names, name)
		}
		if part.Pages, err = blockPages(ctx, q, userID, h.block); err != nil {
			return err
		}
		m.parts = append(m.parts, part)
	}
	return nil
}

// replace puts the merged block in the place of the others, and reports whether it did:
// where one of them has changed it does nothing.
func (s *Store) replace(ctx context.Context, q querier, userID int64, m merge, pages []grams.Page) (bool, error) {
	now, err := blockHeads(ctx, q, userID)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(m.heads, func(h head) bool { return !slices.Contains(now, h) }) {
		return false, nil
	}
	var steps []step
	for _, h := range m.heads {
		steps = append(steps, do(`DELETE FROM search_blocks WHERE user_id = $1 AND block = $2`, userID, h.block))
	}
	if len(m.names) > 0 || slices.Contains(m.heads, now[len(now)-1]) {
		steps = append(steps, addBlock(userID, nextBlock(now), m.names, pages)...)
	}
	return true, s.together(ctx, q, steps)
}
