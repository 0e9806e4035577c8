package store

import (
	"context"
	"fmt"

	"parley/internal/db"
	"parley/internal/search"
)

// AuditKind is the kind of data that breaks a rule.
type AuditKind string

// The kinds of data. Counters and the search index are derived from other rows and can be
// rebuilt. Contents is data that users have stored.
const (
	Counters AuditKind = "counters"
	Contents AuditKind = "contents"
	Search   AuditKind = "search"
)

// Finding is a rule that some rows break.
type Finding struct {
	Kind AuditKind
	Rule string
	Rows int64
}

// rule is a query that counts the rows that break it.
type rule struct {
	kind  AuditKind
	name  string
	query string
}

// Conditions for a row with a wrong counter, for Audit and Recount.
const (
	wrongUser = `(u.session_count <> (SELECT count(*) FROM sessions WHERE user_id = u.id)
		OR u.archived_count <> (SELECT count(*) FROM sessions WHERE user_id = u.id AND archived = 1)
		OR u.favorite_count <> (SELECT count(*) FROM messages WHERE user_id = u.id AND favorite_id IS NOT NULL))`
	lastMessage = `(SELECT m.created_at FROM messages m
		WHERE m.user_id = s.user_id AND m.session_id = s.id AND m.branch = s.branch ORDER BY m.number DESC LIMIT 1)`
)

var (
	visible = ` FROM messages m WHERE m.user_id = s.user_id AND m.session_id = s.id AND ` + isVisible(`s.user_id`)
	// A fork is newer than its messages: until it has others it is active since it was created.
	wrongSession = `(s.message_count <> (SELECT count(*)` + visible + `)
		OR s.last_message_at <> COALESCE(` + lastMessage + `, 0)
		OR s.active_at <> COALESCE(` + lastMessage + `, s.created_at)
		    AND (s.active_at <> s.created_at OR COALESCE(` + lastMessage + `, 0) > s.created_at))`
)

// rules hold after every transaction.
var rules = []rule{
	{Counters, "accounts count their sessions and favorites", `SELECT count(*) FROM users u WHERE ` + wrongUser},
	{Counters, "sessions count their messages and know the last", `SELECT count(*) FROM sessions s WHERE ` + wrongSession},
	{Contents, "numbers of messages have no gaps", `
		SELECT count(*) FROM sessions s
		WHERE (SELECT count(*)` + visible + `) <> (SELECT COALESCE(max(number), 0)` + visible + ` AND m.number > 0)`},
	{Contents, "every question has its reply", `
		SELECT count(*) FROM sessions s WHERE (SELECT count(*)` + visible + `) % 2 = 1`},
	{Contents, "sessions know their branches", `
		SELECT count(*) FROM sessions s
		WHERE s.branches <> (SELECT COALESCE(max(branch), 0) FROM branches WHERE user_id = s.user_id AND session_id = s.id)
		OR (s.branches > 0) <> EXISTS (SELECT 1 FROM branches WHERE user_id = s.user_id AND session_id = s.id AND branch = 0)
		OR s.branch <> COALESCE((SELECT branch FROM branches WHERE user_id = s.user_id AND session_id = s.id AND shown = 1
		    ORDER BY first DESC LIMIT 1), 0)
		OR s.branch <> COALESCE((SELECT branch FROM branches WHERE user_id = s.user_id AND session_id = s.id
		    ORDER BY ended DESC LIMIT 1), 0)`},
	{Contents, "branches hang on their parent", `
		SELECT count(*) FROM branches b WHERE b.branch > 0 AND NOT EXISTS (
		    SELECT 1 FROM branches p JOIN messages m
		        ON m.user_id = p.user_id AND m.session_id = p.session_id AND m.branch = p.branch
		    WHERE p.user_id = b.user_id AND p.session_id = b.session_id AND p.branch = b.parent
		    AND p.branch < b.branch AND p.first < b.first AND p.shown >= b.shown AND m.number = b.first)`},
	{Contents, "branches have whole turns without gaps", `
		SELECT count(*) FROM (
		    SELECT m.user_id, m.session_id, m.branch, count(*) AS size, min(m.number) AS low, max(m.number) AS high
		    FROM messages m GROUP BY m.user_id, m.session_id, m.branch) r
		LEFT JOIN branches b ON b.user_id = r.user_id AND b.session_id = r.session_id AND b.branch = r.branch
		WHERE r.size <> r.high - r.low + 1 OR r.high % 2 = 1 OR b.branch IS NULL AND r.branch > 0
		OR r.low <> CASE WHEN r.branch = 0 THEN 1 ELSE b.first END`},
	{Contents, "branches know their end", `
		SELECT count(*) FROM branches b JOIN sessions s ON s.user_id = b.user_id AND s.id = b.session_id
		WHERE b.branch <> s.branch AND b.message_count <> COALESCE((SELECT max(m.number) FROM messages m
		    WHERE m.user_id = b.user_id AND m.session_id = b.session_id AND m.branch = b.branch), 0)`},
	{Contents, "questions and replies take turns", `
		SELECT count(*) FROM messages WHERE role <> CASE WHEN number % 2 = 1 THEN 'user' ELSE 'assistant' END`},
	{Contents, "accounts have an address", `
		SELECT abs((SELECT count(*) FROM users) - (SELECT count(*) FROM emails))`},
	{Contents, "identities have their account", `
		SELECT abs((SELECT count(*) FROM identities) - (SELECT count(*) FROM user_identities))`},
	{Contents, "favorites have a time", `
		SELECT count(*) FROM messages WHERE (favorite_id IS NULL) <> (favorited_at IS NULL)`},
	{Contents, "open turns are at the end of their session", `
		SELECT count(*) FROM turns t WHERE NOT EXISTS (
		    SELECT 1 FROM messages m JOIN sessions s ON s.user_id = m.user_id AND s.id = m.session_id
		    WHERE m.user_id = t.user_id AND m.session_id = t.session_id AND m.number = t.number AND m.branch = t.branch
		    AND m.id = t.message_id AND m.number = s.message_count AND m.branch = s.branch)`},
	{Contents, "empty replies are open", `
		SELECT count(*) FROM messages m WHERE m.content = '' AND m.role = 'assistant'
		AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.user_id = m.user_id AND t.message_id = m.id AND t.branch = m.branch)`},
	{Contents, "documents are not announced any more", `
		SELECT count(*) FROM files f JOIN file_intents i ON i.user_id = f.user_id AND i.id = f.id`},
	{Contents, "shares are complete and have their link", `
		SELECT abs((SELECT count(*) FROM share_links) - (SELECT count(*) FROM shares) - (SELECT count(*) FROM ended_shares))
		+ abs((SELECT COALESCE(sum(parts), 0) FROM shares) - (SELECT count(*) FROM share_parts))`},
	{Contents, "keys of sends lead to a reply", `
		SELECT count(*) FROM send_keys k
		WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = k.user_id AND m.id = k.message_id)`},
}

// Audit reads one state of the whole database and returns the rules that some rows break.
func (s *Store) Audit(ctx context.Context) ([]Finding, error) {
	var findings []Finding
	err := s.db.Snapshot(ctx, func(ctx context.Context, q db.Querier) error {
		findings = nil
		add := func(kind AuditKind, rule string, rows int64) {
			if rows > 0 {
				findings = append(findings, Finding{kind, rule, rows})
			}
		}
		for _, r := range rules {
			var rows int64
			if err := q.QueryRowContext(ctx, r.query).Scan(&rows); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			add(r.kind, r.name, rows)
		}
		missing, stray, err := search.Audit(ctx, q)
		if err != nil {
			return fmt.Errorf("search index: %w", err)
		}
		add(Search, "texts are indexed once", missing)
		add(Search, "what is indexed exists", stray)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return findings, nil
}

// CheckIndex compares entries of the search index, of about limit texts, with the texts. It
// returns how many texts were checked and how many of their entries are wrong.
func (s *Store) CheckIndex(ctx context.Context, limit int) (wrong, checked int64, err error) {
	return s.search.Check(ctx, limit)
}
