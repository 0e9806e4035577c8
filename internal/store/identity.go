package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"parley"
	"parley/internal/db"
)

// Identity is a user at a provider of OpenID Connect.
type Identity struct {
	// Hash is the hash of issuer and subject together.
	Hash    TokenHash
	Issuer  string
	Subject string
}

// Link is an identity to link to an account.
type Link struct {
	SignIn SignIn
	// PasswordHash is what the account's password was checked against. If it is empty, the account is linked without
	// its password: then the password, the logins, the keys and the link to set a password that it has are removed,
	// because whoever registered the address may not be its owner.
	PasswordHash string
	Token        NewToken
}

// UserByIdentity returns the account that an identity is linked to, or parley.ErrNoSuchUser.
func (s *Store) UserByIdentity(ctx context.Context, hash TokenHash) (parley.User, error) {
	id, err := db.ReadOne[int64](ctx, s.db, `SELECT user_id FROM identities WHERE hash = $1`, hash[:])
	if errors.Is(err, sql.ErrNoRows) {
		return parley.User{}, parley.ErrNoSuchUser
	}
	if err != nil {
		return parley.User{}, fmt.Errorf("find identity: %w", err)
	}
	user, _, err := s.UserByID(ctx, id)
	return user, err
}

// LogInByIdentity stores a login for a sign-in and uses up its code. It returns parley.ErrBadSignIn if the code is
// gone, and parley.ErrNoSuchUser or ErrDisabled if the account is not linked to the identity or is disabled.
func (s *Store) LogInByIdentity(ctx context.Context, userID int64, in SignIn, token NewToken) error {
	err := s.db.Change(ctx,
		useCode(in, token.Now),
		db.Require(parley.ErrNoSuchUser, `SELECT 1 FROM users WHERE id = $1`+s.db.ForUpdate(), userID).Into(new(int)),
		db.Require(parley.ErrNoSuchUser, `SELECT 1 FROM user_identities WHERE user_id = $1 AND hash = $2`,
			userID, in.Identity.Hash[:]).Into(new(int)),
		db.Require(parley.ErrDisabled, `SELECT 1 FROM users WHERE id = $1 AND disabled_at = 0`, userID).Into(new(int)),
		addToken(userID, token))
	if err != nil {
		return fmt.Errorf("log in by identity: %w", err)
	}
	return nil
}

// LinkIdentity links an account to the identity of a sign-in, uses up the code, and logs the account in. It returns
// parley.ErrBadSignIn if the code is gone or the identity is linked. If the link has a password it uses up the proof of
// the second factor, and otherwise returns the errors of AddToken.
func (s *Store) LinkIdentity(ctx context.Context, userID int64, link Link) error {
	steps := []db.Step{
		useCode(link.SignIn, link.Token.Now),
		db.Require(parley.ErrNoSuchUser, `SELECT 1 FROM users WHERE id = $1`+s.db.ForUpdate(), userID).Into(new(int)),
		db.Require(parley.ErrDisabled, `SELECT 1 FROM users WHERE id = $1 AND disabled_at = 0`, userID).Into(new(int)),
	}
	if link.PasswordHash != "" {
		steps = append(steps, db.Require(parley.ErrWrongPassword,
			`SELECT 1 FROM users WHERE id = $1 AND password_hash = $2`, userID, link.PasswordHash).Into(new(int)),
			link.Token.Proof.use(userID))
	} else {
		steps = append(steps,
			db.Do(`UPDATE users SET password_hash = '', totp_secret = '', totp_pending = '' WHERE id = $1`, userID),
			deleteRecoveryCodes(userID), endReset(userID))
		steps = append(steps, endCredentials(userID)...)
	}
	steps = append(steps, addIdentity(userID, link.SignIn.Identity, link.Token)...)
	if err := s.db.Change(ctx, append(steps, addToken(userID, link.Token))...); err != nil {
		return fmt.Errorf("link identity: %w", err)
	}
	return nil
}

// addIdentity links an account, which is locked or new, to an identity. The transaction returns parley.ErrBadSignIn if
// another account has it.
func addIdentity(userID int64, identity Identity, token NewToken) []db.Step {
	return []db.Step{
		db.Insert(parley.ErrBadSignIn, `INSERT INTO identities (hash, user_id) VALUES ($1, $2)`, identity.Hash[:], userID),
		db.Do(`INSERT INTO user_identities (user_id, hash, issuer, subject, created_at) VALUES ($1, $2, $3, $4, $5)`,
			userID, identity.Hash[:], identity.Issuer, identity.Subject, micros(token.Now)),
		db.Do(`UPDATE users SET sign_on = 1 WHERE id = $1`, userID),
	}
}

// errLinked means that an account was linked to another identity meanwhile.
var errLinked = errors.New("the account was linked to another identity")

// identitiesOf returns the hashes of an account's identities.
func (s *Store) identitiesOf(ctx context.Context, userID int64) ([][]byte, error) {
	return db.ReadList(ctx, s.db, db.ScanOne[[]byte], `SELECT hash FROM user_identities WHERE user_id = $1`, userID)
}

// dropIdentities removes the identities of a locked account. The transaction returns errLinked if the account has
// others.
func dropIdentities(userID int64, hashes [][]byte) []db.Step {
	steps := []db.Step{db.Require(errLinked, `
		SELECT 1 WHERE (SELECT count(*) FROM user_identities WHERE user_id = $1) = CAST($2 AS BIGINT)`,
		userID, len(hashes)).Into(new(int))}
	for _, hash := range hashes {
		steps = append(steps, db.Do(`DELETE FROM identities WHERE hash = $1`, hash))
	}
	return steps
}
