package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/db"
)

// ErrNotAdmin is returned if the user who makes a change is not an administrator any more.
var ErrNotAdmin = errors.New("not an administrator")

// HasAdmin reports whether there is an administrator.
func (s *Store) HasAdmin(ctx context.Context) (found bool, err error) {
	err = s.db.Read(ctx, func(ctx context.Context, q db.Querier) (err error) {
		found, err = hasAdmin(ctx, q)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("find administrators: %w", err)
	}
	return found, nil
}

func hasAdmin(ctx context.Context, q db.Querier) (bool, error) {
	var admins int64
	err := q.QueryRowContext(ctx, `SELECT count(*) FROM users WHERE admin = 1`).Scan(&admins)
	return admins > 0, err
}

// NewClaim is a code that makes a user the first administrator.
type NewClaim struct {
	Hash    TokenHash
	Owner   string // the process that knows the code
	Now     time.Time
	Expires time.Time
}

// OfferClaim stores a claim and reports whether it did. It does not if there is an administrator, or if another owner
// with a lease has offered a claim that has not expired.
func (s *Store) OfferClaim(ctx context.Context, claim NewClaim) (offered bool, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		offered = false
		if found, err := hasAdmin(ctx, q); err != nil || found {
			return err
		}
		_, err := db.Exec(ctx, q, `
			DELETE FROM admin_claims WHERE expires_at <= $1
			OR owner NOT IN (SELECT id FROM owners WHERE lease_until > `+s.db.Now()+`)`, micros(claim.Now))
		if err != nil {
			return err
		}
		n, err := db.Exec(ctx, q, `
			INSERT INTO admin_claims (id, hash, owner, expires_at) VALUES (1, $1, $2, $3) ON CONFLICT (id) DO NOTHING`,
			claim.Hash[:], claim.Owner, micros(claim.Expires))
		offered = n > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("offer a claim: %w", err)
	}
	return offered, nil
}

// Claim makes a user an administrator and removes the claim. It returns parley.ErrWrongClaim if hash is not that of
// the claim, if it has expired, or if there is an administrator. What is noted goes to the audit log in the same
// transaction.
func (s *Store) Claim(
	ctx context.Context, userID int64, hash TokenHash, now time.Time, noted ...NewAuditEntry,
) error {
	err := s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		// Of two transactions, the second one waits here until the row is gone.
		err := db.Require(parley.ErrWrongClaim, `DELETE FROM admin_claims WHERE hash = $1 AND expires_at > $2`,
			hash[:], micros(now)).Run(ctx, q)
		if err != nil {
			return err
		}
		found, err := hasAdmin(ctx, q)
		if err != nil {
			return err
		}
		if found {
			return parley.ErrWrongClaim
		}
		return s.db.RunSteps(ctx, q, append([]db.Step{
			db.Require(parley.ErrBadToken, `UPDATE users SET admin = 1 WHERE id = $1 AND disabled_at = 0`, userID),
		}, addAuditEntries(noted)...))
	})
	if err != nil {
		return fmt.Errorf("claim: %w", err)
	}
	return nil
}

// SetAdmin makes a user an administrator, or takes that away. An administrator by makes the change; 0 is the operator.
// It returns parley.ErrNoSuchAccount or ErrNotAdmin. What is noted goes to the audit log in the same transaction.
func (s *Store) SetAdmin(ctx context.Context, by, userID int64, admin bool, noted ...NewAuditEntry) error {
	steps := append(s.requireAdmin(by, userID),
		db.Require(parley.ErrNoSuchAccount, `UPDATE users SET admin = $2 WHERE id = $1`, userID, stored(admin)))
	if admin {
		steps = append(steps, db.Do(`DELETE FROM admin_claims`))
	}
	if err := s.db.Change(ctx, append(steps, addAuditEntries(noted)...)...); err != nil {
		return fmt.Errorf("set administrator: %w", err)
	}
	return nil
}

// requireAdmin requires that the user who changes another one is an administrator, unless by is 0. Both are locked: two
// administrators must not remove each other. They are locked in the order of their ids: two transactions must not wait
// for each other.
func (s *Store) requireAdmin(by, userID int64) (steps []db.Step) {
	if by == 0 {
		return nil
	}
	ids := []int64{by, userID}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		steps = append(steps, db.Do(`SELECT 1 FROM users WHERE id = $1`+s.db.ForUpdate(), id))
	}
	return append(steps, db.Require(ErrNotAdmin,
		`SELECT 1 FROM users WHERE id = $1 AND admin = 1 AND disabled_at = 0`, by).Into(new(int)))
}
