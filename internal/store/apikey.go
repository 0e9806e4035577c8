package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/db"
)

// NewAPIKey is a key of a user to store.
type NewAPIKey struct {
	UserID int64
	// TokenID is the login that makes the key.
	TokenID string
	ID      string
	Hash    TokenHash
	Name    string
	Scopes  []parley.Scope
	Now     time.Time
	// Expires is zero if the key has no end.
	Expires time.Time
	// MaxKeys is how many keys the user may have.
	MaxKeys int64
}

// AddAPIKey stores a key. It returns parley.ErrTooManyKeys if the user has as many as allowed, and
// parley.ErrBadToken if the login that makes it was ended meanwhile, or the account was deleted or disabled.
func (s *Store) AddAPIKey(ctx context.Context, key NewAPIKey) error {
	expires := int64(0)
	if !key.Expires.IsZero() {
		expires = micros(key.Expires)
	}
	err := s.db.Change(ctx,
		// The user is locked. Otherwise two keys could exceed the limit together.
		db.Require(parley.ErrBadToken, `SELECT 1 FROM users WHERE id = $1 AND disabled_at = 0`+s.db.ForUpdate(),
			key.UserID).Into(new(int)),
		db.Require(parley.ErrBadToken, `SELECT 1 FROM tokens WHERE user_id = $1 AND id = $2`,
			key.UserID, key.TokenID).Into(new(int)),
		db.Require(parley.ErrTooManyKeys, `
			SELECT 1 WHERE (SELECT count(*) FROM api_keys WHERE user_id = $1 AND (expires_at = 0 OR expires_at > $2))
			    < CAST($3 AS BIGINT)`, key.UserID, micros(key.Now), key.MaxKeys).Into(new(int)),
		db.Do(`
			INSERT INTO api_keys (user_id, hash, id, name, scopes, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			key.UserID, key.Hash[:], key.ID, key.Name, joinScopes(key.Scopes), micros(key.Now), expires))
	if err != nil {
		return fmt.Errorf("add key: %w", err)
	}
	return nil
}

// UserByAPIKey returns the user of a key, which names the user, and the key. It returns parley.ErrBadToken if the key
// is unknown or expired, or if the user is disabled.
func (s *Store) UserByAPIKey(
	ctx context.Context, userID int64, hash TokenHash, now time.Time,
) (user parley.User, key parley.Key, err error) {
	var scopes string
	err = s.db.ReadRow(ctx, func(row *sql.Row) (err error) {
		user, err = scanUser(row, &key.KeyID, &key.Name, &scopes, &key.CreatedAt, &key.LastUsed, &key.ExpiresAt)
		return err
	}, `
		SELECT `+userColumns+`, `+apiKeyColumns+` FROM api_keys k JOIN users u ON u.id = k.user_id
		WHERE k.user_id = $1 AND k.hash = $2 AND u.disabled_at = 0`, userID, hash[:])
	if errors.Is(err, sql.ErrNoRows) || err == nil && hasExpired(key.ExpiresAt, now) {
		return parley.User{}, parley.Key{}, parley.ErrBadToken
	}
	if err != nil {
		return parley.User{}, parley.Key{}, fmt.Errorf("find key: %w", err)
	}
	return user, readAPIKey(key, scopes), nil
}

// apiKeyColumns are the columns of a parley.Key.
const apiKeyColumns = `k.id, k.name, k.scopes, k.created_at, k.last_used_at, k.expires_at`

// readAPIKey completes a key that was scanned.
func readAPIKey(key parley.Key, scopes string) parley.Key {
	key.Scopes = splitScopes(scopes)
	key.CreatedAt, key.LastUsed, key.ExpiresAt = seconds(key.CreatedAt), seconds(key.LastUsed), seconds(key.ExpiresAt)
	return key
}

// APIKeys returns the keys of an account that have not expired, newest first.
func (s *Store) APIKeys(ctx context.Context, userID int64, now time.Time) ([]parley.Key, error) {
	keys, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (key parley.Key, err error) {
		var scopes string
		err = rows.Scan(&key.KeyID, &key.Name, &scopes, &key.CreatedAt, &key.LastUsed, &key.ExpiresAt)
		return readAPIKey(key, scopes), err
	}, `
		SELECT `+apiKeyColumns+` FROM api_keys k WHERE k.user_id = $1 AND (k.expires_at = 0 OR k.expires_at > $2)
		ORDER BY k.created_at DESC, k.id DESC`, userID, micros(now))
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return keys, nil
}

// SetAPIKeyUsed stores when a key was last used, unless a later time is stored.
func (s *Store) SetAPIKeyUsed(ctx context.Context, userID int64, keyID string, now time.Time) error {
	err := s.db.Change(ctx, db.Do(`
		UPDATE api_keys SET last_used_at = $3 WHERE user_id = $1 AND id = $2 AND last_used_at < $3`,
		userID, keyID, micros(now)))
	if err != nil {
		return fmt.Errorf("set when a key was used: %w", err)
	}
	return nil
}

// DeleteAPIKey deletes a key and reports whether there was one.
func (s *Store) DeleteAPIKey(ctx context.Context, userID int64, keyID string) (bool, error) {
	found, err := s.db.ChangeOne(ctx, `DELETE FROM api_keys WHERE user_id = $1 AND id = $2`, userID, keyID)
	if err != nil {
		return false, fmt.Errorf("delete key: %w", err)
	}
	return found, nil
}

// DeleteExpiredAPIKeys deletes the keys that have expired.
func (s *Store) DeleteExpiredAPIKeys(ctx context.Context, now time.Time) error {
	err := s.db.Change(ctx, db.Do(`DELETE FROM api_keys WHERE expires_at > 0 AND expires_at <= $1`, micros(now)))
	if err != nil {
		return fmt.Errorf("delete expired keys: %w", err)
	}
	return nil
}

// Credentials returns the ids of the logins and keys of an account that have not expired.
func (s *Store) Credentials(ctx context.Context, userID int64, now time.Time) ([]string, error) {
	ids, err := db.ReadList(ctx, s.db, db.ScanOne[string], `
		SELECT id FROM tokens WHERE user_id = $1 AND expires_at > $2
		UNION ALL
		SELECT id FROM api_keys WHERE user_id = $1 AND (expires_at = 0 OR expires_at > $2)`, userID, micros(now))
	if err != nil {
		return nil, fmt.Errorf("list credentials: %w", err)
	}
	return ids, nil
}

func joinScopes(scopes []parley.Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return strings.Join(names, ",")
}

func splitScopes(joined string) []parley.Scope {
	names := strings.Split(joined, ",")
	scopes := make([]parley.Scope, len(names))
	for i, name := range names {
		scopes[i] = parley.Scope(name)
	}
	return scopes
}
