package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"parley"
	"parley/internal/db"
)

// SecondFactor holds the secrets of a user's one-time codes.
type SecondFactor struct {
	// Secret is empty if the user has no second factor.
	Secret string
	// Pending is the secret of an unconfirmed set-up, or empty.
	Pending string
}

// SecondFactor returns the second factor of a user, or parley.ErrNoSuchUser.
func (s *Store) SecondFactor(ctx context.Context, userID int64) (f SecondFactor, err error) {
	err = s.db.ReadRow(ctx, func(row *sql.Row) error { return row.Scan(&f.Secret, &f.Pending) },
		`SELECT totp_secret, totp_pending FROM users WHERE id = $1`, userID)
	if errors.Is(err, sql.ErrNoRows) {
		return f, parley.ErrNoSuchUser
	}
	if err != nil {
		return f, fmt.Errorf("find second factor: %w", err)
	}
	return f, nil
}

// BeginSecondFactor stores the secret of a set-up, in place of an earlier unconfirmed one. Like AddToken it uses up the
// proof of the user's current second factor. It returns parley.ErrBadToken if the account was deleted.
func (s *Store) BeginSecondFactor(ctx context.Context, userID int64, secret string, proof Proof) error {
	err := s.db.Change(ctx,
		db.Require(parley.ErrBadToken, `UPDATE users SET totp_pending = $2 WHERE id = $1`, userID, secret),
		proof.use(userID))
	if err != nil {
		return fmt.Errorf("begin second factor: %w", err)
	}
	return nil
}

// ConfirmSecondFactor turns on the second factor with the secret of a set-up, in place of a former one with its
// recovery codes. The code of step counts as used. It returns parley.ErrNoSetUp if there is no set-up with the secret.
func (s *Store) ConfirmSecondFactor(
	ctx context.Context, userID int64, secret string, step int64, recovery []TokenHash,
) error {
	steps := []db.Step{
		db.Require(parley.ErrNoSetUp, `
			UPDATE users SET totp_secret = $2, totp_pending = '', totp_step = $3 WHERE id = $1 AND totp_pending = $2`,
			userID, secret, step),
		deleteRecoveryCodes(userID),
	}
	for _, hash := range recovery {
		steps = append(steps,
			db.Do(`INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)`, userID, hash[:]))
	}
	if err := s.db.Change(ctx, steps...); err != nil {
		return fmt.Errorf("confirm second factor: %w", err)
	}
	return nil
}

// RemoveSecondFactor turns the second factor of a user off, if there is one.
func (s *Store) RemoveSecondFactor(ctx context.Context, userID int64) error {
	err := s.db.Change(ctx,
		db.Do(`UPDATE users SET totp_secret = '', totp_pending = '' WHERE id = $1`, userID),
		deleteRecoveryCodes(userID))
	if err != nil {
		return fmt.Errorf("remove second factor: %w", err)
	}
	return nil
}

func deleteRecoveryCodes(userID int64) db.Step {
	return db.Do(`DELETE FROM recovery_codes WHERE user_id = $1`, userID)
}

// Proof is what a request has proved of the second factor. The zero Proof proves nothing.
type Proof struct {
	// Secret is the secret that the code was checked against, and Step is the step of the code.
	Secret string
	Step   int64
	// Recovery is the hash of a recovery code, or nil.
	Recovery *TokenHash
}

// use returns the step that requires a proof and uses it up.
func (p Proof) use(userID int64) db.Step {
	switch {
	case p.Recovery != nil:
		return db.Require(parley.ErrWrongCode, `DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2`,
			userID, p.Recovery[:])
	case p.Secret != "":
		return db.Require(parley.ErrWrongCode, `
			UPDATE users SET totp_step = $3 WHERE id = $1 AND totp_secret = $2 AND totp_step < $3`,
			userID, p.Secret, p.Step)
	default:
		return db.Require(parley.ErrCodeNeeded, `SELECT 1 FROM users WHERE id = $1 AND totp_secret = ''`,
			userID).Into(new(int))
	}
}
