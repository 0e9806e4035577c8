package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/search"
)

// NewUser is an account to create.
type NewUser struct {
	Email    string
	EmailKey string // the form of the address for comparisons
	Nickname string
	// PasswordHash is empty if the account has no password.
	PasswordHash string
	// SignIn, if not nil, is linked to the account, and its code is used up.
	SignIn *SignIn
}

const userColumns = `u.id, u.email, u.nickname, u.avatar, u.instructions, u.created_at, u.disabled_at, u.seen_at,
    u.admin, u.sign_on, u.password_hash = '', u.totp_secret <> ''`

func scanUser(row interface{ Scan(...any) error }, more ...any) (parley.User, error) {
	var u parley.User
	var admin int64
	columns := []any{
		&u.ID, &u.Email, &u.Nickname, &u.Avatar, &u.Instructions, &u.CreatedAt, &u.DisabledAt, &u.SeenAt, &admin,
		&u.SignOn, &u.Passwordless, &u.TOTP,
	}
	err := row.Scan(append(columns, more...)...)
	u.CreatedAt, u.DisabledAt, u.SeenAt = seconds(u.CreatedAt), seconds(u.DisabledAt), seconds(u.SeenAt)
	u.Admin = admin == 1
	return u, err
}

// CreateUser stores an account with its first token and returns its id. It returns
// parley.ErrEmailTaken if the address is taken, and parley.ErrBadSignIn if the code of its sign-in is gone.
func (s *Store) CreateUser(ctx context.Context, user NewUser, token NewToken) (int64, error) {
	var id int64
	err := s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		err := db.Require(parley.ErrEmailTaken, `
			INSERT INTO emails (email_key) VALUES ($1) ON CONFLICT (email_key) DO NOTHING RETURNING user_id`,
			user.EmailKey).Into(&id).Run(ctx, q)
		if err != nil {
			return err
		}
		steps := []db.Step{
			db.Do(`INSERT INTO users (id, email, nickname, password_hash, created_at) VALUES ($1, $2, $3, $4, $5)`,
				id, user.Email, user.Nickname, user.PasswordHash, micros(token.Now)),
			addToken(id, token),
		}
		if user.SignIn != nil {
			steps = append(steps, useCode(*user.SignIn, token.Now))
			steps = append(steps, addIdentity(id, user.SignIn.Identity, token)...)
		}
		return s.db.RunSteps(ctx, q, steps)
	})
	if err != nil {
		return 0, fmt.Errorf("create user: %w", err)
	}
	return id, nil
}

// UserByEmail returns an account and its password hash by the EmailKey of its address, or
// parley.ErrNoSuchUser.
func (s *Store) UserByEmail(ctx context.Context, emailKey string) (parley.User, string, error) {
	id, err := db.ReadOne[int64](ctx, s.db, `SELECT user_id FROM emails WHERE email_key = $1`, emailKey)
	if errors.Is(err, sql.ErrNoRows) {
		return parley.User{}, "", parley.ErrNoSuchUser
	}
	if err != nil {
		return parley.User{}, "", fmt.Errorf("find user: %w", err)
	}
	return s.UserByID(ctx, id)
}

// UserByID returns an account and its password hash, or parley.ErrNoSuchUser.
func (s *Store) UserByID(ctx context.Context, id int64) (parley.User, string, error) {
	var user parley.User
	var hash string
	err := s.db.ReadRow(ctx, func(row *sql.Row) (err error) {
		user, err = scanUser(row, &hash)
		return err
	}, `SELECT `+userColumns+`, u.password_hash FROM users u WHERE u.id = $1`, id)
	if errors.Is(err, sql.ErrNoRows) {
		return user, "", parley.ErrNoSuchUser
	}
	if err != nil {
		return user, "", fmt.Errorf("find user: %w", err)
	}
	return user, hash, nil
}

// Users returns up to limit accounts with ids above after, in order of their ids.
func (s *Store) Users(ctx context.Context, after int64, limit int) ([]parley.User, error) {
	users, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (parley.User, error) { return scanUser(rows) }, `
		SELECT `+userColumns+` FROM users u WHERE u.id > $1 ORDER BY u.id LIMIT CAST($2 AS BIGINT)`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	return users, nil
}

// UpdateProfile changes the fields that are not nil and returns the changed account, or
// parley.ErrBadToken if it was deleted.
func (s *Store) UpdateProfile(ctx context.Context, id int64, change parley.ProfileInput) (parley.User, error) {
	var user parley.User
	err := s.db.Write(ctx, func(ctx context.Context, q db.Querier) (err error) {
		user, err = scanUser(q.QueryRowContext(ctx, `
			UPDATE users SET nickname = COALESCE($2, nickname), avatar = COALESCE($3, avatar),
			    instructions = COALESCE($4, instructions)
			WHERE id = $1
			RETURNING id, email, nickname, avatar, instructions, created_at, disabled_at, seen_at, admin,
			    sign_on, password_hash = '', totp_secret <> ''`,
			id, change.Nickname, change.Avatar, change.Instructions))
		if errors.Is(err, sql.ErrNoRows) {
			return parley.ErrBadToken
		}
		return err
	})
	if err != nil {
		return user, fmt.Errorf("update profile: %w", err)
	}
	return user, nil
}

// SetPassword changes a password, deletes every token of the account but keep, and ends a link to reset it. It
// returns parley.ErrWrongPassword if former is not the current hash.
func (s *Store) SetPassword(ctx context.Context, id int64, former, passwordHash string, keep TokenHash) error {
	err := s.db.Change(ctx,
		db.Require(parley.ErrWrongPassword, `UPDATE users SET password_hash = $2 WHERE id = $1 AND password_hash = $3`,
			id, passwordHash, former),
		db.Do(`DELETE FROM tokens WHERE user_id = $1 AND hash <> $2`, id, keep[:]),
		endReset(id))
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	return nil
}

// SetSeen stores when an account was last used, unless a later time is stored.
func (s *Store) SetSeen(ctx context.Context, userID int64, now time.Time) error {
	err := s.db.Change(ctx,
		db.Do(`UPDATE users SET seen_at = $2 WHERE id = $1 AND seen_at < $2`, userID, micros(now)))
	if err != nil {
		return fmt.Errorf("set when an account was used: %w", err)
	}
	return nil
}

// DisableUser deletes an account's logins and keys, ends its link to set a password, and prevents new ones. now is
// stored as the time of the change, unless the account is disabled already. An administrator by makes the change; 0 is
// the operator. It returns parley.ErrNoSuchAccount or ErrNotAdmin. What is noted goes to the audit log in the same
// transaction.
func (s *Store) DisableUser(ctx context.Context, by, userID int64, now time.Time, noted ...NewAuditEntry) error {
	err := s.db.Change(ctx, slices.Concat(s.requireAdmin(by, userID), []db.Step{
		db.Require(parley.ErrNoSuchAccount, `
			UPDATE users SET disabled_at = CASE WHEN disabled_at = 0 THEN $2 ELSE disabled_at END WHERE id = $1`,
			userID, micros(now)),
		endReset(userID),
	}, endCredentials(userID), addAuditEntries(noted))...)
	if err != nil {
		return fmt.Errorf("disable user: %w", err)
	}
	return nil
}

// EnableUser allows an account to log in again, or returns parley.ErrNoSuchAccount. What is noted goes to the audit log
// in the same transaction.
func (s *Store) EnableUser(ctx context.Context, userID int64, noted ...NewAuditEntry) error {
	err := s.db.Change(ctx, append([]db.Step{
		db.Require(parley.ErrNoSuchAccount, `UPDATE users SET disabled_at = 0 WHERE id = $1`, userID),
	}, addAuditEntries(noted)...)...)
	if err != nil {
		return fmt.Errorf("enable user: %w", err)
	}
	return nil
}

// DeleteUser deletes the account with an id and the EmailKey of its address, and all it
// owns, except for its entries of the audit log. The bytes of its files become intents. What is noted goes to the audit
// log in the same transaction.
func (s *Store) DeleteUser(ctx context.Context, id int64, emailKey string, noted ...NewAuditEntry) error {
	for {
		identities, err := s.identitiesOf(ctx, id)
		if err == nil {
			err = s.deleteUser(ctx, id, emailKey, identities, noted)
		}
		if errors.Is(err, errLinked) {
			continue
		}
		if err != nil {
			return fmt.Errorf("delete user: %w", err)
		}
		s.deleted.Store(true)
		return nil
	}
}

// deleteUser deletes an account that has the given identities. It returns errLinked if it has others.
func (s *Store) deleteUser(
	ctx context.Context, id int64, emailKey string, identities [][]byte, noted []NewAuditEntry,
) error {
	return s.db.Change(ctx, slices.Concat(
		// While the sessions are locked nothing is added to them, and while the account is
		// locked no session and no identity is added. All transactions lock a session before
		// its user, so a session that was added in between is locked last.
		[]db.Step{
			s.search.LockSessions(id),
			db.Do(`UPDATE users SET session_count = 0 WHERE id = $1`, id),
			s.search.LockSessions(id),
		},
		dropIdentities(id, identities),
		deleteFiles(nil, `user_id = $1`, id),
		deleteShares(nil, `user_id = $1`, id),
		[]db.Step{
			addIntents(`SELECT i.user_id, i.file_id, 0 FROM imports i WHERE i.user_id = $1 AND i.ended_at = 0`, id),
			search.RemoveUser(id),
			db.Do(`DELETE FROM users WHERE id = $1`, id),
			db.Do(`DELETE FROM emails WHERE email_key = $1 AND user_id = $2`, emailKey, id),
		},
		addAuditEntries(noted))...)
}
