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

// TokenHash is the hash of an access token. The token itself is not stored.
type TokenHash [32]byte

// NewToken is a login to store.
type NewToken struct {
	ID      string
	Hash    TokenHash
	Client  string
	Now     time.Time
	Expires time.Time
	// Proof is of the user's second factor, if there is one.
	Proof Proof
}

// AddToken stores a login after its password was checked against passwordHash. The check takes a while, so it returns
// parley.ErrNoSuchUser, ErrWrongPassword or ErrDisabled if the account was deleted, changed its password or was
// disabled meanwhile. It uses up the proof of the second factor. If the proof is needed and missing or was used before,
// it returns parley.ErrCodeNeeded or ErrWrongCode.
func (s *Store) AddToken(ctx context.Context, userID int64, passwordHash string, token NewToken) error {
	err := s.db.Change(ctx,
		db.Require(parley.ErrNoSuchUser, `SELECT 1 FROM users WHERE id = $1`+s.db.ForUpdate(), userID).Into(new(int)),
		db.Require(parley.ErrWrongPassword, `SELECT 1 FROM users WHERE id = $1 AND password_hash = $2`,
			userID, passwordHash).Into(new(int)),
		db.Require(parley.ErrDisabled, `SELECT 1 FROM users WHERE id = $1 AND disabled_at = 0`, userID).Into(new(int)),
		token.Proof.use(userID),
		addToken(userID, token))
	if err != nil {
		return fmt.Errorf("add token: %w", err)
	}
	return nil
}

func addToken(userID int64, token NewToken) db.Step {
	return db.Do(`INSERT INTO tokens (user_id, hash, id, client, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		userID, token.Hash[:], token.ID, token.Client, micros(token.Now), micros(token.Expires))
}

// UserByToken returns the user of a token, which names the user, and the login's id. It
// returns parley.ErrBadToken if the token is unknown or expired, or if the user is disabled.
func (s *Store) UserByToken(
	ctx context.Context, userID int64, hash TokenHash, now time.Time,
) (parley.User, string, error) {
	var user parley.User
	var tokenID string
	err := s.db.ReadRow(ctx, func(row *sql.Row) (err error) {
		user, err = scanUser(row, &tokenID)
		return err
	}, `
		SELECT `+userColumns+`, t.id FROM tokens t JOIN users u ON u.id = t.user_id
		WHERE t.user_id = $1 AND t.hash = $2 AND t.expires_at > $3 AND u.disabled_at = 0`, userID, hash[:], micros(now))
	if errors.Is(err, sql.ErrNoRows) {
		return user, "", parley.ErrBadToken
	}
	if err != nil {
		return user, "", fmt.Errorf("find token: %w", err)
	}
	return user, tokenID, nil
}

// Tokens returns the logins of an account that have not expired, newest first.
func (s *Store) Tokens(ctx context.Context, userID int64, now time.Time) ([]parley.Token, error) {
	tokens, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (t parley.Token, err error) {
		err = rows.Scan(&t.ID, &t.Client, &t.CreatedAt, &t.ExpiresAt)
		t.CreatedAt, t.ExpiresAt = seconds(t.CreatedAt), seconds(t.ExpiresAt)
		return t, err
	}, `
		SELECT id, client, created_at, expires_at FROM tokens
		WHERE user_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id DESC`, userID, micros(now))
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return tokens, nil
}

// DeleteToken deletes a login and reports whether there was one.
func (s *Store) DeleteToken(ctx context.Context, userID int64, tokenID string) (bool, error) {
	found, err := s.db.ChangeOne(ctx, `DELETE FROM tokens WHERE user_id = $1 AND id = $2`, userID, tokenID)
	if err != nil {
		return false, fmt.Errorf("delete token: %w", err)
	}
	return found, nil
}

// DeleteExpiredTokens deletes the logins that have expired.
func (s *Store) DeleteExpiredTokens(ctx context.Context, now time.Time) error {
	if err := s.db.Change(ctx, db.Do(`DELETE FROM tokens WHERE expires_at <= $1`, micros(now))); err != nil {
		return fmt.Errorf("delete expired tokens: %w", err)
	}
	return nil
}
