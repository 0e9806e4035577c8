package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"parley"
	"parley/internal/db"
)

// Reservation is what a turn or another call of a model may use, and the quota of its user.
type Reservation struct {
	Quota parley.Quota
	// Tokens is how many tokens the call may take, as far as one can tell. It counts until the call has ended.
	Tokens int64
	// Replies is how many replies a call asks for. Each counts as a message and may take Tokens. 0 means 1.
	Replies int
}

// SetQuota changes a user's own quota, or returns parley.ErrNoSuchAccount. Empty means the server's. What
// is noted goes to the audit log in the same transaction.
func (s *Store) SetQuota(ctx context.Context, userID int64, quota string, noted ...NewAuditEntry) error {
	err := s.db.Change(ctx, append([]db.Step{
		db.Require(parley.ErrNoSuchAccount, `UPDATE users SET quota = $2 WHERE id = $1`, userID, quota),
	}, addAuditEntries(noted)...)...)
	if err != nil {
		return fmt.Errorf("set quota: %w", err)
	}
	return nil
}

// QuotaUse is a user's own quota and what counts toward it on one day.
type QuotaUse struct {
	Own              string
	Messages, Tokens int64
}

// QuotaUse returns what a user has used on the day of now, or parley.ErrBadToken if the account was deleted.
func (s *Store) QuotaUse(ctx context.Context, userID int64, now time.Time) (u QuotaUse, err error) {
	err = s.db.ReadRow(ctx, func(row *sql.Row) error { return row.Scan(&u.Own, &u.Messages, &u.Tokens) }, `
		SELECT u.quota, `+usedMessages+`, `+usedTokens+` FROM users u WHERE u.id = $1`, userID, dayOf(now))
	if errors.Is(err, sql.ErrNoRows) {
		return u, parley.ErrBadToken
	}
	if err != nil {
		return u, fmt.Errorf("read quota: %w", err)
	}
	return u, nil
}

// What user $1 has used on day $2, and what is in progress besides the turn of session $3. A call counts until $4.
const (
	usedMessages = `(SELECT CAST(COALESCE(sum(d.messages), 0) AS BIGINT) FROM usage_days d
		    WHERE d.user_id = $1 AND d.day = $2)`
	usedTokens = `(SELECT CAST(COALESCE(sum(d.input_tokens + d.output_tokens), 0) AS BIGINT) FROM usage_days d
		    WHERE d.user_id = $1 AND d.day = $2)`
	openMessages = `(SELECT count(*) FROM turns t WHERE t.user_id = $1 AND t.session_id <> $3)
		    + (SELECT count(*) FROM usage_calls c WHERE c.user_id = $1 AND c.expires_at > $4)`
	openTokens = `(SELECT CAST(COALESCE(sum(t.reserved), 0) AS BIGINT) FROM turns t
		    WHERE t.user_id = $1 AND t.session_id <> $3)
		    + (SELECT CAST(COALESCE(sum(c.reserved), 0) AS BIGINT) FROM usage_calls c
		    WHERE c.user_id = $1 AND c.expires_at > $4)`
)

// checkQuota requires that a user has something left of a quota. It returns parley.ErrQuotaUsed, or
// parley.ErrQuotaReserved if only calls in progress may use up the rest. sessionID is the session of the turn that was
// just opened, or empty. The replies of r beside the first count as in progress.
//
// The account's row is locked first: the calls of one user are checked one after the other on all replicas. The session
// is locked already: all transactions lock a session before its user.
func (s *Store) checkQuota(userID int64, sessionID string, r Reservation, now time.Time) []db.Step {
	if r.Quota.IsZero() {
		return nil
	}
	messages, tokens := r.Quota.Messages, r.Quota.Tokens
	if messages == 0 {
		messages = unlimited
	}
	if tokens == 0 {
		tokens = unlimited
	}
	further := int64(max(r.Replies, 1) - 1)
	return append(s.lockUser(userID),
		db.Require(parley.QuotaUsed(now), `
			SELECT 1 FROM users u WHERE u.id = $1 AND `+usedMessages+` < $3 AND `+usedTokens+` < $4`,
			userID, dayOf(now), messages, tokens).Into(new(int)),
		db.Require(parley.ErrQuotaReserved, `
			SELECT 1 FROM users u WHERE u.id = $1
			AND `+usedMessages+` + `+openMessages+` < $5 AND `+usedTokens+` + `+openTokens+` < $6`,
			userID, dayOf(now), sessionID, micros(now), messages-further, tokens-further*r.Tokens).Into(new(int)))
}

// lockUser locks an account's row until the transaction ends. SQLite has only one writer.
func (s *Store) lockUser(userID int64) []db.Step {
	if s.db.ForUpdate() == "" {
		return nil
	}
	return []db.Step{db.Do(`SELECT 1 FROM users WHERE id = $1`+s.db.ForUpdate(), userID)}
}

// unlimited is more than anybody can use.
const unlimited = int64(1) << 62

// BeginCall reserves what a call of a model outside of turns may use, until EndCall or until it expires. It returns the
// errors of a quota, and then reserves nothing. Each reply of the call has a row.
func (s *Store) BeginCall(
	ctx context.Context, userID int64, callID string, r Reservation, now, expires time.Time,
) error {
	steps := append(s.checkQuota(userID, "", r, now),
		db.Do(`DELETE FROM usage_calls WHERE user_id = $1 AND expires_at <= $2`, userID, micros(now)))
	for reply := range max(r.Replies, 1) {
		rowID := callID
		if reply > 0 {
			rowID += "/" + strconv.Itoa(reply)
		}
		steps = append(steps, db.Do(`INSERT INTO usage_calls (user_id, id, reserved, expires_at) VALUES ($1, $2, $3, $4)`,
			userID, rowID, r.Tokens, micros(expires)))
	}
	if err := s.db.Change(ctx, steps...); err != nil {
		return fmt.Errorf("begin call: %w", err)
	}
	return nil
}

// EndCall ends a reservation and adds what the call has used, unless the account was deleted. The id is empty if
// nothing was reserved.
func (s *Store) EndCall(ctx context.Context, userID int64, callID string, spent Spent) error {
	if callID == "" {
		return s.AddUsage(ctx, userID, spent)
	}
	steps := append([]db.Step{
		s.requireUser(userID),
		db.Do(`DELETE FROM usage_calls WHERE user_id = $1 AND (id = $2 OR id LIKE $3)`, userID, callID, callID+"/%"),
	}, countSpent(userID, spent)...)
	if err := s.db.Change(ctx, steps...); err != nil && !errors.Is(err, errNotCounted) {
		return fmt.Errorf("end call: %w", err)
	}
	return nil
}
