package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/internal/db"
)

// sweeps are the statements of a server that name no user. A distributed database runs them on all shards. No request
// waits for one of them, except for those of administrators and the list of prompts. The others are run by hand. These
// are patterns, by what the statements are for.
var sweeps = map[string]string{
	"turns of dead processes": `^SELECT user_id, session_id, owner FROM turns WHERE owner NOT IN \(`,
	"the turns of a process":  `^SELECT message_id(, attempt, stopped)? FROM turns WHERE owner = \$1$`,
	// The database shows constants as parameters.
	"a turn that is given up": `^UPDATE turns SET owner = (''|\$3) WHERE message_id = \$1 AND owner = \$2$`,
	"old password resets":     `^DELETE FROM password_resets WHERE created_at <= \$1$`,
	"administrators":          `^SELECT count\(\*\) FROM users WHERE admin = (1|\$\d)$`,
	"the number of accounts":  `^SELECT count\(\*\) FROM users$`,
	"the audit log": `^SELECT id, at, event, .* FROM audit_entries ` +
		`WHERE id >= \$1 AND id < \$2 (AND event = \$3 )?ORDER BY `,
	"old entries of the audit log": `^SELECT user_id, id FROM audit_entries WHERE id < \$1 `,
	"the usage of all users":       ` FROM usage_days d (JOIN users u ON u.id = d.user_id )?WHERE d.day >= \$1 `,
	"the state of the server": `^SELECT (count\(\*\) FROM (turns$|imports WHERE|\(SELECT)|` +
		`CAST\(COALESCE\(sum\(size )`,
	"prompts for all":       ` FROM prompts p JOIN users u ON u.id = p.user_id WHERE p.shared = (1|\$\d) `,
	"a page of accounts":    `^SELECT id FROM users ORDER BY id DESC `,
	"a search for accounts": `^SELECT id, email, nickname FROM users WHERE id < \$1 `,
	"expired logins":        `^DELETE FROM tokens WHERE expires_at <= \$1$`,
	"expired keys":          `^DELETE FROM api_keys WHERE expires_at > (0|\$\d) AND expires_at <= \$1$`,
	"old outcomes and keys": `^DELETE FROM (outcomes WHERE ended_at|send_keys WHERE created_at) < \$1$`,
	"expired sessions":      `^SELECT user_id, id FROM sessions WHERE expires_at > (0|\$\d) AND expires_at <= \$1 `,
	"old sessions":          `^SELECT active_at, user_id, id FROM sessions WHERE active_at <= \$1 `,
	"sessions that a retention deletes": `^SELECT count\(\*\), count\(DISTINCT s.user_id\) FROM sessions s ` +
		`WHERE s.active_at <= \$1 `,
	"open imports":          `^SELECT user_id, id, owner FROM imports WHERE ended_at = `,
	"files without vectors": `^SELECT user_id, id FROM files WHERE vectors [<>] \$1 AND vectors_due <= \$2 `,
	"stale bytes":           `^SELECT user_id, id FROM file_intents WHERE created_at < \$1 `,
	"expired shares":        `^SELECT user_id, id FROM shares WHERE expires_at > (0|\$\d) AND expires_at <= \$1 `,
	"expired responses":     `^SELECT user_id, id FROM responses WHERE expires_at <= \$1 `,
	"ended shares":          `^SELECT user_id, id FROM ended_shares ORDER BY `,
	"the search queue":      `^SELECT user_id FROM search_queue WHERE number > `,
	"documents in the search queue": `^SELECT q.user_id, q.session_id, q.number, ` +
		`COALESCE\(f.text_size, (0|\$\d)\) FROM search_queue q `,
}

// sweep returns the name of the sweep that a statement is, or "".
func sweep(query string) string {
	line := oneLine(query)
	for name, pattern := range sweeps {
		if regexp.MustCompile(pattern).MatchString(line) {
			return name
		}
	}
	return ""
}

// ofOneUser matches statements of one shard. Citus does not note the user of an INSERT that
// selects its rows, or of a list of users.
var ofOneUser = regexp.MustCompile(`\buser_id = (\$\d|ANY \(\$\d)`)

func oneLine(query string) string { return strings.Join(strings.Fields(query), " ") }

// ShardStatement is a statement that ran on several shards.
type ShardStatement struct {
	// Sweep is its name, if it is one of a server's sweeps.
	Sweep string
	Query string
	Calls int64
}

// ShardStatements are the statements of a database that ran on several shards.
type ShardStatements struct {
	// Since is from when on they are counted: about an hour ago, unless no server has run for so long.
	Since time.Time
	// Statements are in descending order of their calls.
	Statements []ShardStatement
}

// AcrossShards returns the statements that ran on several shards during the last hour, as Citus has
// counted them. It returns false if Citus does not count.
func (s *Store) AcrossShards(ctx context.Context, now time.Time) (a ShardStatements, found bool, err error) {
	counts, found, err := s.readShardCounts(ctx)
	if err != nil || !found {
		return a, false, err
	}
	since, err := db.ReadOne[float64](ctx, s.db, `SELECT extract(epoch FROM stats_reset) FROM pg_stat_statements_info`)
	if err != nil {
		return a, true, fmt.Errorf("read since when statements are counted: %w", err)
	}
	a.Since = time.Unix(int64(since), 0)
	earlier, taken, err := s.earlierShardCounts(ctx, now)
	if err != nil {
		return a, true, err
	}
	if taken.After(a.Since) {
		a.Since, counts = taken, counts.since(earlier)
	}
	for query, calls := range counts {
		a.Statements = append(a.Statements, ShardStatement{Sweep: sweep(query), Query: query, Calls: calls})
	}
	slices.SortFunc(a.Statements, func(a, b ShardStatement) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Query, b.Query))
	})
	return a, true, nil
}

// readShardCounts reads how often statements ran on several shards since Citus began to count. It returns false if
// Citus does not count.
func (s *Store) readShardCounts(ctx context.Context) (counts shardCounts, found bool, err error) {
	found, err = db.ReadOne[bool](ctx, s.db, `
		SELECT to_regclass('pg_stat_statements_info') IS NOT NULL AND to_regclass('shard_counts') IS NOT NULL
		AND COALESCE(current_setting('citus.stat_statements_track', true), 'none') = 'all'`)
	if err != nil || !found {
		return nil, false, err
	}
	counts = shardCounts{}
	_, err = db.ReadList(ctx, s.db, func(rows *sql.Rows) (_ struct{}, err error) {
		var query string
		var calls int64
		err = rows.Scan(&query, &calls)
		if query = oneLine(query); !ofOneUser.MatchString(query) {
			counts[query] += calls
		}
		return struct{}{}, err
	}, `
		SELECT c.query, sum(c.calls)::bigint FROM citus_stat_statements c
		JOIN pg_database d ON d.oid = c.dbid AND d.datname = current_database()
		WHERE c.partition_key IS NULL GROUP BY c.query`)
	if err != nil {
		return nil, true, fmt.Errorf("list statements across shards: %w", err)
	}
	return counts, true, nil
}
