package store

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley/internal/db/dbtest"
	"parley/internal/testdb"
)

// exceptions are the statements that do not name a user, by what they are for. No request
// waits for one of them but the first two. They query all shards of a distributed database.
var exceptions = map[string]*regexp.Regexp{
	// These are not about users' data. One shard, or the coordinator, has the row.
	"a login or a registration by its address": regexp.MustCompile(`(FROM|INTO) emails\b`),
	"a ping":                  regexp.MustCompile(`^SELECT 1$`),
	"leases of processes":     regexp.MustCompile(`^(INSERT INTO|DELETE FROM|SELECT count\(\*\) FROM) owners\b`),
	"turns of dead processes": regexp.MustCompile(`^SELECT user_id, session_id, owner FROM turns WHERE owner NOT IN \(`),
	"the turns of a process":  regexp.MustCompile(`^SELECT message_id(, attempt, stopped)? FROM turns WHERE owner = \$1$`),
	"a turn that is given up": regexp.MustCompile(`^UPDATE turns SET owner = '' WHERE message_id = \$1 AND owner = \$2$`),
	"progress of many turns":  regexp.MustCompile(`^UPDATE turns AS t SET .* FROM unnest\(`),
	"expired logins":          regexp.MustCompile(`^DELETE FROM tokens WHERE expires_at <= \$1$`),
	"outcomes and keys that are a day old": regexp.MustCompile(
		`^DELETE FROM (outcomes WHERE ended_at|send_keys WHERE created_at) < \$1$`),
	"stale bytes":      regexp.MustCompile(`^SELECT user_id, id FROM file_intents WHERE created_at < \$1 `),
	"the search queue": regexp.MustCompile(`^SELECT user_id FROM search_queue ORDER BY `),
}

// reference matches a table that a statement uses, with its alias.
var reference = regexp.MustCompile(
	`\b(?:FROM|JOIN|UPDATE|INTO) (users|tokens|sessions|messages|branches|turns|outcomes|send_keys|files|file_intents|` +
		`search_queue|search_blocks|search_pages)\b(?: (?:AS )?([a-z])\b)?`)

// Names of a user in statements without aliases.
var (
	plainUsers = regexp.MustCompile(`\bWHERE id = \$\d|INTO users \(id, `)
	plainNames = regexp.MustCompile(`(^|[^.\w])user_id = (\$\d|\w+\.user_id)|INTO \w+ \(user_id, `)
)

// unnamed returns the tables that a statement uses without naming the user.
func unnamed(query string) (tables []string) {
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
		for name := range exceptions {
			if !used[name] && (w.db.Shared() || name != "progress of many turns") {
				t.Errorf("no statement is the exception %q", name)
			}
		}
	})
}

// exception returns the name of the exception that a statement is, or "".
func exception(query string) string {
	for name, is := range exceptions {
		if is.MatchString(oneLine(query)) {
			return name
		}
	}
	return ""
}

func oneLine(query string) string { return strings.Join(strings.Fields(query), " ") }

// TestAStatementWithoutItsUserIsFound checks the check.
func TestAStatementWithoutItsUserIsFound(t *testing.T) {
	for _, query := range []string{
		`SELECT title FROM sessions WHERE id = $1`,
		`SELECT 1 FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.user_id = $1`,
		`DELETE FROM messages WHERE session_id = $1 AND number >= $2`,
		`UPDATE users SET session_count = 0`,
		`UPDATE sessions SET title = (SELECT named FROM turns WHERE session_id = $2) WHERE user_id = $1 AND id = $2`,
		`INSERT INTO sessions (id, title) VALUES ($1, $2)`,
	} {
		if len(unnamed(query)) == 0 {
			t.Errorf("%s is taken for one that names its user", query)
		}
	}
}
