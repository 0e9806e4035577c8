package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"parley/internal/db"
)

// Citus counts how often each statement ran, without times. So the servers store the counts
// now and then, and the difference is what ran since.

const (
	// shardCountInterval is how often the counts are stored, by one of the servers.
	shardCountInterval = 10 * time.Minute
	// shardCountSpan is the time that AcrossShards looks back.
	shardCountSpan = time.Hour
	// shardCountLife is how long stored counts are kept.
	shardCountLife = 2 * time.Hour
)

// RunShardCounts stores how often statements ran on several shards, until ctx ends. It does nothing unless the database
// has Citus and counts them.
func (s *Store) RunShardCounts(ctx context.Context, log *slog.Logger, now func() time.Time) {
	if !s.db.Shared() {
		return
	}
	ticker := time.NewTicker(shardCountInterval)
	defer ticker.Stop()
	for {
		if err := s.SaveShardCounts(ctx, now()); err != nil && ctx.Err() == nil {
			log.Error("count statements across shards", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// SaveShardCounts stores how often statements ran on several shards until now, unless a server has just done so. It
// does nothing if they are not counted.
func (s *Store) SaveShardCounts(ctx context.Context, now time.Time) error {
	counts, found, err := s.readShardCounts(ctx)
	if err != nil || !found {
		return err
	}
	encoded, err := json.Marshal(counts)
	if err != nil {
		return fmt.Errorf("encode the counts of statements: %w", err)
	}
	err = s.db.Change(ctx,
		db.Do(`DELETE FROM shard_counts WHERE taken_at < $1`, micros(now.Add(-shardCountLife))),
		db.Do(`
			INSERT INTO shard_counts (taken_at, counts)
			SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT)
			WHERE NOT EXISTS (SELECT 1 FROM shard_counts WHERE taken_at > $3)
			ON CONFLICT (taken_at) DO NOTHING`,
			micros(now), string(encoded), micros(now.Add(-shardCountInterval*9/10))))
	if err != nil {
		return fmt.Errorf("store the counts of statements: %w", err)
	}
	return nil
}

// shardCounts are how often each statement ran on several shards.
type shardCounts map[string]int64

// earlierShardCounts returns the counts of an hour ago and their time. If all counts are newer, it returns the oldest,
// and zero values if there are no counts.
func (s *Store) earlierShardCounts(
	ctx context.Context, now time.Time,
) (counts shardCounts, taken time.Time, err error) {
	_, err = db.ReadList(ctx, s.db, func(rows *sql.Rows) (_ struct{}, err error) {
		var at int64
		var text []byte
		if err := rows.Scan(&at, &text); err != nil {
			return struct{}{}, err
		}
		taken = time.UnixMicro(at)
		return struct{}{}, json.Unmarshal(text, &counts)
	}, `
		SELECT taken_at, counts FROM shard_counts WHERE taken_at = (
		    SELECT COALESCE(max(taken_at) FILTER (WHERE taken_at <= $1), min(taken_at)) FROM shard_counts)`,
		micros(now.Add(-shardCountSpan)))
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read the earlier counts of statements: %w", err)
	}
	return counts, taken, nil
}

// since returns how often each statement ran since the earlier counts. If the count of a statement was reset meanwhile,
// the statement ran as often as it is counted now.
func (c shardCounts) since(earlier shardCounts) shardCounts {
	ran := shardCounts{}
	for query, calls := range c {
		if before := earlier[query]; calls >= before {
			calls -= before
		}
		if calls > 0 {
			ran[query] = calls
		}
	}
	return ran
}
