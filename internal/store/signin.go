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

// BegunSignIn is a sign-in while its browser is at the provider.
type BegunSignIn struct {
	// State and Browser are the hashes of the state and of the browser's cookie.
	State, Browser TokenHash
	Nonce          string
	Verifier       string
	Expires        time.Time
}

// SignIn is a user of a provider. The user's page has a code to log in with.
type SignIn struct {
	// Code is the hash of the code.
	Code     TokenHash
	Identity Identity
	Email    string
	Nickname string
	// Link is set if the account with the address is linked after its password.
	Link    bool
	Expires time.Time
}

// AddBegunSignIn stores a sign-in that has begun. If there are more than limit, the oldest are removed: they are made
// without a login.
func (s *Store) AddBegunSignIn(ctx context.Context, begun BegunSignIn, limit int) error {
	err := s.db.Change(ctx,
		db.Do(`INSERT INTO sign_ins (hash, browser, nonce, verifier, expires_at) VALUES ($1, $2, $3, $4, $5)`,
			begun.State[:], begun.Browser[:], begun.Nonce, begun.Verifier, micros(begun.Expires)),
		db.Do(`DELETE FROM sign_ins WHERE expires_at <= (
			SELECT expires_at FROM sign_ins ORDER BY expires_at DESC LIMIT 1 OFFSET CAST($1 AS BIGINT))`, limit))
	if err != nil {
		return fmt.Errorf("add sign-in: %w", err)
	}
	return nil
}

// TakeBegunSignIn removes the sign-in that a browser has begun and returns it. It returns parley.ErrBadSignIn if it
// does not exist or has expired, or if another browser has begun it.
func (s *Store) TakeBegunSignIn(ctx context.Context, state, browser TokenHash, now time.Time) (BegunSignIn, error) {
	begun := BegunSignIn{State: state, Browser: browser}
	err := s.db.Change(ctx, db.Require(parley.ErrBadSignIn, `
		DELETE FROM sign_ins WHERE hash = $1 AND browser = $2 AND expires_at > $3 RETURNING nonce, verifier`,
		state[:], browser[:], micros(now)).Into(&begun.Nonce, &begun.Verifier))
	if err != nil {
		return BegunSignIn{}, fmt.Errorf("take sign-in: %w", err)
	}
	return begun, nil
}

// AddSignIn stores what a provider has said about a user, until the code is used or expires.
func (s *Store) AddSignIn(ctx context.Context, in SignIn) error {
	link := 0
	if in.Link {
		link = 1
	}
	err := s.db.Change(ctx, db.Do(`
		INSERT INTO sign_in_codes (hash, issuer, subject, email, nickname, link, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		in.Code[:], in.Identity.Issuer, in.Identity.Subject, in.Email, in.Nickname, link, micros(in.Expires)))
	if err != nil {
		return fmt.Errorf("add sign-in code: %w", err)
	}
	return nil
}

// FindSignIn returns the sign-in of a code, without the hash of its identity, or parley.ErrBadSignIn.
func (s *Store) FindSignIn(ctx context.Context, code TokenHash, now time.Time) (SignIn, error) {
	in := SignIn{Code: code}
	err := s.db.ReadRow(ctx, func(row *sql.Row) error {
		return row.Scan(&in.Identity.Issuer, &in.Identity.Subject, &in.Email, &in.Nickname, &in.Link)
	}, `
		SELECT issuer, subject, email, nickname, link FROM sign_in_codes WHERE hash = $1 AND expires_at > $2`,
		code[:], micros(now))
	if errors.Is(err, sql.ErrNoRows) {
		return in, parley.ErrBadSignIn
	}
	if err != nil {
		return in, fmt.Errorf("find sign-in code: %w", err)
	}
	return in, nil
}

// useCode removes the code of a sign-in. The transaction returns parley.ErrBadSignIn if it is gone.
func useCode(in SignIn, now time.Time) db.Step {
	return db.Require(parley.ErrBadSignIn, `DELETE FROM sign_in_codes WHERE hash = $1 AND expires_at > $2`,
		in.Code[:], micros(now))
}

// DeleteExpiredSignIns deletes the sign-ins and codes that have expired.
func (s *Store) DeleteExpiredSignIns(ctx context.Context, now time.Time) error {
	err := s.db.Change(ctx,
		db.Do(`DELETE FROM sign_ins WHERE expires_at <= $1`, micros(now)),
		db.Do(`DELETE FROM sign_in_codes WHERE expires_at <= $1`, micros(now)))
	if err != nil {
		return fmt.Errorf("delete expired sign-ins: %w", err)
	}
	return nil
}
