package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"parley/internal/db"
	"parley/internal/search/grams"
)

// Indexer keeps a search index up to date.
type Indexer struct {
	index    *Index
	log      *slog.Logger
	sections sectionIndexer
}

// NewIndexer returns an indexer. Several servers may run one on the same database.
func NewIndexer(index *Index, documents Documents, log *slog.Logger) *Indexer {
	return &Indexer{index: index, log: log, sections: sectionIndexer{index: index, documents: documents}}
}

// Run indexes queued texts until ctx ends. It works at most half of the time: otherwise a
// burst of texts would take most of a processor from requests.
func (i *Indexer) Run(ctx context.Context) {
	const (
		gather = time.Second      // many texts in one transaction cost much less than one in each
		poll   = 10 * time.Second // another server may have left texts in the queue
		limit  = 5 * time.Minute  // of one update, much more than it needs: PostgreSQL may not respond
	)
	sleep := func(d time.Duration) {
		select {
		case <-ctx.Done():
		case <-time.After(d):
		}
	}
	for ctx.Err() == nil {
		bounded, cancel := context.WithTimeout(ctx, limit)
		more, err := i.update(bounded, sleep)
		cancel()
		if err != nil && ctx.Err() == nil {
			i.log.Error("update search index", "error", err)
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-i.index.queued:
			sleep(gather)
		case <-time.After(poll):
		}
	}
}

// Update indexes a batch of queued texts and one of sections, and reports whether more may be
// queued.
func (i *Indexer) Update(ctx context.Context) (more bool, err error) {
	return i.update(ctx, func(time.Duration) {})
}

func (i *Indexer) update(ctx context.Context, rest func(worked time.Duration)) (more bool, err error) {
	moreTexts, err := i.index.update(ctx, rest)
	moreSections, sectionErr := i.sections.update(ctx, rest)
	return moreTexts || moreSections, errors.Join(err, sectionErr)
}

// Update indexes a batch of queued texts, without sections of documents, and reports whether more may be queued.
func (x *Index) Update(ctx context.Context) (more bool, err error) {
	return x.update(ctx, func(time.Duration) {})
}

// update is Update that calls rest after each transaction with the time it took.
func (x *Index) update(ctx context.Context, rest func(worked time.Duration)) (more bool, err error) {
	users, err := x.firstQueued(ctx)
	if err != nil {
		return false, fmt.Errorf("read the queue: %w", err)
	}
	if len(users) == 0 {
		return false, nil
	}
	groups, err := x.db.GroupByShard(ctx, "search_queue", users)
	if err != nil {
		return false, fmt.Errorf("read the queue: %w", err)
	}
	taken := 0
	var errs []error
	for _, group := range groups {
		some := make([]int64, len(group))
		for i, place := range group {
			some[i] = users[place]
		}
		n, left, err := x.updateShard(ctx, some, rest)
		taken, more = taken+n, more || left
		errs = append(errs, err)
	}
	return more || taken == batchTexts, errors.Join(errs...)
}

// updateShard indexes queued texts of users on one shard. It returns how many texts it has
// taken from the queue, and whether it has left some.
func (x *Index) updateShard(
	ctx context.Context, users []int64, rest func(worked time.Duration),
) (taken int, left bool, err error) {
	var b *batch
	begun := time.Now()
	err = x.db.WriteAlone(ctx, func(ctx context.Context, q db.Querier) error {
		b = &batch{index: x, bytes: batchBytes}
		return b.run(ctx, q, users)
	})
	if errors.Is(err, grams.ErrDamaged) {
		return 0, true, x.requeueUser(ctx, b.user)
	}
	if err != nil {
		return 0, false, fmt.Errorf("index texts: %w", err)
	}
	rest(time.Since(begun))
	left = b.bytes <= 0
	for _, user := range b.crowded {
		err := x.mergeBlocks(ctx, user, rest)
		if errors.Is(err, grams.ErrDamaged) {
			left, err = true, x.requeueUser(ctx, user)
		}
		if err != nil {
			return b.indexed, left, fmt.Errorf("merge blocks of the index: %w", err)
		}
	}
	return b.indexed, left, nil
}

// lockUser locks a user's part of the index against other indexers until the transaction
// ends, and reports whether it did. It returns false if the account was deleted or, unless wait is
// set, if another indexer holds the lock. The account can't be deleted while it is locked.
func (x *Index) lockUser(ctx context.Context, q db.Querier, userID int64, wait bool) (bool, error) {
	locked, err := db.List(ctx, q, db.ScanOne[int64],
		`SELECT id FROM users WHERE id = $1`+x.db.AndLock(`-id`, wait)+x.db.ForKeyShare(), userID)
	return len(locked) > 0, err
}

// Rebuild empties the index, queues all texts and indexes them. Searches stay exact
// meanwhile, but are slower. Sections of documents stay in the queue until an Indexer runs. It
// calls progress with the number of accounts that are queued.
func (x *Index) Rebuild(ctx context.Context, progress func(accounts int64)) error {
	err := x.db.Change(ctx, db.Do(
		`DELETE FROM search_queue WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = user_id)`))
	if err != nil {
		return fmt.Errorf("rebuild the search index: %w", err)
	}
	_, err = db.WriteEach(ctx, x.db, `SELECT id FROM users WHERE id > $1 ORDER BY id`, 0, x.requeue, progress)
	if err != nil {
		return fmt.Errorf("rebuild the search index: %w", err)
	}
	for more := true; more; {
		if more, err = x.Update(ctx); err != nil {
			return err
		}
	}
	return nil
}

// requeueUser removes a damaged part of the index and queues its texts.
func (x *Index) requeueUser(ctx context.Context, userID int64) error {
	defer x.Wake()
	return x.db.Write(ctx, func(ctx context.Context, q db.Querier) error { return x.requeue(ctx, q, userID) })
}

// LockSessions locks all sessions of a user until the transaction ends. Their texts can't change meanwhile.
func (x *Index) LockSessions(userID int64) db.Step {
	return db.Do(`
		SELECT count(*) FROM (SELECT id FROM sessions WHERE user_id = $1 ORDER BY id`+x.db.ForUpdate()+`) locked`,
		userID).Into(new(int64))
}

// requeue moves all texts of a user from the index to the queue. The sessions are locked.
func (x *Index) requeue(ctx context.Context, q db.Querier, userID int64) error {
	if err := x.LockSessions(userID).Run(ctx, q); err != nil {
		return err
	}
	if _, err := x.lockUser(ctx, q, userID, true); err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM search_queue WHERE user_id = $1`,
		`DELETE FROM search_blocks WHERE user_id = $1`,
		// A session may be new, and queued.
		`INSERT INTO search_queue (user_id, session_id, number, stale)
			SELECT t.user_id, t.session_id, t.number, 0 FROM (` + textNames + `) t WHERE true` + orQueued,
		`INSERT INTO search_queue (user_id, session_id, number, stale)
			SELECT user_id, id, -3, 0 FROM files WHERE user_id = $1` + orQueued,
	} {
		if _, err := q.ExecContext(ctx, statement, userID); err != nil {
			return err
		}
	}
	return nil
}
