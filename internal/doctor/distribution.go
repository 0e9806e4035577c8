package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/store"
)

// distribution checks that users' data is distributed by user, and shows which statements
// ran on several shards, if the database has Citus.
func (c Config) distribution(ctx context.Context) []Check {
	const name = "distribution"
	d, found, err := c.Store.Distribution(ctx)
	switch {
	case err != nil:
		return []Check{Failed(name, err, "see that the database can be reached")}
	case !found:
		return nil
	}
	detail := fmt.Sprintf("%d tables on %d workers", d.Distributed, d.Workers)
	if len(d.Local) > 0 {
		const advice = "distribute them, as the first migration does: see scaling.md"
		detail += "; not distributed by user: " + strings.Join(d.Local, ", ")
		return []Check{{name, Warning, detail, advice, ""}, c.shards(ctx)}
	}
	return []Check{{name, OK, detail, "", ""}, c.shards(ctx)}
}

// shards shows the statements that ran on several shards.
func (c Config) shards(ctx context.Context) Check {
	const name = "shards"
	across, found, err := c.Store.AcrossShards(ctx, c.Now())
	switch {
	case err != nil:
		return Failed(name, err, "see that the database can be reached")
	case !found:
		const advice = "to know, set citus.stat_statements_track to all and create the extension pg_stat_statements"
		return Check{name, OK, "statements that ran on several of them are not counted", advice, ""}
	}
	return Check{name, OK, describeShards(across), "", ""}
}

// mostShown is how many statements are shown, each with the beginning of its text.
const (
	mostShown = 3
	textShown = 60
)

// describeShards lists the calls of each sweep, and those of other statements that were called
// most often. Statements of this command are among them.
func describeShards(across store.ShardStatements) string {
	calls := map[string]int64{}
	var names, others []string
	for _, s := range across.Statements {
		switch {
		case s.Sweep == "" && len(others) < mostShown:
			others = append(others, fmt.Sprintf("%d of %.*q", s.Calls, textShown, s.Query))
		case s.Sweep != "":
			if calls[s.Sweep] == 0 {
				names = append(names, s.Sweep)
			}
			calls[s.Sweep] += s.Calls
		}
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%d for %s", calls[name], name)
	}
	if len(others) == 0 {
		others = []string{"none"}
	}
	return fmt.Sprintf("statements on several of them since %s: %s; of requests or by hand: %s",
		across.Since.UTC().Format("2006-01-02 15:04 UTC"), strings.Join(names, ", "), strings.Join(others, ", "))
}
