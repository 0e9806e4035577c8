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

// The methods in this file are for operators. They need no password. Every change is audited, in its own transaction.

// operate makes a change of an operator. The change gets its entry of the audit log, to store it in the same
// transaction.
func (s *Service) operate(
	ctx context.Context, what event, userID int64, change func(noted store.NewAuditEntry) error, more ...slog.Attr,
) error {
	entry := s.newEntry(what, userID, more...)
	entry.ActorID = parley.ActorShell
	if err := change(entry); err != nil {
		return err
	}
	s.logEntry(ctx, what, userID, more...)
	return nil
}

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
	err := s.operate(ctx, eventOperatorDisable, userID, func(noted store.NewAuditEntry) error {
		return s.store.DisableUser(ctx, userID, s.now(), noted)
	})
	if err != nil {
		return err
	}
	s.endAllStreams(ctx, userID)
	return nil
}

// Enable allows a disabled account to log in again.
func (s *Service) Enable(ctx context.Context, userID int64) error {
	return s.operate(ctx, eventOperatorEnable, userID, func(noted store.NewAuditEntry) error {
		return s.store.EnableUser(ctx, userID, noted)
	})
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
	err = s.operate(ctx, eventOperatorReset, userID, func(noted store.NewAuditEntry) error {
		return s.store.SetPassword(ctx, userID, "", hash, keepNone, noted)
	})
	if err != nil {
		return err
	}
	s.endStreams(ctx, userID, func(c credential) bool { return !c.key })
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
	shown := cmp.Or(own, parley.QuotaDefault)
	err := s.operate(ctx, eventOperatorQuota, userID, func(noted store.NewAuditEntry) error {
		return s.store.SetQuota(ctx, userID, own, noted)
	}, slog.String("quota", shown))
	return shown, err
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
	err = s.operate(ctx, eventOperatorDelete, userID, func(noted store.NewAuditEntry) error {
		return s.store.DeleteUser(ctx, userID, casefold.Key(user.Email), noted)
	})
	if err != nil {
		return err
	}
	s.endAllStreams(ctx, userID)
	return nil
}

// NewPassword returns a random password of 128 bits, in letters and digits that are hard
// to confuse.
func NewPassword() string { return strings.ToLower(rand.Text()) }
