package doctor

import (
	"testing"
	"time"

	"parley/internal/store"
)

func TestStatementsOnSeveralShardsAreShown(t *testing.T) {
	since := time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)
	across := store.ShardStatements{Since: since, Statements: []store.ShardStatement{
		{Sweep: "the search queue", Calls: 720},
		{Query: "SELECT 1 FROM sessions", Calls: 60},
		{Sweep: "old outcomes and keys", Calls: 2},
		{Sweep: "old outcomes and keys", Calls: 2},
	}}
	const want = `statements on several of them since 2026-11-16 08:00 UTC: 4 for old outcomes and keys, ` +
		`720 for the search queue; of requests or by hand: 60 of "SELECT 1 FROM sessions"`
	if got := describeShards(across); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	across.Statements = across.Statements[:1]
	if got := describeShards(across); got != `statements on several of them `+
		`since 2026-11-16 08:00 UTC: 720 for the search queue; of requests or by hand: none` {
		t.Errorf("only sweeps: %s", got)
	}
}
