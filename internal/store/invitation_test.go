package store

import (
	"errors"
	"testing"

	"parley"
	"parley/internal/id"
)

// invitation returns one for an address that no account has.
func (w *world) invitation(hash byte) Invitation {
	email := id.New() + "@example.com"
	return Invitation{Email: email, EmailKey: email, DefaultNickname: "Ada", Hash: TokenHash{hash}, Now: w.tick()}
}

// invite stores an invitation and returns the account's id.
func (w *world) invite(in Invitation) int64 {
	w.t.Helper()
	userID, err := w.Invite(w.t.Context(), in, w.entry(0, "invite"))
	w.must(err)
	return userID
}

// useInvitation runs every statement of invitations.
func (w *world) useInvitation() {
	w.t.Helper()
	in := w.invitation(1)
	in.By, in.Admin = w.user(), true
	w.must(w.SetAdmin(w.t.Context(), 0, in.By, true))
	w.invite(in)
	w.invite(in)
}

func TestAnInvitedAccountWaitsForItsPassword(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		in := w.invitation(1)
		user := w.invite(in)
		got, hash, err := w.UserByEmail(ctx, in.EmailKey)
		w.must(err)
		if got.ID != user || !got.Invited() || got.Admin || got.Nickname != "Ada" || hash != "" {
			t.Errorf("the account is %+v with the hash %q", got, hash)
		}
		if link := w.find(user, 1); link.Email != in.Email || !link.Invited || !link.SentAt.Equal(in.Now) {
			t.Errorf("the link is %+v", link)
		}
		entries, err := w.AuditEntries(ctx, parley.AuditInput{UserID: user, Limit: 10})
		if err != nil || len(entries) != 1 || entries[0].Event != "invite" {
			t.Errorf("the audit log has %+v, %v", entries, err)
		}

		in.Hash, in.Admin, in.Nickname, in.DefaultNickname = TokenHash{2}, true, "Countess", "nobody"
		if again := w.invite(in); again != user {
			t.Errorf("another account, %d", again)
		}
		if _, err := w.FindReset(ctx, user, TokenHash{1}); !errors.Is(err, parley.ErrBadReset) {
			t.Errorf("the former link: %v", err)
		}
		w.find(user, 2)
		if got, _, err := w.UserByID(ctx, user); err != nil || !got.Admin || got.Nickname != "Countess" {
			t.Errorf("the account is %+v, %v", got, err)
		}
		in.Admin, in.Nickname = false, ""
		w.invite(in)
		if got, _, err := w.UserByID(ctx, user); err != nil || got.Admin || got.Nickname != "Countess" {
			t.Errorf("the account is %+v, %v", got, err)
		}

		w.must(w.UseReset(ctx, TokenHash{2}, in.Now.Add(-1), Recovery{UserID: user, PasswordHash: "chosen"}))
		if got, hash, err := w.UserByID(ctx, user); err != nil || got.Invited() || hash != "chosen" {
			t.Errorf("the account is %+v, %v", got, err)
		}
		in.Admin = true
		if _, err := w.Invite(ctx, in, w.entry(0, "invite")); !errors.Is(err, parley.ErrEmailTaken) {
			t.Errorf("who has a password is invited: %v", err)
		}
		if got, _, err := w.UserByID(ctx, user); err != nil || got.Admin {
			t.Errorf("the account is %+v, %v", got, err)
		}
	})
}

func TestWhoIsNotInvited(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		stranger := w.user()
		in := w.invitation(1)
		in.By = stranger
		if _, err := w.Invite(ctx, in, w.entry(0, "invite")); !errors.Is(err, ErrNotAdmin) {
			t.Errorf("by somebody: %v", err)
		}
		if _, _, err := w.UserByEmail(ctx, in.EmailKey); !errors.Is(err, parley.ErrNoSuchUser) {
			t.Errorf("the account: %v", err)
		}
		in.By = 0
		user := w.invite(in)
		in.By, in.Admin = stranger, true
		if _, err := w.Invite(ctx, in, w.entry(0, "invite")); !errors.Is(err, ErrNotAdmin) {
			t.Errorf("again, by somebody: %v", err)
		}
		in.By = 0
		w.must(w.DisableUser(ctx, 0, user, w.now))
		if _, err := w.Invite(ctx, in, w.entry(0, "invite")); !errors.Is(err, parley.ErrDisabled) {
			t.Errorf("a disabled account: %v", err)
		}
		w.must(w.EnableUser(ctx, user))
		if _, err := w.FindReset(ctx, user, TokenHash{1}); !errors.Is(err, parley.ErrBadReset) {
			t.Errorf("the link of before: %v", err)
		}
		if got, _, err := w.UserByID(ctx, user); err != nil || got.Admin {
			t.Errorf("the account is %+v, %v", got, err)
		}
		w.must(w.remove(user))
		if again := w.invite(in); again == user {
			t.Error("a deleted account is back")
		}
	})
}

// TestSingleSignOnEndsAnInvitation links an invited account by its address.
func TestSingleSignOnEndsAnInvitation(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.invite(w.invitation(1))
		in := w.signIn(identity())
		w.must(w.LinkIdentity(t.Context(), user, Link{SignIn: in, Token: w.login()}))
		if got, _, err := w.UserByID(t.Context(), user); err != nil || got.Invited() {
			t.Errorf("the account is %+v, %v", got, err)
		}
		if _, err := w.FindReset(t.Context(), user, TokenHash{1}); !errors.Is(err, parley.ErrBadReset) {
			t.Errorf("the link: %v", err)
		}
	})
}
