package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/id"
)

// auditBatch is how many entries of the audit log are added in one transaction.
const auditBatch = 500

// NewAuditEntry is an entry of the audit log to store.
type NewAuditEntry struct {
	parley.AuditEntry
	// Time is stored as At.
	Time time.Time
}

// addAuditEntry adds an entry of the audit log, unless there is one with its id.
func addAuditEntry(e NewAuditEntry) db.Step {
	return db.Do(`
		INSERT INTO audit_entries (user_id, id, at, event, actor_id, address, request_id, code, object)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (user_id, id) DO NOTHING`,
		e.UserID, e.ID, micros(e.Time), e.Event, e.ActorID, e.Address, e.RequestID, int64(e.Code), e.Object)
}

// addAuditEntries are the steps that add entries of the audit log in the transaction of what they are about.
func addAuditEntries(entries []NewAuditEntry) []db.Step {
	steps := make([]db.Step, len(entries))
	for i, e := range entries {
		steps[i] = addAuditEntry(e)
	}
	return steps
}

// AddAuditEntries adds entries to the audit log, each once. With an error it returns those that may not be stored: they
// can be added again.
func (s *Store) AddAuditEntries(ctx context.Context, entries []NewAuditEntry) (left []NewAuditEntry, err error) {
	users := make([]int64, len(entries))
	for i, e := range entries {
		users[i] = e.UserID
	}
	groups, err := s.db.GroupByShard(ctx, "audit_entries", users)
	if err != nil {
		return entries, fmt.Errorf("add to the audit log: %w", err)
	}
	var errs []error
	for _, group := range groups {
		for part := range slices.Chunk(pick(entries, group), auditBatch) {
			if err := s.db.Change(ctx, addAuditEntries(part)...); err != nil {
				left = append(left, part...)
				errs = append(errs, fmt.Errorf("add to the audit log: %w", err))
			}
		}
	}
	return left, errors.Join(errs...)
}

// afterAllIDs sorts after every id.
const afterAllIDs = "g"

// maxSecond is later than any entry. A larger number may not be a time.
const maxSecond = 1 << 50

// AuditEntries returns the newest entries of the audit log that an input selects. The limit must be set. They are
// read from an index, from the end of the page before on, so a page costs the same wherever it is. Those of an address
// have no index.
func (s *Store) AuditEntries(ctx context.Context, in parley.AuditInput) ([]parley.AuditEntry, error) {
	first, end := "", afterAllIDs
	if in.From > 0 {
		first = id.Lowest(time.Unix(min(in.From, maxSecond), 0))
	}
	if in.To > 0 {
		end = id.Lowest(time.Unix(min(in.To, maxSecond)+1, 0))
	}
	if in.Before != "" {
		end = min(end, in.Before)
	}
	conditions, args := []string{`id >= $1`, `id < $2`}, []any{first, end}
	add := func(column string, value any) {
		args = append(args, value)
		conditions = append(conditions, fmt.Sprintf(`%s = $%d`, column, len(args)))
	}
	if in.UserID != 0 {
		add("user_id", in.UserID)
	}
	if in.Event != "" {
		add("event", in.Event)
	}
	if in.Address != "" {
		add("address", in.Address)
	}
	args = append(args, in.Limit)
	entries, err := db.ReadList(ctx, s.db, scanAuditEntry, `
		SELECT id, at, event, user_id, actor_id, address, request_id, code, object FROM audit_entries
		WHERE `+strings.Join(conditions, ` AND `)+fmt.Sprintf(`
		ORDER BY id DESC LIMIT CAST($%d AS BIGINT)`, len(args)), args...)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	return entries, nil
}

func scanAuditEntry(rows *sql.Rows) (e parley.AuditEntry, err error) {
	err = rows.Scan(&e.ID, &e.At, &e.Event, &e.UserID, &e.ActorID, &e.Address, &e.RequestID, &e.Code, &e.Object)
	e.At = seconds(e.At)
	return e, err
}

// SweepAudit deletes up to limit entries of the audit log from before a time. It reports whether there may be more.
func (s *Store) SweepAudit(ctx context.Context, before time.Time, limit int) (more bool, err error) {
	old, err := s.listShares(ctx, `
		SELECT user_id, id FROM audit_entries WHERE id < $1 ORDER BY id LIMIT CAST($2 AS BIGINT)`,
		id.Lowest(before), limit)
	if err != nil {
		return false, fmt.Errorf("list old entries of the audit log: %w", err)
	}
	users := make([]int64, len(old))
	for i, e := range old {
		users[i] = e.userID
	}
	groups, err := s.db.GroupByShard(ctx, "audit_entries", users)
	if err != nil {
		return false, fmt.Errorf("delete old entries of the audit log: %w", err)
	}
	for _, group := range groups {
		steps := make([]db.Step, len(group))
		for i, e := range pick(old, group) {
			steps[i] = db.Do(`DELETE FROM audit_entries WHERE user_id = $1 AND id = $2`, e.userID, e.id)
		}
		if err := s.db.Change(ctx, steps...); err != nil {
			return false, fmt.Errorf("delete old entries of the audit log: %w", err)
		}
	}
	return len(old) == limit, nil
}
