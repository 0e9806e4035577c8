package db

import (
	"context"
	"fmt"
	"slices"
)

// GroupByShard groups keys by the shard of a distributed table that holds them. It returns
// the indexes of the keys of each group, in order. All keys are one group unless the table
// is distributed.
//
// Work done group by group goes to one shard at a time: it needs no commit in two phases, and a dead worker fails its
// own groups only.
func (d *DB) GroupByShard(ctx context.Context, table string, keys []int64) ([][]int, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	shards, err := d.engine.Shards(ctx, table, keys)
	if err != nil {
		return nil, fmt.Errorf("find the shards of %s: %w", table, err)
	}
	var groups [][]int
	places := map[int64]int{} // groups by shard
	for i, shard := range shards {
		place, found := places[shard]
		if !found {
			place = len(groups)
			places[shard] = place
			groups = append(groups, nil)
		}
		groups[place] = append(groups[place], i)
	}
	return groups, nil
}

// Shards implements Engine. There is one shard.
func (s *sqlite) Shards(_ context.Context, _ string, keys []int64) ([]int64, error) {
	return make([]int64, len(keys)), nil
}

// Shards implements Engine. The coordinator knows the shards. There is at least one key.
func (p *postgres) Shards(ctx context.Context, table string, keys []int64) ([]int64, error) {
	none := make([]int64, len(keys))
	if !p.citus || slices.Min(keys) == slices.Max(keys) {
		return none, nil
	}
	var shards []int64
	err := p.Read(ctx, func(ctx context.Context, q Querier) (err error) {
		shards, err = List(ctx, q, ScanOne[int64], `
			SELECT get_shard_id_for_distribution_column(p.logicalrelid, k.key)
			FROM unnest($2::bigint[]) WITH ORDINALITY AS k (key, place)
			JOIN pg_dist_partition p ON p.logicalrelid = to_regclass($1) AND p.partmethod = 'h'
			ORDER BY k.place`, table, keys)
		return err
	})
	if err != nil || len(shards) == 0 { // the table is not distributed
		return none, err
	}
	return shards, nil
}
