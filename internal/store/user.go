package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"parley"
)

// NewUser is an account to be made.
type NewUser struct {
	Email        string
	EmailKey     string // the address as it is compared
	Nickname     string
	PasswordHash string
}

const userColumns = `u.id, u.email, u.nickname, u.avatar, u.created_at, u.disabled_at`

func scanUser(row interface{ Scan(...any) error }, more ...any) (parley.User, error) {
	var u parley.User
	err := row.Scan(append([]any{&u.ID, &u.Email, &u.Nickname, &u.Avatar, &u.CreatedAt, &u.DisabledAt}, more...)...)
	u.CreatedAt, u.DisabledAt = seconds(u.CreatedAt), seconds(u.DisabledAt)
	return u, err
}

// CreateUser makes an account with its first token and returns its id.
// A taken address is parley.ErrEmailTaken.
func (s *Store) CreateUser(ctx context.Context, user NewUser, token NewToken) (int64, error) {
	var id int64
	err := s.change(ctx,
		must(parley.ErrEmailTaken, `
			INSERT INTO users (email, email_key, nickname, password_hash, created_at)
			VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (email_key) DO NOTHING
			RETURNING id`,
			user.Email, user.EmailKey, user.Nickname, user.PasswordHash, micros(token.Now)).into(&id),
		do(`INSERT INTO tokens (hash, id, user_id, client, created_at, expires_at)
			VALUES ($1, $2, (SELECT id FROM users WHERE email_key = $3), $4, $5, $6)`,
			token.Hash[:], token.ID, user.EmailKey, token.Client, micros(token.Now), micros(token.Expires)))
	if err != nil {
		return 0, fmt.Errorf("create user: %w", err)
	}
	return id, nil
}

// UserByEmail finds an account and its password hash by the compared form of its address.
func (s *Store) UserByEmail(ctx context.Context, emailKey string) (parley.User, string, error) {
	return s.user(ctx, `SELECT `+userColumns+`, u.password_hash FROM users u WHERE u.email_key = $1`, emailKey)
}

// UserByID finds an account and its password hash.
func (s *Store) UserByID(ctx context.Context, id int64) (parley.User, string, error) {
	return s.user(ctx, `SELECT `+userColumns+`, u.password_hash FROM users u WHERE u.id = $1`, id)
}

func (s *Store) user(ctx context.Context, query string, key any) (parley.User, string, error) {
	var user parley.User
	var hash string
	err := s.readRow(ctx, func(row *sql.Row) (err error) {
		user, err = scanUser(row, &hash)
		return err
	}, query, key)
	if errors.Is(err, sql.ErrNoRows) {
		return user, "", parley.ErrNoSuchUser
	}
	if err != nil {
		return user, "", fmt.Errorf("find user: %w", err)
	}
	return user, hash, nil
}

// UpdateProfile changes what is not nil and returns the account as it is then.
func (s *Store) UpdateProfile(ctx context.Context, id int64, nickname, avatar *string) (parley.User, error) {
	var user parley.User
	err := s.write(ctx, func(ctx context.Context, q querier) (err error) {
		user, err = scanUser(q.QueryRowContext(ctx, `
			UPDATE users SET nickname = COALESCE($2, nickname), avatar = COALESCE($3, avatar)
			WHERE id = $1 RETURNING id, email, nickname, avatar, created_at, disabled_at`, id, nickname, avatar))
		if errors.Is(err, sql.ErrNoRows) { // the account was deleted meanwhile
			return parley.ErrBadToken
		}
		return err
	})
	if err != nil {
		return user, fmt.Errorf("update profile: %w", err)
	}
	return user, nil
}

// SetPassword changes a password and ends every token of the account but keep. Where it
// is no longer the one that former is the hash of, it is parley.ErrWrongPassword; an
// empty former is any.
func (s *Store) SetPassword(ctx context.Context, id int64, former, passwordHash string, keep TokenHash) error {
	err := s.change(ctx,
		must(parley.ErrWrongPassword, `UPDATE users SET password_hash = $2 WHERE id = $1 AND (password_hash = $3 OR $3 = '')`, id, passwordHash, former),
		do(`DELETE FROM tokens WHERE user_id = $1 AND hash <> $2`, id, keep[:]))
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	return nil
}

// lockSessions locks all sessions of a user that there are.
func (s *Store) lockSessions(userID int64) step {
	return do(`SELECT count(*) FROM (SELECT id FROM sessions WHERE user_id = $1 ORDER BY id`+s.forUpdate()+`) locked`, userID).into(new(int64))
}

// DeleteUser removes an account and all it owns. The bytes of its files are left as intents.
func (s *Store) DeleteUser(ctx context.Context, id int64) error {
	const owned = `session_id IN (SELECT id FROM sessions WHERE user_id = $1)`
	err := s.change(ctx, slices.Concat(
		// With the sessions locked nothing comes into them, with the account locked no
		// session comes. Everybody locks a session before its user; one that came in
		// between is locked last.
		[]step{
			s.lockSessions(id),
			do(`UPDATE users SET session_count = 0 WHERE id = $1`, id),
			s.lockSessions(id),
		},
		abandonFiles(owned, id),
		[]step{
			do(`DELETE FROM search_queue WHERE user_id = $1`, id),
			do(`DELETE FROM users WHERE id = $1`, id),
		})...)
	if err != nil {
		return fmt.Errorf("delete user: %w", err)
	}
	return nil
}
