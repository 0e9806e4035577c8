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
		OR u.favorite_count <> (SELECT count(*) FROM messages WHERE user_id = u.id AND favorite_id IS NOT NULL))`
	lastMessage = `(SELECT created_at FROM messages
		WHERE user_id = s.user_id AND session_id = s.id ORDER BY number DESC LIMIT 1)`
	wrongSession = `(s.message_count <> (SELECT count(*) FROM messages WHERE user_id = s.user_id AND session_id = s.id)
		OR s.last_message_at <> COALESCE(` + lastMessage + `, 0)
		OR s.active_at <> COALESCE(` + lastMessage + `, s.created_at))`
)

// rules hold after every transaction.
var rules = []rule{
	{Counters, "accounts count their sessions and favorites", `SELECT count(*) FROM users u WHERE ` + wrongUser},
	{Counters, "sessions count their messages and know the last", `SELECT count(*) FROM sessions s WHERE ` + wrongSession},
	{Contents, "numbers of messages have no gaps", `
		SELECT count(*) FROM sessions s
		WHERE (SELECT count(*) FROM messages WHERE user_id = s.user_id AND session_id = s.id)
		    <> (SELECT COALESCE(max(number), 0) FROM messages
		        WHERE user_id = s.user_id AND session_id = s.id AND number > 0)`},
	{Contents, "every question has its reply", `
		SELECT count(*) FROM sessions s
		WHERE (SELECT count(*) FROM messages WHERE user_id = s.user_id AND session_id = s.id) % 2 = 1`},
	{Contents, "questions and replies take turns", `
		SELECT count(*) FROM messages WHERE role <> CASE WHEN number % 2 = 1 THEN 'user' ELSE 'assistant' END`},
	{Contents, "accounts have an address", `
		SELECT abs((SELECT count(*) FROM users) - (SELECT count(*) FROM emails))`},
	{Contents, "favorites have a time", `
		SELECT count(*) FROM messages WHERE (favorite_id IS NULL) <> (favorited_at IS NULL)`},
	{Contents, "open turns are at the end of their session", `
		SELECT count(*) FROM turns t WHERE NOT EXISTS (
		    SELECT 1 FROM messages m JOIN sessions s ON s.user_id = m.user_id AND s.id = m.session_id
		    WHERE m.user_id = t.user_id AND m.session_id = t.session_id AND m.number = t.number AND m.id = t.message_id
		    AND m.number = s.message_count)`},
	{Contents, "empty replies are open", `
		SELECT count(*) FROM messages m WHERE m.content = '' AND m.role = 'assistant'
		AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.user_id = m.user_id AND t.message_id = m.id)`},
	{Contents, "documents are not announced any more", `
		SELECT count(*) FROM files f JOIN file_intents i ON i.user_id = f.user_id AND i.id = f.id`},
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
