package account

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/casefold"
	"parley/internal/language"
	"parley/internal/mail"
	"parley/internal/store"
)

const (
	// resetTTL is how long a link to set a new password is good.
	resetTTL = 30 * time.Minute
	// resetWindow is how long the links that were sent to a user count. The store allows three.
	resetWindow = time.Hour
)

// SendsMail reports whether those who forgot their passwords can get a link by mail.
func (s *Service) SendsMail() bool { return s.mail != nil }

// RequestReset sends a link to set a new password, if an account has the address. Whether there is one is looked up in
// the background: nobody can tell it from the response or its time.
func (s *Service) RequestReset(in parley.ResetInput, written language.Language, from Caller) error {
	if s.mail == nil {
		return parley.ErrNoMail
	}
	email, err := parseEmail(in.Email)
	if err != nil {
		return err
	}
	key := casefold.Key(email)
	if !s.mail.Add(func(ctx context.Context) (mail.Message, bool, error) {
		return s.resetMail(ctx, key, written, from)
	}) {
		return parley.ErrOverloaded
	}
	return nil
}

// resetMail returns the mail with a new link, or false if none is sent: there is no such account, it is disabled, or
// it got enough of them.
func (s *Service) resetMail(
	ctx context.Context, emailKey string, written language.Language, from Caller,
) (mail.Message, bool, error) {
	user, _, err := s.store.UserByEmail(ctx, emailKey)
	if errors.Is(err, parley.ErrNoSuchUser) {
		return mail.Message{}, false, nil
	}
	if err != nil {
		return mail.Message{}, false, err
	}
	now, secret := s.now(), newSecret()
	invited := user.Invited()
	added, err := s.store.AddReset(ctx, store.NewReset{
		UserID: user.ID, Hash: hashSecret(secret), Now: now, Within: resetWindow,
	})
	if err != nil || !added {
		return mail.Message{}, false, err
	}
	s.audit(ctx, eventResetSent, user.ID, from.attrs()...)
	if invited {
		return s.inviteMail(user.Email, s.inviteLink(user.ID, secret), now, written), true, nil
	}
	subject, text := resetText(written, s.publicURL+"/#reset="+tokenOf(user.ID, secret))
	return mail.Message{To: user.Email, Subject: subject, Text: text, Until: now.Add(resetTTL)}, true, nil
}

// CheckReset returns the account of a link, or parley.ErrBadReset.
func (s *Service) CheckReset(ctx context.Context, in parley.CheckResetInput) (parley.CheckResetOutput, error) {
	userID, hash, ok := parseToken(in.Code)
	if !ok {
		return parley.CheckResetOutput{}, parley.ErrBadReset
	}
	link, err := s.findReset(ctx, userID, hash)
	if err != nil {
		return parley.CheckResetOutput{}, err
	}
	return parley.CheckResetOutput{Email: link.Email, Invited: link.Invited}, nil
}

// findReset returns a link that is good. An invitation lasts longer than a link to those who forgot their passwords.
func (s *Service) findReset(ctx context.Context, userID int64, hash store.TokenHash) (store.ResetLink, error) {
	link, err := s.store.FindReset(ctx, userID, hash)
	if err != nil {
		return link, err
	}
	if !link.SentAt.After(s.now().Add(-ttlOf(link))) {
		return link, parley.ErrBadReset
	}
	return link, nil
}

func ttlOf(link store.ResetLink) time.Duration {
	if link.Invited {
		return inviteTTL
	}
	return resetTTL
}

// ConfirmReset sets a new password by the code of a link, and ends all logins, keys and sign-ins under way: somebody
// else may have registered the address or know the password. A second factor stays.
func (s *Service) ConfirmReset(ctx context.Context, in parley.ConfirmResetInput, from Caller) error {
	userID, hash, ok := parseToken(in.Code)
	if !ok {
		return parley.ErrBadReset
	}
	link, err := s.useReset(ctx, userID, hash, in.Password, from)
	if err != nil {
		s.auditRefusal(ctx, eventResetFailed, userID, from, err)
		return err
	}
	what := eventReset
	if link.Invited {
		what = eventInvitation
	}
	s.audit(ctx, what, userID, from.attrs()...)
	s.endAllStreams(ctx, userID)
	return nil
}

func (s *Service) useReset(
	ctx context.Context, userID int64, hash store.TokenHash, password string, from Caller,
) (store.ResetLink, error) {
	// This saves the hash of the password if the link is not good. UseReset decides.
	link, err := s.findReset(ctx, userID, hash)
	if err != nil {
		return link, err
	}
	user, _, err := s.store.UserByID(ctx, userID)
	if errors.Is(err, parley.ErrNoSuchUser) {
		return link, parley.ErrBadReset
	}
	if err != nil {
		return link, err
	}
	recovery, err := s.newRecovery(ctx, user, password, from)
	if err != nil {
		return link, err
	}
	return link, s.store.UseReset(ctx, hash, s.now().Add(-ttlOf(link)), recovery)
}

// newRecovery returns what is stored to give an account a new password.
func (s *Service) newRecovery(
	ctx context.Context, user parley.User, password string, from Caller,
) (store.Recovery, error) {
	hash, err := s.passwords.hash(ctx, password, Network(from.Address))
	if err != nil {
		return store.Recovery{}, err
	}
	key := casefold.Key(user.Email)
	signIns, err := s.store.PendingSignIns(ctx, user.ID, s.now(), func(email string) bool {
		return casefold.Key(email) == key
	})
	return store.Recovery{UserID: user.ID, PasswordHash: hash, SignIns: signIns}, err
}
