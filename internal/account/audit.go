package account

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// event names an entry of the audit log. Operators search for the names: they must not change.
type event string

const (
	eventRegister             event = "register"
	eventLogin                event = "login"
	eventLoginFailed          event = "login-failed"
	eventSignInFailed         event = "sign-in-failed" // at the provider, or on the way back from it
	eventLogout               event = "logout"
	eventLoginEnded           event = "login-ended"   // by another login of the user
	eventIdentityLink         event = "identity-link" // the account can be used through the sign-on provider
	eventPasswordChange       event = "password-change"
	eventPasswordChangeFailed event = "password-change-failed"
	eventKey                  event = "key-create"
	eventKeyDelete            event = "key-delete"
	eventDelete               event = "account-delete"
	eventDeleteFailed         event = "account-delete-failed"

	eventSecondFactor          event = "totp-on"
	eventSecondFactorFailed    event = "totp-on-failed"
	eventSecondFactorOff       event = "totp-off"
	eventSecondFactorOffFailed event = "totp-off-failed"
	eventRecoveryCode          event = "recovery-code" // one was used up

	eventResetSent   event = "password-reset-sent"
	eventReset       event = "password-reset"
	eventResetFailed event = "password-reset-failed"
	eventInvitation  event = "invitation" // who was invited has chosen a password

	eventShare       event = "share" // a session can be read by anyone with the link
	eventShareDelete event = "share-delete"

	eventOperatorInvite  event = "operator-invite" // a link to choose a password for a new account
	eventOperatorDisable event = "operator-disable"
	eventOperatorEnable  event = "operator-enable"
	eventOperatorReset   event = "operator-reset-password"
	eventOperatorQuota   event = "operator-quota"
	eventOperatorDelete  event = "operator-delete"

	eventOperatorSecondFactorOff event = "operator-totp-off"
	eventOperatorPromote         event = "operator-promote"
	eventOperatorDemote          event = "operator-demote"
	eventOperatorSetting         event = "operator-setting"

	eventClaim       event = "admin-claim" // the first administrator, by the code of the log
	eventClaimFailed event = "admin-claim-failed"
)

// eventCharacters are the characters in the names of events.
const eventCharacters = "abcdefghijklmnopqrstuvwxyz-"

// maxObject is the longest object of an entry, in bytes.
const maxObject = 500

// Deletion is the kind of a deleted object, other than an account.
type Deletion event

// The deletions that are logged.
const (
	SessionDeleted Deletion = "session-delete"
	SessionCleared Deletion = "session-clear"
	FileDeleted    Deletion = "file-delete"
)

// AuditShare logs that a user has shared the session with the given id. The id of the share is a secret.
func (s *Service) AuditShare(ctx context.Context, who *Identity, sessionID string, from Caller) {
	s.audit(ctx, eventShare, who.User.ID, append(from.attrs(), slog.String("id", sessionID))...)
}

// AuditDeletion logs that a user has deleted the object with the given id.
func (s *Service) AuditDeletion(ctx context.Context, what Deletion, who *Identity, id string, from Caller) {
	s.audit(ctx, event(what), who.User.ID, append(from.attrs(), slog.String("id", id))...)
}

// AuditShareEnd logs that a user has withdrawn a share.
func (s *Service) AuditShareEnd(ctx context.Context, who *Identity, from Caller) {
	s.audit(ctx, eventShareDelete, who.User.ID, from.attrs()...)
}

// AuditSetting logs that an operator has changed a setting of the server.
func (s *Service) AuditSetting(ctx context.Context, by Operator, name string) {
	s.audit(ctx, eventOperatorSetting, 0, by.attrs(slog.String("id", name))...)
}

// auditKey logs that a user has created or removed the key with the given id.
func (s *Service) auditKey(ctx context.Context, what event, who *Identity, keyID string, from Caller) {
	s.audit(ctx, what, who.User.ID, append(from.attrs(), slog.String("id", keyID))...)
}

// audit writes an entry of the audit log, and queues it for the database. If somebody else than the user did it, the
// entry is stored at once. more becomes the attributes in the log: see newEntry. Entries name the account by its id:
// the audit log must not hold e-mail addresses.
func (s *Service) audit(ctx context.Context, what event, userID int64, more ...slog.Attr) {
	s.logEntry(ctx, what, userID, more...)
	entry := s.newEntry(what, userID, more...)
	if entry.ActorID == parley.ActorSelf || !s.storeEntry(ctx, entry) {
		s.entries.add(entry)
	}
}

// logEntry writes an entry of the audit log to the log only, if the database has it already.
func (s *Service) logEntry(ctx context.Context, what event, userID int64, more ...slog.Attr) {
	attrs := append([]slog.Attr{slog.String("audit", string(what)), slog.Int64("user", userID)}, more...)
	s.auditLog.LogAttrs(ctx, slog.LevelInfo, "audit", attrs...)
}

// newEntry returns an entry as it is stored. The address, the request, the code and the actor have columns. Other
// attributes are the object.
func (s *Service) newEntry(what event, userID int64, attrs ...slog.Attr) store.NewAuditEntry {
	at := s.entries.tick(s.now())
	entry := store.NewAuditEntry{Time: at}
	entry.ID, entry.Event, entry.UserID = id.At(at), string(what), userID
	for _, a := range attrs {
		switch a.Key {
		case "address":
			entry.Address = a.Value.String()
		case "request":
			entry.RequestID = a.Value.String()
		case "code":
			entry.Code = parley.Code(a.Value.Int64())
		case "actor":
			entry.ActorID = a.Value.Int64()
		case "id":
			entry.Object = storable(a.Value.String())
		default:
			entry.Object = storable(strings.TrimSpace(entry.Object + " " + a.Key + "=" + a.Value.String()))
		}
	}
	return entry
}

// storable returns a text that every database accepts. Otherwise one entry could keep others from being stored.
func storable(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if len(text) > maxObject {
		text = strings.ToValidUTF8(text[:maxObject], "")
	}
	return text
}

// AuditLog returns a part of the audit log, newest first. It has everything that this process has audited.
func (s *Service) AuditLog(ctx context.Context, in parley.AuditInput) (parley.AuditOutput, error) {
	if in.Before != "" && !id.Valid(in.Before) {
		return parley.AuditOutput{}, parley.Invalid("before must be the id of an entry")
	}
	if in.From > 0 && in.To > 0 && in.From > in.To {
		return parley.AuditOutput{}, parley.Invalid("from must not be after to")
	}
	// There is no such event, or no such address.
	if strings.Trim(in.Event, eventCharacters) != "" || storable(in.Address) != in.Address {
		return parley.AuditOutput{Entries: []parley.AuditEntry{}}, nil
	}
	s.logFailure(ctx, "store entries of the audit log", s.saveAudit(ctx))
	limit := cmp.Or(in.Limit, parley.DefaultAuditLimit)
	in.Limit = limit + 1
	entries, err := s.auditEntries(ctx, in)
	if err != nil {
		return parley.AuditOutput{}, err
	}
	more := int64(len(entries)) > limit
	if more {
		entries = entries[:limit]
	}
	return parley.AuditOutput{Entries: entries, More: more}, nil
}

// auditEntries reads entries. Those of a rare address may need all of the log: then it returns parley.ErrTimeout.
func (s *Service) auditEntries(ctx context.Context, in parley.AuditInput) ([]parley.AuditEntry, error) {
	if address, err := netip.ParseAddr(strings.TrimSpace(in.Address)); err == nil {
		in.Address = address.Unmap().String() // as entries have it
	}
	limited, cancel := context.WithTimeout(ctx, usersTimeout)
	defer cancel()
	entries, err := s.store.AuditEntries(limited, in)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return nil, parley.ErrTimeout.WithCause(err)
	}
	return entries, err
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

// auditSignInFailure logs why a browser comes back from the provider without a login. The cause is not part of it: it
// may have the provider's words.
func (s *Service) auditSignInFailure(ctx context.Context, userID int64, from Caller, err error) {
	var failure SignInFailure
	if errors.As(err, &failure) {
		s.audit(ctx, eventSignInFailed, userID, append(from.attrs(), slog.String("reason", string(failure)))...)
	}
}

func (from Caller) attrs() []slog.Attr {
	return []slog.Attr{slog.String("address", from.Address), slog.String("request", from.RequestID)}
}
