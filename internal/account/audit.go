package account

import (
	"context"
	"errors"
	"log/slog"

	"parley"
)

// event is something that the audit log tells of an account. Its name is fixed, since
// operators search for it.
type event string

const (
	registered        event = "register"
	loggedIn          event = "login"
	loginFailed       event = "login-failed"
	loggedOut         event = "logout"
	loginEnded        event = "login-ended" // one of the user's others
	passwordChanged   event = "password-change"
	passwordNotProved event = "password-change-failed"
	deleted           event = "account-delete"
	notDeleted        event = "account-delete-failed"

	operatorDisabled event = "operator-disable"
	operatorEnabled  event = "operator-enable"
	operatorReset    event = "operator-reset-password"
	operatorDeleted  event = "operator-delete"
)

// Deletion is something that a user has deleted, other than the account.
type Deletion event

// The deletions that the audit log tells of.
const (
	SessionDeleted Deletion = "session-delete"
	SessionCleared Deletion = "session-clear"
	FileDeleted    Deletion = "file-delete"
)

// audit writes a line of the audit log. An account goes by its id: more people read
// logs than may know an e-mail address.
func (s *Service) audit(ctx context.Context, what event, userID int64, more ...slog.Attr) {
	line := append([]slog.Attr{slog.String("audit", string(what)), slog.Int64("user", userID)}, more...)
	s.Audit.LogAttrs(ctx, slog.LevelInfo, "audit", line...)
}

// Deleted writes down that a user has deleted something, by its id.
func (s *Service) Deleted(ctx context.Context, what Deletion, who Identity, id string, from Caller) {
	s.audit(ctx, event(what), who.User.ID, append(from.attrs(), slog.String("id", id))...)
}

// auditRefusal writes down that a password or an account was refused, with the code
// that the caller is told. What failed for another reason was no attempt.
func (s *Service) auditRefusal(ctx context.Context, what event, userID int64, from Caller, err error) {
	var refused *parley.Error
	if !errors.As(err, &refused) || refused.Code == parley.CodeInternal {
		return
	}
	s.audit(ctx, what, userID, append(from.attrs(), slog.Int("code", int(refused.Code)))...)
}

func (from Caller) attrs() []slog.Attr {
	return []slog.Attr{slog.String("address", from.Address), slog.String("request", from.RequestID)}
}
