package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"parley/internal/casefold"
	"parley/internal/grams"
)

// The search index holds a user's texts, messages and titles, in blocks; package grams
// says what is in one. Texts are indexed shortly after they are stored: until then they
// stand in search_queue, and a search reads them one by one, so it is always exact.
// What a text's row in the queue says goes before anything that blocks know of it, so
// whoever changes or removes a text has only to queue it. Blocks are changed by the
// indexer alone.

const (
	// titleNumber stands for a session's title where messages have their number.
	titleNumber = 0
	// allNumber stands for all messages that a session had, which are gone.
	allNumber = -1
)

const (
	// indexBatch and indexBytes bound how many texts are indexed in one transaction, and
	// so how long other writers wait for it.
	indexBatch = 200
	indexBytes = 500_000
	// indexDelay lets texts gather: many in one transaction cost much less than one in each.
	indexDelay = time.Second
)

// orAgain ends an INSERT into the queue. It locks a row that is there already, so that
// the indexer waits for the change.
const orAgain = ` ON CONFLICT (user_id, session_id, number) DO UPDATE
	SET stale = CASE WHEN excluded.stale = 1 THEN 1 ELSE search_queue.stale END`

// enqueue asks for a new text of a session to be indexed.
func enqueue(userID int64, sessionID string, number int64) step {
	return do(`INSERT INTO search_queue (user_id, session_id, number, stale) VALUES ($1, $2, $3, 0)`+orAgain, userID, sessionID, number)
}

// enqueueTurn asks for a new turn to be indexed.
func enqueueTurn(t OpenTurn) step {
	return do(`INSERT INTO search_queue (user_id, session_id, number, stale) VALUES ($1, $2, $3, 0), ($1, $2, $4, 0)`+orAgain,
		t.UserID, t.SessionID, t.Number-1, t.Number)
}

// reindex asks for a text that has changed or is gone to be looked at again.
func reindex(userID int64, sessionID string, number int64) step {
	return do(`INSERT INTO search_queue (user_id, session_id, number, stale) VALUES ($1, $2, $3, 1)`+orAgain, userID, sessionID, number)
}

// forgetMessages asks for all messages of a session, which are gone, to leave the index.
func forgetMessages(userID int64, sessionID string) []step {
	return []step{
		do(`DELETE FROM search_queue WHERE user_id = $1 AND session_id = $2 AND number > 0`, userID, sessionID),
		reindex(userID, sessionID, allNumber),
	}
}

func (s *Store) wakeIndexer() {
	select {
	case s.queued <- struct{}{}:
	default:
	}
}

// Index keeps the search index up to date until ctx ends. It works for half of the time
// at most: indexing in one go what a second has brought would leave requests, short as
// they are, a quarter of a processor for as long as that takes.
func (s *Store) Index(ctx context.Context, log *slog.Logger) {
	const pause = 10 * time.Second // another replica may have left work behind
	rest := func(worked time.Duration) {
		select {
		case <-ctx.Done():
		case <-time.After(worked):
		}
	}
	for ctx.Err() == nil {
		more, err := s.indexPart(ctx, rest)
		if err != nil && ctx.Err() == nil {
			log.Error("search index", "error", err)
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.queued:
			select {
			case <-ctx.Done():
			case <-time.After(indexDelay):
			}
		case <-time.After(pause):
		}
	}
}

// indexSome indexes a batch of waiting texts and says whether more may wait.
func (s *Store) indexSome(ctx context.Context) (more bool, err error) {
	return s.indexPart(ctx, func(time.Duration) {})
}

// indexPart is indexSome that rests after each transaction, and is told how long it was at it.
func (s *Store) indexPart(ctx context.Context, rest func(worked time.Duration)) (more bool, err error) {
	var crowded []int64
	var user int64
	begun := time.Now()
	err = s.writeAlone(ctx, func(ctx context.Context, q querier) error {
		crowded, more = nil, false
		waiting, err := list(ctx, q, scanOne[int64], `SELECT user_id FROM search_queue ORDER BY user_id, session_id, number LIMIT $1`, indexBatch)
		if err != nil {
			return err
		}
		b := batch{Store: s, bytes: indexBytes}
		for len(waiting) > 0 && b.bytes > 0 {
			user = waiting[0]
			n, _ := slices.BinarySearch(waiting, user+1)
			if err := b.indexUser(ctx, q, user, n); err != nil {
				return err
			}
			waiting = waiting[n:]
		}
		crowded = b.crowded
		more = b.indexed == indexBatch || b.bytes <= 0
		return nil
	})
	if errors.Is(err, grams.ErrDamaged) {
		return true, s.remakeIndex(ctx, user)
	}
	if err != nil {
		return false, fmt.Errorf("index texts: %w", err)
	}
	rest(time.Since(begun))
	for _, user := range crowded {
		err := s.mergeBlocks(ctx, user, rest)
		if errors.Is(err, grams.ErrDamaged) {
			more, err = true, s.remakeIndex(ctx, user)
		}
		if err != nil {
			return more, fmt.Errorf("merge blocks of the index: %w", err)
		}
	}
	return more, nil
}

// batch is what one transaction indexes.
type batch struct {
	*Store
	bytes   int     // how many more bytes it takes
	indexed int     // how many texts it has taken from the queue
	crowded []int64 // users whose blocks should be merged
}

// queuedText is a row of the queue.
type queuedText struct {
	grams.Name
	stale bool
}

func scanQueued(rows *sql.Rows) (t queuedText, err error) {
	err = rows.Scan(&t.Session, &t.Number, &t.stale)
	return t, err
}

// indexUser takes up to most texts of a user from the queue into a block. One indexer
// is at a user's texts at a time, and they come in order, so that a session which was
// cleared is forgotten before what came later is indexed.
func (b *batch) indexUser(ctx context.Context, q querier, userID int64, most int) error {
	locked, err := list(ctx, q, scanOne[int64], b.lockIndex(false), userID)
	if err != nil {
		return err
	}
	if len(locked) == 0 { // another indexer is at it, or the account is gone
		_, err := q.ExecContext(ctx, `DELETE FROM search_queue WHERE user_id = $1 AND NOT EXISTS (SELECT 1 FROM users WHERE id = $1)`, userID)
		return err
	}
	queued, err := list(ctx, q, scanQueued, `
		SELECT session_id, number, stale FROM search_queue WHERE user_id = $1 ORDER BY session_id, number LIMIT $2`+b.skipLocked(), userID, most)
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
	if err := forget(ctx, q, userID, texts.taken); err != nil {
		return err
	}
	if len(texts.names) > 0 {
		added := head{block: nextBlock(heads), size: len(texts.names)}
		if err := b.together(ctx, q, addBlock(userID, added.block, texts.names, grams.Build(texts.folded))); err != nil {
			return err
		}
		heads = append(heads, added)
	}
	if len(mergeable(heads)) > 0 || slices.ContainsFunc(texts.taken, func(t queuedText) bool { return t.stale }) {
		b.crowded = append(b.crowded, userID)
	}
	return nil
}

// takenTexts are texts that have left the queue; of some there is nothing left to index.
type takenTexts struct {
	taken  []queuedText
	names  []grams.Name
	folded []string
}

// take reads the texts of a user and removes them from the queue, as many as there is
// room for.
func (b *batch) take(ctx context.Context, q querier, userID int64, queued []queuedText) (takenTexts, error) {
	var texts takenTexts
	for some := range slices.Chunk(queued, textsAtOnce) {
		if err := b.read(ctx, q, userID, some, &texts); err != nil {
			return texts, err
		}
	}
	var steps []step
	for _, t := range texts.taken {
		steps = append(steps, do(`DELETE FROM search_queue WHERE user_id = $1 AND session_id = $2 AND number = $3`, userID, t.Session, t.Number))
	}
	return texts, b.together(ctx, q, steps)
}

// read reads queued texts of a user, and adds those that there is room for.
func (b *batch) read(ctx context.Context, q querier, userID int64, queued []queuedText, texts *takenTexts) error {
	if b.bytes <= 0 {
		return nil
	}
	found := make([]string, len(queued))
	steps := make([]step, len(queued))
	for i, t := range queued {
		steps[i] = readText(userID, t.Name, &found[i])
	}
	if err := b.together(ctx, q, steps); err != nil {
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
		texts.names = append(texts.names, queued[i].Name)
		texts.folded = append(texts.folded, casefold.Key(text))
	}
	return nil
}
