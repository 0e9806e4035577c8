package search

import (
	"context"
	"slices"

	"parley/internal/casefold"
	"parley/internal/db"
	"parley/internal/search/grams"
)

// A batch has at most batchTexts texts and stops at batchBytes, which limits how long other
// writers wait for its transaction.
const (
	batchTexts = 200
	batchBytes = 250_000
)

// batch is the texts that one transaction indexes.
type batch struct {
	index   *Index
	user    int64   // the owner of the texts
	bytes   int     // how many more bytes it takes
	indexed int     // how many texts it has taken from the queue
	crowded []int64 // users with blocks to merge
}

// firstQueued returns the users of the first texts in the queue, one for each text, in order.
// Sections of documents are left out.
func (x *Index) firstQueued(ctx context.Context) ([]int64, error) {
	return db.ReadList(ctx, x.db, db.ScanOne[int64],
		`SELECT user_id FROM search_queue WHERE number > $1 ORDER BY user_id, session_id, number LIMIT $2`,
		firstSection, batchTexts)
}

// run indexes texts of the users that firstQueued has returned.
func (b *batch) run(ctx context.Context, q db.Querier, users []int64) error {
	for len(users) > 0 && b.bytes > 0 {
		b.user = users[0]
		n, _ := slices.BinarySearch(users, b.user+1)
		if err := b.indexUser(ctx, q, b.user, n); err != nil {
			return err
		}
		users = users[n:]
	}
	return nil
}

// indexUser moves up to limit texts of a user from the queue into a block. One indexer at a time handles a user's
// texts, in order: a cleared session must be removed before later messages are indexed.
func (b *batch) indexUser(ctx context.Context, q db.Querier, userID int64, limit int) error {
	locked, err := b.index.lockUser(ctx, q, userID, false)
	if err != nil {
		return err
	}
	if !locked { // another indexer holds the lock, or the account was deleted
		return b.index.dropQueue(ctx, q, userID)
	}
	queued, err := db.List(ctx, q, scanQueued, `
		SELECT session_id, number, stale FROM search_queue WHERE user_id = $1 AND number > $2
		ORDER BY session_id, number LIMIT $3`+b.index.db.SkipLocked(), userID, firstSection, limit)
	if err != nil {
		return err
	}
	texts, err := b.take(ctx, q, userID, queued)
	if err != nil {
		return err
	}
	heads, err := blockHeads(ctx, q, userID)
	if err != nil {
		return err
	}
	if err := removeStale(ctx, q, userID, texts.taken); err != nil {
		return err
	}
	if len(texts.entries) > 0 {
		pages := grams.Build(texts.folded)
		added := head{block: nextBlock(heads), size: len(texts.entries), pages: len(pages)}
		steps := addBlock(userID, added, texts.entries, pages)
		if err := b.index.db.RunSteps(ctx, q, steps); err != nil {
			return err
		}
		heads = append(heads, added)
	}
	if len(mergeable(heads)) > 0 || slices.ContainsFunc(texts.taken, func(t queuedText) bool { return t.stale }) {
		b.crowded = append(b.crowded, userID)
	}
	return nil
}

// dropQueue clears a user's queue after the account was deleted.
func (x *Index) dropQueue(ctx context.Context, q db.Querier, userID int64) error {
	_, err := q.ExecContext(ctx,
		`DELETE FROM search_queue WHERE user_id = $1 AND NOT EXISTS (SELECT 1 FROM users WHERE id = $1)`, userID)
	return err
}

// takenTexts are texts that have left the queue.
type takenTexts struct {
	taken   []queuedText
	entries []grams.Entry // of those that still exist
	folded  []string      // their texts
}

// take reads queued texts of a user, as many as the batch has room for, and removes them
// from the queue.
func (b *batch) take(ctx context.Context, q db.Querier, userID int64, queued []queuedText) (takenTexts, error) {
	var texts takenTexts
	for some := range slices.Chunk(queued, textsAtOnce) {
		if err := b.read(ctx, q, userID, some, &texts); err != nil {
			return texts, err
		}
	}
	var steps []db.Step
	for _, t := range texts.taken {
		steps = append(steps, db.Do(`DELETE FROM search_queue WHERE user_id = $1 AND session_id = $2 AND number = $3`,
			userID, t.Session, t.Number))
	}
	return texts, b.index.db.RunSteps(ctx, q, steps)
}

// read reads queued texts of a user and adds those that the batch has room for.
func (b *batch) read(ctx context.Context, q db.Querier, userID int64, queued []queuedText, texts *takenTexts) error {
	if b.bytes <= 0 {
		return nil
	}
	found, times := make([]string, len(queued)), make([]int64, len(queued))
	steps := make([]db.Step, len(queued))
	for i, t := range queued {
		steps[i] = readText(userID, t.Name, nil).Into(&found[i], &times[i])
	}
	if err := b.index.db.RunSteps(ctx, q, steps); err != nil {
		return err
	}
	for i, text := range found {
		if b.bytes <= 0 {
			return nil
		}
		b.indexed++
		texts.taken = append(texts.taken, queued[i])
		if text == "" {
			continue
		}
		b.bytes -= len(text)
		texts.entries = append(texts.entries, grams.Entry{Name: queued[i].Name, Time: times[i]})
		texts.folded = append(texts.folded, casefold.Key(text))
	}
	return nil
}
