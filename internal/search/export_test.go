package search

import (
	"context"
	"time"

	"parley/internal/db"
)

// Limits that tests go beyond.
const (
	BatchTexts  = batchTexts
	BatchBytes  = batchBytes
	BlockFanout = blockFanout
	TextsAtOnce = textsAtOnce
)

// TextsQuery is the statement that reads TextsAtOnce texts.
var TextsQuery = textsQuery()

// UpdateAndRest is Update that calls rest after each transaction.
func (x *Index) UpdateAndRest(ctx context.Context, rest func(worked time.Duration)) (bool, error) {
	return x.update(ctx, rest)
}

// IndexOne indexes one text of a user and merges no blocks.
func (x *Index) IndexOne(ctx context.Context, userID int64) error {
	return x.db.WriteAlone(ctx, func(ctx context.Context, q db.Querier) error {
		b := batch{index: x, bytes: batchBytes}
		return b.indexUser(ctx, q, userID, 1)
	})
}

// BeginMerge reads a user's mergeable blocks and returns their number. finish replaces them
// by an empty block and reports whether it did.
func (x *Index) BeginMerge(ctx context.Context, userID int64) (blocks int, finish func() (bool, error), err error) {
	var m merge
	err = x.db.Snapshot(ctx, func(ctx context.Context, q db.Querier) (err error) {
		m, err = readMerge(ctx, q, userID)
		return err
	})
	return len(m.heads), func() (done bool, err error) {
		err = x.db.WriteAlone(ctx, func(ctx context.Context, q db.Querier) (err error) {
			done, err = x.replace(ctx, q, userID, m, nil)
			return err
		})
		return done, err
	}, err
}
