package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/db"
)

// Recovery is a new password for an account that somebody else may have used. It ends all that they could go on with:
// logins, keys, sign-ins that are under way, a set-up of a second factor and a link to reset the password.
type Recovery struct {
	UserID       int64
	PasswordHash string
	// SignIns are the codes of the sign-ins, as PendingSignIns returns them.
	SignIns []TokenHash
}

// steps returns the steps of a transaction that requires guard, which must lock the account. Codes are deleted before
// that, as by those who use them.
func (r Recovery) steps(guard ...db.Step) []db.Step {
	var signIns []db.Step
	for _, code := range r.SignIns {
		signIns = append(signIns, db.Do(`DELETE FROM sign_in_codes WHERE hash = $1`, code[:]))
	}
	return slices.Concat(signIns, guard, []db.Step{
		db.Do(`UPDATE users SET password_hash = $2, totp_pending = '' WHERE id = $1`, r.UserID, r.PasswordHash),
		endReset(r.UserID),
	}, endCredentials(r.UserID))
}

// endCredentials returns the steps that delete the logins and keys of an account.
func endCredentials(userID int64) []db.Step {
	return []db.Step{
		db.Do(`DELETE FROM tokens WHERE user_id = $1`, userID),
		db.Do(`DELETE FROM api_keys WHERE user_id = $1`, userID),
	}
}

// ResetPassword sets the password of an account without the former one. An administrator by makes the change; 0 is the
// operator. It returns parley.ErrNoSuchAccount or ErrNotAdmin. What is noted goes to the audit log in the same
// transaction.
func (s *Store) ResetPassword(ctx context.Context, by int64, recovery Recovery, noted ...NewAuditEntry) error {
	guard := append(s.requireAdmin(by, recovery.UserID), db.Require(parley.ErrNoSuchAccount,
		`SELECT 1 FROM users WHERE id = $1`+s.db.ForUpdate(), recovery.UserID).Into(new(int)))
	err := s.db.Change(ctx, append(recovery.steps(guard...), addAuditEntries(noted)...)...)
	if err != nil {
		return fmt.Errorf("reset password: %w", err)
	}
	return nil
}

// PendingSignIns returns the codes of sign-ins to an account that can still be used: those of its identities, and those
// with an address that matches.
func (s *Store) PendingSignIns(
	ctx context.Context, userID int64, now time.Time, match func(email string) bool,
) ([]TokenHash, error) {
	linked, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (i Identity, err error) {
		err = rows.Scan(&i.Issuer, &i.Subject)
		return i, err
	}, `SELECT issuer, subject FROM user_identities WHERE user_id = $1`, userID)
	if err != nil {
		return nil, fmt.Errorf("list identities: %w", err)
	}
	all, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (in SignIn, err error) {
		var code []byte
		err = rows.Scan(&code, &in.Identity.Issuer, &in.Identity.Subject, &in.Email)
		copy(in.Code[:], code)
		return in, err
	}, `SELECT hash, issuer, subject, email FROM sign_in_codes WHERE expires_at > $1 ORDER BY expires_at`,
		micros(now))
	if err != nil {
		return nil, fmt.Errorf("list sign-in codes: %w", err)
	}
	var codes []TokenHash
	for _, in := range all {
		if match(in.Email) || slices.Contains(linked, in.Identity) {
			codes = append(codes, in.Code)
		}
	}
	return codes, nil
}
