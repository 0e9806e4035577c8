package store

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/db/dbtest"
	"parley/internal/testdb"
)

// exceptions are the statements beside sweeps that do not name a user, by what they are for.
var exceptions = map[string]*regexp.Regexp{
	// These are not about users' data. One shard, or the coordinator, has the row.
	"a login or a registration by its address": regexp.MustCompile(`(FROM|INTO) emails\b`),
	"a share by its link":                      regexp.MustCompile(`(FROM|INTO) share_links\b`),
	"the claim of the first administrator":     regexp.MustCompile(`(FROM|INTO) admin_claims\b`),
	"a user by an identity":                    regexp.MustCompile(`(FROM|INTO) identities\b`),
	"a sign-in by its state or code":           regexp.MustCompile(`(FROM|INTO) (sign_ins|sign_in_codes)\b`),
	"a ping":                                   regexp.MustCompile(`^SELECT 1$`),
	"settings of the server":                   regexp.MustCompile(`(FROM|INTO) settings\b`),
	"leases of processes": regexp.MustCompile(
		`^(INSERT INTO|DELETE FROM|SELECT count\(\*\) FROM|SELECT id, lease_until FROM) owners\b`),
}

// reference matches a table that a statement uses, with its alias.
var reference = regexp.MustCompile(
	`\b(?:FROM|JOIN|UPDATE|INTO) (users|tokens|api_keys|sessions|messages|branches|turns|outcomes|send_keys|` +
		`user_identities|files|file_links|file_intents|shares|share_parts|ended_shares|imports|import_skips|` +
		`import_sources|responses|usage_days|usage_calls|audit_entries|recovery_codes|password_resets|prompts|` +
		`search_queue|search_blocks|search_pages)\b(?: (?:AS )?([a-z])\b)?`)

// Names of a user in statements without aliases.
var (
	plainUsers = regexp.MustCompile(`\bWHERE id = \$\d|INTO users \(id, `)
	plainNames = regexp.MustCompile(`(^|[^.\w])user_id = (\$\d|ANY \(\$\d\)|\w+\.user_id)|INTO \w+ \(user_id, `)
)

// inserts matches an INSERT of selected rows. Citus runs one on the coordinator if it selects from no table.
var inserts = regexp.MustCompile(`^INSERT INTO (\w+) \([^)]+\) SELECT `)

// unnamed returns the tables that a statement uses without naming the user.
func unnamed(query string) (tables []string) {
	if found := inserts.FindStringSubmatch(query); found != nil && !strings.Contains(query, " FROM ") {
		tables = append(tables, found[1]+" without VALUES")
	}
	plain := 0 // tables without an alias
	for _, found := range reference.FindAllStringSubmatch(query, -1) {
		table, alias := found[1], found[2]
		key := "user_id"
		if table == "users" {
			key = "id"
		}
		if alias == "" && table == "users" {
			if !plainUsers.MatchString(query) {
				tables = append(tables, table)
			}
			continue
		}
		if alias == "" {
			plain++
			continue
		}
		if !regexp.MustCompile(fmt.Sprintf(`\b%s\.%s = (\$\d|\w+\.(user_)?id\b)`, alias, key)).MatchString(query) &&
			!regexp.MustCompile(fmt.Sprintf(`= %s\.%s\b`, alias, key)).MatchString(query) {
			tables = append(tables, table)
		}
	}
	if n := len(plainNames.FindAllString(query, -1)); n < plain {
		tables = append(tables, fmt.Sprintf("%d of %d without an alias", plain-n, plain))
	}
	return tables
}

// TestEveryStatementNamesItsUser checks that a database which is distributed by user runs
// each statement of a request on one shard.
func TestEveryStatementNamesItsUser(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		x := dbtest.Explain(t, w.db)
		everything(t, w)
		x.Stop()
		used := map[string]bool{}
		checked := 0
		for query, plan := range x.Plans {
			if name := exception(query); name != "" {
				used[name] = true
				continue
			}
			checked++
			if tables := unnamed(oneLine(query)); len(tables) > 0 {
				t.Errorf("%s: no user is named in\n%s", strings.Join(tables, ", "), query)
			}
			if w.db.Shared() && testdb.IsCitus() && !strings.Contains(plan, "Task Count: 1\n") {
				t.Errorf("the plan of\n%s\nis\n%s", query, plan)
			}
		}
		if checked < 60 {
			t.Errorf("only %d statements were checked", checked)
		}
		for _, name := range slices.Concat(slices.Collect(maps.Keys(exceptions)), slices.Collect(maps.Keys(sweeps))) {
			if !used[name] {
				t.Errorf("no statement is the exception %q", name)
			}
		}
	})
}

// TestSweepsGoShardByShard checks that what is stored for the turns of many users goes to
// one shard at a time.
func TestSweepsGoShardByShard(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const count = 12
		progress, users := make([]Progress, count), make([]int64, count)
		for i := range count {
			users[i] = w.user()
			turn := w.own(users[i], "owner")
			progress[i] = Progress{Turn: &turn, Content: fmt.Sprintf("text %d", i), Fresh: true}
		}
		groups, err := w.db.GroupByShard(t.Context(), "turns", users)
		w.must(err)
		distributed := w.db.Shared() && testdb.IsCitus()
		if (len(groups) > 1) != distributed || len(slices.Concat(groups...)) != count {
			t.Fatalf("the groups are %v", groups)
		}
		x := dbtest.Explain(t, w.db)
		states, err := w.SaveProgress(t.Context(), "owner", progress)
		w.must(err)
		taken, err := w.TakeOver(t.Context(), "heir", count)
		w.must(err)
		_, err = w.search.Update(t.Context())
		w.must(err)
		x.Stop()
		if len(taken) != count || slices.ContainsFunc(states, func(s TurnState) bool { return s != Ours }) {
			t.Errorf("%d turns are taken over, the states are %v", len(taken), states)
		}
		for query, plan := range x.Plans {
			if distributed && exception(query) == "" && !strings.Contains(plan, "Task Count: 1\n") {
				t.Errorf("the plan of\n%s\nis\n%s", query, plan)
			}
		}
	})
}

// exception returns the name of the exception or the sweep that a statement is, or "".
func exception(query string) string {
	for name, is := range exceptions {
		if is.MatchString(oneLine(query)) {
			return name
		}
	}
	return sweep(query)
}

// TestAStatementWithoutItsUserIsFound checks the check.
func TestAStatementWithoutItsUserIsFound(t *testing.T) {
	for _, query := range []string{
		`SELECT title FROM sessions WHERE id = $1`,
		`SELECT 1 FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.user_id = $1`,
		`DELETE FROM messages WHERE session_id = $1 AND number >= $2`,
		`UPDATE users SET session_count = 0`,
		`UPDATE sessions SET title = (SELECT named FROM turns WHERE session_id = $2) WHERE user_id = $1 AND id = $2`,
		`INSERT INTO sessions (id, title) VALUES ($1, $2)`,
		`INSERT INTO sessions (user_id, id) SELECT $1, $2`,
	} {
		if len(unnamed(query)) == 0 {
			t.Errorf("%s is taken for one that names its user", query)
		}
	}
}
