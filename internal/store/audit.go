package store

import (
	"context"
	"fmt"
)

// AuditKind says what rows that break a rule are about.
type AuditKind string

// What an audit looks at. Counters and the search index are made of other rows, and so
// can be made anew; everything else is what users have stored.
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

// rule is a query that counts rows which must not be.
type rule struct {
	kind  AuditKind
	name  string
	query string
}

// What makes a row's counter wrong, for the audit and for Recount.
const (
	wrongUser = `(u.session_count <> (SELECT count(*) FROM sessions WHERE user_id = u.id)
		OR u.favorite_count <> (SELECT count(*) FROM messages WHERE user_id = u.id AND favorite_id IS NOT NULL))`
	wrongSession = `(s.message_count <> (SELECT count(*) FROM messages WHERE session_id = s.id)
		OR s.last_message_at <> COALESCE((SELECT created_at FROM messages WHERE session_id = s.id ORDER BY number DESC LIMIT 1), 0)
		OR s.active_at <> COALESCE((SELECT created_at FROM messages WHERE session_id = s.id ORDER BY number DESC LIMIT 1), s.created_at))`
)

// rules holds at any moment in which no transaction is half done.
var rules = []rule{
	{Counters, "accounts count their sessions and favorites", `SELECT count(*) FROM users u WHERE ` + wrongUser},
	{Counters, "sessions count their messages and know the last", `SELECT count(*) FROM sessions s WHERE ` + wrongSession},
	{Contents, "numbers of messages have no gaps", `SELECT count(*) FROM sessions s
		WHERE (SELECT count(*) FROM messages WHERE session_id = s.id) <> (SELECT COALESCE(max(number), 0) FROM messages WHERE session_id = s.id AND number > 0)`},
	{Contents, "every question has its reply", `SELECT count(*) FROM sessions s WHERE (SELECT count(*) FROM messages WHERE session_id = s.id) % 2 = 1`},
	{Contents, "questions and replies take turns", `SELECT count(*) FROM messages WHERE role <> CASE WHEN number % 2 = 1 THEN 'user' ELSE 'assistant' END`},
	{Contents, "messages are their session's user's", `SELECT count(*) FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.user_id <> s.user_id`},
	{Contents, "favorites have a time", `SELECT count(*) FROM messages WHERE (favorite_id IS NULL) <> (favorited_at IS NULL)`},
	{Contents, "open turns are at the end of their session", `SELECT count(*) FROM turns t WHERE NOT EXISTS (
		SELECT 1 FROM messages m JOIN sessions s ON s.id = m.session_id
		WHERE m.id = t.message_id AND m.session_id = t.session_id AND m.number = t.number AND m.number = s.message_count AND m.user_id = t.user_id)`},
	{Contents, "empty replies are open", `SELECT count(*) FROM messages m WHERE m.content = '' AND m.role = 'assistant'
		AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.message_id = m.id)`},
	{Contents, "documents are not announced any more", `SELECT count(*) FROM files f JOIN file_intents i ON i.id = f.id`},
	{Contents, "keys of sends lead to a reply", `SELECT count(*) FROM send_keys k WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = k.message_id)`},
}

// Audit looks for rows that contradict others, in one state of the database, and
// returns the rules that some break. It reads everything.
func (s *Store) Audit(ctx context.Context) ([]Finding, error) {
	var findings []Finding
	err := s.snapshot(ctx, func(ctx context.Context, q querier) error {
		findings = findings[:0]
		for _, r := range rules {
			finding := Finding{Kind: r.kind, Rule: r.name}
			if err := q.QueryRowContext(ctx, r.query).Scan(&finding.Rows); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			if finding.Rows > 0 {
				findings = append(findings, finding)
			}
		}
		wrong, err := auditIndex(ctx, q)
		findings = append(findings, wrong...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return findings, nil
}

// Integrity lists what the database itself finds wrong with its files: at most a few lines.
func (s *Store) Integrity(ctx context.Context) ([]string, error) {
	found, err := s.integrity(ctx)
	if err != nil {
		return nil, fmt.Errorf("check the database: %w", err)
	}
	return found, nil
}
