package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/db"
)

// Invitation is an account without a password, and a link to choose it.
type Invitation struct {
	// By is the administrator who invites; 0 is the operator.
	By       int64
	Email    string
	EmailKey string // the form of the address for comparisons
	// Nickname may be empty. Then a new account has DefaultNickname.
	Nickname        string
	DefaultNickname string
	Admin           bool
	Hash            TokenHash
	Now             time.Time
}

// Invite creates an account without a password and stores the link to choose one. If the account was invited before and
// has no password yet, it gets the new link, the role and the nickname. It returns the account's id, or
// parley.ErrEmailTaken if it is in use, parley.ErrDisabled, or ErrNotAdmin. What is noted goes to the audit log in the
// same transaction, with the id of the account.
func (s *Store) Invite(ctx context.Context, in Invitation, noted NewAuditEntry) (int64, error) {
	var id int64
	err := s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		add := s.inviteNew
		err := db.Require(parley.ErrEmailTaken, `
			INSERT INTO emails (email_key) VALUES ($1) ON CONFLICT (email_key) DO NOTHING RETURNING user_id`,
			in.EmailKey).Into(&id).Run(ctx, q)
		if errors.Is(err, parley.ErrEmailTaken) {
			add = s.inviteAgain
			err = db.Require(parley.ErrEmailTaken, `SELECT user_id FROM emails WHERE email_key = $1`,
				in.EmailKey).Into(&id).Run(ctx, q)
		}
		if err != nil {
			return err
		}
		steps := add(id, in)
		if in.Admin {
			steps = append(steps, db.Do(`DELETE FROM admin_claims`))
		}
		noted.UserID = id
		return s.db.RunSteps(ctx, q, append(steps, db.Do(`
			INSERT INTO password_resets (user_id, hash, created_at) VALUES ($1, $2, $3)
			ON CONFLICT (user_id) DO UPDATE SET hash = $2, created_at = $3`, id, in.Hash[:], micros(in.Now)),
			addAuditEntry(noted)))
	})
	if err != nil {
		return 0, fmt.Errorf("invite: %w", err)
	}
	return id, nil
}

// inviteNew returns the steps for an address that no account has.
func (s *Store) inviteNew(id int64, in Invitation) []db.Step {
	return append(s.requireAdmin(in.By, in.By),
		db.Do(`INSERT INTO users (id, email, nickname, password_hash, created_at, admin) VALUES ($1, $2, $3, '', $4, $5)`,
			id, in.Email, cmp.Or(in.Nickname, in.DefaultNickname), micros(in.Now), stored(in.Admin)))
}

// inviteAgain returns the steps for an address that has an account.
func (s *Store) inviteAgain(id int64, in Invitation) []db.Step {
	return slices.Concat(s.requireAdmin(in.By, id), []db.Step{
		db.Require(parley.ErrEmailTaken,
			`SELECT 1 FROM users WHERE id = $1 AND password_hash = '' AND sign_on = 0`+s.db.ForUpdate(), id).Into(new(int)),
		db.Require(parley.ErrDisabled, `SELECT 1 FROM users WHERE id = $1 AND disabled_at = 0`, id).Into(new(int)),
		db.Do(`UPDATE users SET admin = $2, nickname = CASE WHEN $3 = '' THEN nickname ELSE $3 END WHERE id = $1`,
			id, stored(in.Admin), in.Nickname),
	})
}
