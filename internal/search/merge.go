package search

import (
	"context"
	"slices"
	"time"

	"parley/internal/db"
	"parley/internal/search/grams"
)

const (
	// blockFanout is how many blocks of about the same size are merged into one. A search
	// reads up to that many blocks of each size, and a text is rewritten once for each size.
	blockFanout = 8
	// blockTexts is how many texts a block has at most. Merging that many takes about 100 ms,
	// plus the time of the database.
	blockTexts = 4096
	// blockSections is how many sections of documents a block has at most. They are as long as
	// that many texts.
	blockSections = 64
	// mergedPages is how many pages a merged block has at most, which is 4 MB. A merge has all of them in memory
	// twice. Texts of 1 KB reach blockTexts first.
	mergedPages = 1024
)

// mergeable returns blocks that should be merged: one with many deleted texts, or several of about the same size. An
// empty block is kept while it is the last, because no number may be used again: a merge recognizes an unchanged block
// by its number.
func mergeable(heads []head) []head {
	var texts, sections []head
	for i, h := range heads {
		if h.gone*4 >= h.size && (h.size > 0 || i < len(heads)-1) {
			return []head{h}
		}
		if h.sections {
			sections = append(sections, h)
		} else {
			texts = append(texts, h)
		}
	}
	if same := sameSize(texts, blockTexts); len(same) > 0 {
		return same
	}
	return sameSize(sections, blockSections)
}

// sameSize returns several blocks of about the same size that fit into one of most texts and mergedPages.
func sameSize(heads []head, most int) []head {
	var levels [][]head
	for _, h := range heads {
		if h.size > most/2 || h.pages > mergedPages/2 {
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
			return fitting(level, most)
		}
	}
	return nil
}

// fitting returns as many of the blocks, the smaller ones first, as fit into one.
func fitting(heads []head, most int) []head {
	slices.SortStableFunc(heads, func(a, b head) int { return a.size - b.size })
	texts, pages := 0, 0
	for i, h := range heads {
		texts, pages = texts+h.size, pages+h.pages
		if texts > most || pages > mergedPages {
			return heads[:i]
		}
	}
	return heads
}

// mergeBlocks merges a user's blocks until no more are mergeable. It calls rest after each
// merge.
func (x *Index) mergeBlocks(ctx context.Context, userID int64, rest func(worked time.Duration)) error {
	for {
		begun := time.Now()
		merged, err := x.mergeOnce(ctx, userID)
		if err != nil || !merged {
			return err
		}
		rest(time.Since(begun))
	}
}

// mergeOnce merges blocks into one and reports whether it did. The merged block is built
// before the write transaction, and dropped if the blocks have changed since.
func (x *Index) mergeOnce(ctx context.Context, userID int64) (bool, error) {
	var m merge
	err := x.db.Snapshot(ctx, func(ctx context.Context, q db.Querier) (err error) {
		m, err = readMerge(ctx, q, userID)
		return err
	})
	if err != nil || len(m.heads) == 0 {
		return false, err
	}
	pages, err := grams.Merge(m.parts, len(m.texts))
	if err != nil {
		return false, err
	}
	done := false
	err = x.db.WriteAlone(ctx, func(ctx context.Context, q db.Querier) error {
		done = false
		locked, err := x.lockUser(ctx, q, userID, false)
		if err != nil || !locked {
			return err
		}
		done, err = x.replace(ctx, q, userID, m, pages)
		return err
	})
	return done, err
}

// merge is several blocks to merge into one.
type merge struct {
	heads []head
	parts []grams.Part
	texts []grams.Entry
}

func readMerge(ctx context.Context, q db.Querier, userID int64) (merge, error) {
	heads, err := blockHeads(ctx, q, userID)
	if err != nil {
		return merge{}, err
	}
	m := merge{heads: mergeable(heads)}
	for _, h := range m.heads {
		blocks, err := db.List(ctx, q, scanBlock, `
			SELECT block, size, gone, pages, sections, names FROM search_blocks WHERE user_id = $1 AND block = $2`,
			userID, h.block)
		if err != nil {
			return merge{}, err
		}
		part := grams.Part{}
		for _, text := range blocks[0].entries {
			if text.Session == "" {
				part.Places = append(part.Places, -1)
				continue
			}
			part.Places = append(part.Places, len(m.texts))
			m.texts = append(m.texts, text)
		}
		if part.Pages, err = blockPages(ctx, q, userID, h.block); err != nil {
			return merge{}, err
		}
		m.parts = append(m.parts, part)
	}
	return m, nil
}

// replace replaces the blocks of a merge by the merged one and reports whether it did. If
// one of them has changed it does nothing.
func (x *Index) replace(ctx context.Context, q db.Querier, userID int64, m merge, pages []grams.Page) (bool, error) {
	now, err := blockHeads(ctx, q, userID)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(m.heads, func(h head) bool { return !slices.Contains(now, h) }) {
		return false, nil
	}
	var steps []db.Step
	for _, h := range m.heads {
		steps = append(steps, db.Do(`DELETE FROM search_blocks WHERE user_id = $1 AND block = $2`, userID, h.block))
	}
	if len(m.texts) > 0 || slices.Contains(m.heads, now[len(now)-1]) {
		steps = append(steps, addBlock(userID, head{block: nextBlock(now), sections: m.heads[0].sections}, m.texts, pages)...)
	}
	return true, x.db.RunSteps(ctx, q, steps)
}
