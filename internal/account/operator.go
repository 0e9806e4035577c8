package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/casefold"
	"parley/internal/store"
)

// The methods in this file are for operators. They need no password, and every change is audited.

// Find returns the account with the given id or e-mail address.
func (s *Service) Find(ctx context.Context, name string) (parley.User, error) {
	if userID, err := strconv.ParseInt(name, 10, 64); err == nil {
		user, _, err := s.store.UserByID(ctx, userID)
		return user, err
	}
	user, _, err := s.store.UserByEmail(ctx, casefold.Key(strings.TrimSpace(name)))
	return user, err
}

// Disable ends all logins and keys of an account, on all replicas, and refuses new ones.
func (s *Service) Disable(ctx context.Context, userID int64) error {
	if err := s.store.DisableUser(ctx, userID, s.now()); err != nil {
		return err
	}
	s.audit(ctx, eventOperatorDisable, userID)
	s.endAllStreams(ctx, userID)
	return nil
}

// Enable allows a disabled account to log in again.
func (s *Service) Enable(ctx context.Context, userID int64) error {
	if err := s.store.EnableUser(ctx, userID); err != nil {
		return err
	}
	s.audit(ctx, eventOperatorEnable, userID)
	return nil
}

// ResetPassword sets the password of an account and ends all its logins. Keys stay.
func (s *Service) ResetPassword(ctx context.Context, userID int64, password string) error {
	n := utf8.RuneCountInString(password)
	if n < parley.MinPassword || n > parley.MaxPassword ||
		!utf8.ValidString(password) || strings.Contains(password, "\x00") {
		return fmt.Errorf("the password must have %d to %d characters of valid UTF-8",
			parley.MinPassword, parley.MaxPassword)
	}
	hash, err := s.passwords.hash(ctx, password, netip.Addr{})
	if err != nil {
		return err
	}
	keepNone := store.TokenHash{} // no token has this hash
	if err := s.store.SetPassword(ctx, userID, "", hash, keepNone); err != nil {
		return err
	}
	s.audit(ctx, eventOperatorReset, userID)
	s.endStreams(ctx, userID, func(c credential) bool { return !c.key })
	return nil
}

// TurnOffSecondFactor lets an account log in without its second factor, which its user has lost.
func (s *Service) TurnOffSecondFactor(ctx context.Context, userID int64) error {
	if err := s.store.RemoveSecondFactor(ctx, userID); err != nil {
		return err
	}
	s.audit(ctx, eventOperatorSecondFactorOff, userID)
	return nil
}

// SetQuota sets what an account may use in a day: limits, parley.QuotaNone or parley.QuotaDefault. It returns them as
// they are stored.
func (s *Service) SetQuota(ctx context.Context, userID int64, quota string) (string, error) {
	own := ""
	if quota != parley.QuotaDefault {
		parsed, err := parley.ParseQuota(quota)
		if err != nil {
			return "", err
		}
		own = parsed.String()
	}
	if err := s.store.SetQuota(ctx, userID, own); err != nil {
		return "", err
	}
	own = cmp.Or(own, parley.QuotaDefault)
	s.audit(ctx, eventOperatorQuota, userID, slog.String("quota", own))
	return own, nil
}

// Remove deletes an account and all it owns, without its password.
func (s *Service) Remove(ctx context.Context, userID int64) error {
	user, _, err := s.store.UserByID(ctx, userID)
	if errors.Is(err, parley.ErrNoSuchUser) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.store.DeleteUser(ctx, userID, casefold.Key(user.Email)); err != nil {
		return err
	}
	s.audit(ctx, eventOperatorDelete, userID)
	s.endAllStreams(ctx, userID)
	return nil
}

// NewPassword returns a random password of 128 bits, in letters and digits that are hard
// to confuse.
func NewPassword() string { return strings.ToLower(rand.Text()) }
