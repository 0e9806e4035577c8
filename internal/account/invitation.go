package account

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"parley"
	"parley/internal/casefold"
	"parley/internal/language"
	"parley/internal/mail"
	"parley/internal/store"
)

const (
	// inviteTTL is how long the link of an invitation is good.
	inviteTTL = 7 * 24 * time.Hour
	// inviteTries is how long its mail is tried again. The administrator has the link too.
	inviteTries = time.Hour
)

// Invite creates an account for somebody, also if registration is closed, and returns a link to choose its password.
// Nobody can log in before. Whoever was invited and has no password yet gets a new link, which ends the one before,
// with the role and the nickname of this invitation. It returns parley.ErrEmailTaken if the address is in use, and
// parley.ErrDisabled if its account is disabled.
func (s *Service) Invite(ctx context.Context, by Operator, in parley.AddUserInput) (parley.AddUserOutput, error) {
	email, err := parseEmail(in.Email)
	if err != nil {
		return parley.AddUserOutput{}, err
	}
	nickname := strings.TrimSpace(in.Nickname)
	if err := checkNickname(nickname); err != nil {
		return parley.AddUserOutput{}, err
	}
	attrs := by.attrs()
	if in.Admin {
		attrs = by.attrs(slog.Bool("admin", true))
	}
	now, secret := s.now(), newSecret()
	userID, err := s.store.Invite(ctx, store.Invitation{
		By: by.adminID, Email: email, EmailKey: casefold.Key(email), Nickname: nickname,
		DefaultNickname: defaultNickname(email), Admin: in.Admin, Hash: hashSecret(secret), Now: now,
	}, s.newEntry(eventOperatorInvite, 0, attrs...))
	if err != nil {
		return parley.AddUserOutput{}, err
	}
	s.logEntry(ctx, eventOperatorInvite, userID, attrs...)
	s.adminsChanged(ctx)
	link := s.inviteLink(userID, secret)
	mailed := s.mail != nil && s.mail.Add(func(context.Context) (mail.Message, bool, error) {
		return s.inviteMail(email, link, now, by.written), true, nil
	})
	return parley.AddUserOutput{
		UserID: userID, InviteURL: link, ExpiresAt: now.Add(inviteTTL).Unix(), Mailed: mailed,
	}, nil
}

func (s *Service) inviteLink(userID int64, secret string) string {
	return s.publicURL + "/#invite=" + tokenOf(userID, secret)
}

func (s *Service) inviteMail(email, link string, now time.Time, written language.Language) mail.Message {
	subject, text := inviteText(written, link)
	return mail.Message{To: email, Subject: subject, Text: text, Until: now.Add(inviteTries)}
}
