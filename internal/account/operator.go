package account

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/casefold"
	"parley/internal/store"
)

// What an operator does to accounts. Each is noted in the log, since nobody's password
// stands for it.

// Find finds the account that an operator names by its id or e-mail address.
func (s *Service) Find(ctx context.Context, name string) (parley.User, error) {
	if userID, err := strconv.ParseInt(name, 10, 64); err == nil {
		user, _, err := s.Store.UserByID(ctx, userID)
		return user, err
	}
	user, _, err := s.Store.UserByEmail(ctx, casefold.Key(strings.TrimSpace(name)))
	return user, err
}

// Disable ends all logins of an account, here and on other replicas, and refuses new ones.
func (s *Service) Disable(ctx context.Context, userID int64) error {
	if err := s.Store.DisableUser(ctx, userID, s.Now()); err != nil {
		return err
	}
	s.audit(ctx, operatorDisabled, userID)
	s.endAll(ctx, userID)
	return nil
}

// Enable lets an account log in again.
func (s *Service) Enable(ctx context.Context, userID int64) error {
	if err := s.Store.EnableUser(ctx, userID); err != nil {
		return err
	}
	s.audit(ctx, operatorEnabled, userID)
	return nil
}

// ResetPassword gives an account another password and ends all its logins.
func (s *Service) ResetPassword(ctx context.Context, userID int64, password string) error {
	if n := utf8.RuneCountInString(password); n < parley.MinPassword || n > parley.MaxPassword || !utf8.ValidString(password) || strings.Contains(password, "\x00") {
		return fmt.Errorf("the password must have %d to %d characters of valid UTF-8", parley.MinPassword, parley.MaxPassword)
	}
	hash, err := s.passwords.hash(ctx, password)
	if err != nil {
		return err
	}
	if err := s.Store.SetPassword(ctx, userID, "", hash, store.TokenHash{}); err != nil { // no token has this hash
		return err
	}
	s.audit(ctx, operatorReset, userID)
	s.endAll(ctx, userID)
	return nil
}

// Remove deletes an account and all it owns.
func (s *Service) Remove(ctx context.Context, userID int64) error {
	if err := s.Store.DeleteUser(ctx, userID); err != nil {
		return err
	}
	s.audit(ctx, operatorDeleted, userID)
	s.endAll(ctx, userID)
	return nil
}

// NewPassword makes up a password: 128 random bits, in letters and digits that are
// hard to confuse.
func NewPassword() string { return strings.ToLower(rand.Text()) }

func (s *Service) endAll(ctx context.Context, userID int64) {
	s.tellEnded(ctx, userID, func(string) bool { return true })
}
