package account

import (
	"context"
	"errors"
	"log/slog"

	"parley"
)

// event names an entry of the audit log. Operators search for the names: they must not change.
type event string

const (
	eventRegister             event = "register"
	eventLogin                event = "login"
	eventLoginFailed          event = "login-failed"
	eventLogout               event = "logout"
	eventLoginEnded           event = "login-ended"   // by another login of the user
	eventIdentityLink         event = "identity-link" // the account can be used through the sign-on provider
	eventPasswordChange       event = "password-change"
	eventPasswordChangeFailed event = "password-change-failed"
	eventKey                  event = "key-create"
	eventKeyDelete            event = "key-delete"
	eventDelete               event = "account-delete"
	eventDeleteFailed         event = "account-delete-failed"

	eventShare       event = "share" // a session can be read by anyone with the link
	eventShareDelete event = "share-delete"

	eventOperatorDisable event = "operator-disable"
	eventOperatorEnable  event = "operator-enable"
	eventOperatorReset   event = "operator-reset-password"
	eventOperatorQuota   event = "operator-quota"
	eventOperatorDelete  event = "operator-delete"
)

// Deletion is the kind of a deleted object, other than an account.
type Deletion event

// The deletions that are logged.
const (
	SessionDeleted Deletion = "session-delete"
	SessionCleared Deletion = "session-clear"
	FileDeleted    Deletion = "file-delete"
)

// AuditShare logs that a user has shared the session with the given id. The id of the share is a secret.
func (s *Service) AuditShare(ctx context.Context, who Identity, sessionID string, from Caller) {
	s.audit(ctx, eventShare, who.User.ID, append(from.attrs(), slog.String("id", sessionID))...)
}

// AuditDeletion logs that a user has deleted the object with the given id.
func (s *Service) AuditDeletion(ctx context.Context, what Deletion, who Identity, id string, from Caller) {
	s.audit(ctx, event(what), who.User.ID, append(from.attrs(), slog.String("id", id))...)
}

// AuditShareEnd logs that a user has withdrawn a share.
func (s *Service) AuditShareEnd(ctx context.Context, who Identity, from Caller) {
	s.audit(ctx, eventShareDelete, who.User.ID, from.attrs()...)
}

// auditKey logs that a user has created or removed the key with the given id.
func (s *Service) auditKey(ctx context.Context, what event, who Identity, keyID string, from Caller) {
	s.audit(ctx, what, who.User.ID, append(from.attrs(), slog.String("id", keyID))...)
}

// audit writes an entry of the audit log. It names the account by its id: logs must not
// hold e-mail addresses.
func (s *Service) audit(ctx context.Context, what event, userID int64, more ...slog.Attr) {
	attrs := append([]slog.Attr{slog.String("audit", string(what)), slog.Int64("user", userID)}, more...)
	s.auditLog.LogAttrs(ctx, slog.LevelInfo, "audit", attrs...)
}

// auditRefusal logs a refused request with its error code. Internal errors are not logged
// here, because the caller did not cause them.
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
