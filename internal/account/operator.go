package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/casefold"
	"parley/internal/language"
	"parley/internal/store"
)

// The methods in this file are for operators: administrators, and commands on the server's machine. They need no
// password. Every change is audited, in its own transaction.

// ErrNotAdmin is returned if the administrator who makes a change was demoted meanwhile.
var ErrNotAdmin = store.ErrNotAdmin

// Operator is who changes an account of somebody else.
type Operator struct {
	adminID int64 // 0 is a command
	from    Caller
	written language.Language
}

// Writing returns the operator with the language of the mails to the accounts. Otherwise they are in English.
func (by Operator) Writing(written language.Language) Operator {
	by.written = written
	return by
}

// Administrator returns the operator of an administrator's request.
func Administrator(who *Identity, from Caller) Operator {
	return Operator{adminID: who.User.ID, from: from}
}

// Shell returns the operator of a command.
func Shell() Operator { return Operator{} }

// attrs describes the operator to the audit log.
func (by Operator) attrs(more ...slog.Attr) []slog.Attr {
	if by.adminID == 0 {
		return append(more, slog.Int64("actor", parley.ActorShell))
	}
	return append(append(by.from.attrs(), more...), slog.Int64("actor", by.adminID))
}

// checkOther returns parley.ErrOwnAccount for the account of the administrator. One administrator always remains, and a
// stolen token does not set its owner's password.
func (by Operator) checkOther(userID int64) error {
	if by.adminID == userID {
		return parley.ErrOwnAccount
	}
	return nil
}

// operate makes a change. The change gets its entry of the audit log, to store it in the same transaction.
func (s *Service) operate(
	ctx context.Context, what event, userID int64, attrs []slog.Attr, change func(noted store.NewAuditEntry) error,
) error {
	if err := change(s.newEntry(what, userID, attrs...)); err != nil {
		return err
	}
	s.logEntry(ctx, what, userID, attrs...)
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
func (s *Service) Disable(ctx context.Context, by Operator, userID int64) error {
	if err := by.checkOther(userID); err != nil {
		return err
	}
	err := s.operate(ctx, eventOperatorDisable, userID, by.attrs(), func(noted store.NewAuditEntry) error {
		return s.store.DisableUser(ctx, by.adminID, userID, s.now(), noted)
	})
	if err != nil {
		return err
	}
	s.endAllStreams(ctx, userID)
	return nil
}

// Enable allows a disabled account to log in again.
func (s *Service) Enable(ctx context.Context, by Operator, userID int64) error {
	return s.operate(ctx, eventOperatorEnable, userID, by.attrs(), func(noted store.NewAuditEntry) error {
		return s.store.EnableUser(ctx, userID, noted)
	})
}

// ResetPassword sets the password of an account of somebody else, and ends all its logins, keys and sign-ins under way.
func (s *Service) ResetPassword(ctx context.Context, by Operator, userID int64, password string) error {
	if err := by.checkOther(userID); err != nil {
		return err
	}
	n := utf8.RuneCountInString(password)
	if n < parley.MinPassword || n > parley.MaxPassword ||
		!utf8.ValidString(password) || strings.Contains(password, "\x00") {
		return fmt.Errorf("the password must have %d to %d characters of valid UTF-8",
			parley.MinPassword, parley.MaxPassword)
	}
	user, err := s.managed(ctx, userID)
	if err != nil {
		return err
	}
	recovery, err := s.newRecovery(ctx, user, password, by.from)
	if err != nil {
		return err
	}
	err = s.operate(ctx, eventOperatorReset, userID, by.attrs(), func(noted store.NewAuditEntry) error {
		return s.store.ResetPassword(ctx, by.adminID, recovery, noted)
	})
	if err != nil {
		return err
	}
	s.endAllStreams(ctx, userID)
	return nil
}

// TurnOffSecondFactor lets an account log in without its second factor, which its user has lost.
func (s *Service) TurnOffSecondFactor(ctx context.Context, by Operator, userID int64) error {
	if err := s.store.RemoveSecondFactor(ctx, userID); err != nil {
		return err
	}
	s.audit(ctx, eventOperatorSecondFactorOff, userID, by.attrs()...)
	return nil
}

// SetQuota sets what an account may use in a day: limits, parley.QuotaNone or parley.QuotaDefault. It returns them as
// they are stored, or parley.ErrBadQuota.
func (s *Service) SetQuota(ctx context.Context, by Operator, userID int64, quota string) (string, error) {
	own := ""
	if quota != parley.QuotaDefault {
		parsed, err := parley.ParseQuota(quota)
		if err != nil {
			return "", parley.ErrBadQuota.WithCause(err)
		}
		own = parsed.String()
	}
	shown := cmp.Or(own, parley.QuotaDefault)
	attrs := by.attrs(slog.String("quota", shown))
	err := s.operate(ctx, eventOperatorQuota, userID, attrs, func(noted store.NewAuditEntry) error {
		return s.store.SetQuota(ctx, userID, own, noted)
	})
	if err != nil {
		return "", err
	}
	return shown, nil
}

// Promote makes an account an administrator.
func (s *Service) Promote(ctx context.Context, by Operator, userID int64) error {
	return s.setAdmin(ctx, by, userID, true, eventOperatorPromote)
}

// Demote makes an administrator an ordinary user, on all replicas.
func (s *Service) Demote(ctx context.Context, by Operator, userID int64) error {
	if err := by.checkOther(userID); err != nil {
		return err
	}
	return s.setAdmin(ctx, by, userID, false, eventOperatorDemote)
}

func (s *Service) setAdmin(ctx context.Context, by Operator, userID int64, admin bool, what event) error {
	err := s.operate(ctx, what, userID, by.attrs(), func(noted store.NewAuditEntry) error {
		return s.store.SetAdmin(ctx, by.adminID, userID, admin, noted)
	})
	if err != nil {
		return err
	}
	s.adminsChanged(ctx)
	return nil
}

// Remove deletes an account and all it owns, without its password.
func (s *Service) Remove(ctx context.Context, by Operator, userID int64) error {
	if err := by.checkOther(userID); err != nil {
		return err
	}
	user, err := s.managed(ctx, userID)
	if err != nil {
		return err
	}
	if user.Admin {
		// This checks that one remains, which the deletion can't, since it locks sessions first.
		if err := s.Demote(ctx, by, userID); err != nil {
			return err
		}
	}
	err = s.operate(ctx, eventOperatorDelete, userID, by.attrs(), func(noted store.NewAuditEntry) error {
		return s.store.DeleteUser(ctx, userID, casefold.Key(user.Email), noted)
	})
	if err != nil {
		return err
	}
	s.endAllStreams(ctx, userID)
	return nil
}

// managed returns an account, or parley.ErrNoSuchAccount.
func (s *Service) managed(ctx context.Context, userID int64) (parley.User, error) {
	user, _, err := s.store.UserByID(ctx, userID)
	if errors.Is(err, parley.ErrNoSuchUser) {
		return user, parley.ErrNoSuchAccount
	}
	return user, err
}

// NewPassword returns a random password of 128 bits, in letters and digits that are hard
// to confuse.
func NewPassword() string { return strings.ToLower(rand.Text()) }
