package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
)

// NewReset is a link to set a new password. It replaces an earlier one.
type NewReset struct {
	UserID int64
	Hash   TokenHash
	Now    time.Time
	// Three links may be sent to a user within this time.
	Within time.Duration
}

// AddReset stores a link and reports whether it may be sent. It may not if the user got three within the time, or if
// the account was deleted or disabled. Then an earlier link stays.
func (s *Store) AddReset(ctx context.Context, reset NewReset) (bool, error) {
	errRefused := errors.New("refused")
	err := s.db.Change(ctx,
		db.Require(errRefused, `SELECT 1 FROM users WHERE id = $1 AND disabled_at = 0`+s.db.ForUpdate(),
			reset.UserID).Into(new(int)),
		db.Require(errRefused, `
			INSERT INTO password_resets (user_id, hash, created_at) VALUES ($1, $2, $3)
			ON CONFLICT (user_id) DO UPDATE SET hash = $2, created_at = $3, second_at = password_resets.created_at,
			    third_at = password_resets.second_at
			WHERE password_resets.third_at <= $4`,
			reset.UserID, reset.Hash[:], micros(reset.Now), micros(reset.Now.Add(-reset.Within))))
	if errors.Is(err, errRefused) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("add password reset: %w", err)
	}
	return true, nil
}

// ResetLink is a link to set a password.
type ResetLink struct {
	Email string
	// Invited is whether the account waits for its first password.
	Invited bool
	SentAt  time.Time
}

// FindReset returns a user's last link if the hash is its. It returns parley.ErrBadReset if it is not, if the link was
// used, or if the account is disabled.
func (s *Store) FindReset(ctx context.Context, userID int64, hash TokenHash) (link ResetLink, err error) {
	var sentAt int64
	err = s.db.ReadRow(ctx, func(row *sql.Row) error { return row.Scan(&link.Email, &link.Invited, &sentAt) }, `
		SELECT u.email, u.password_hash = '' AND u.sign_on = 0, r.created_at
		FROM password_resets r JOIN users u ON u.id = r.user_id
		WHERE r.user_id = $1 AND r.hash = $2 AND u.disabled_at = 0`, userID, hash[:])
	if errors.Is(err, sql.ErrNoRows) {
		return link, parley.ErrBadReset
	}
	if err != nil {
		return link, fmt.Errorf("find password reset: %w", err)
	}
	link.SentAt = time.UnixMicro(sentAt)
	return link, nil
}

// UseReset recovers an account by a link that is newer than since. It returns parley.ErrBadReset if the link is not
// good or the account was deleted or disabled.
func (s *Store) UseReset(ctx context.Context, hash TokenHash, since time.Time, recovery Recovery) error {
	err := s.db.Change(ctx, recovery.steps(
		db.Require(parley.ErrBadReset, `SELECT 1 FROM users WHERE id = $1 AND disabled_at = 0`+s.db.ForUpdate(),
			recovery.UserID).Into(new(int)),
		db.Require(parley.ErrBadReset, `
			SELECT 1 FROM password_resets WHERE user_id = $1 AND hash = $2 AND created_at > $3`,
			recovery.UserID, hash[:], micros(since)).Into(new(int)))...)
	if err != nil {
		return fmt.Errorf("use password reset: %w", err)
	}
	return nil
}

// noHash is the hash of no link.
func noHash() []byte { return make([]byte, len(TokenHash{})) }

// endReset returns the step that makes a user's last link useless. When it was sent still counts.
func endReset(userID int64) db.Step {
	return db.Do(`UPDATE password_resets SET hash = $2 WHERE user_id = $1`, userID, noHash())
}

// DeleteOldResets deletes the links of before a time.
func (s *Store) DeleteOldResets(ctx context.Context, before time.Time) error {
	err := s.db.Change(ctx, db.Do(`DELETE FROM password_resets WHERE created_at <= $1`, micros(before)))
	if err != nil {
		return fmt.Errorf("delete old password resets: %w", err)
	}
	return nil
}
