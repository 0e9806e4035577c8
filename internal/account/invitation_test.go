package account

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/language"
	"parley/internal/store/storetest"
)

// invite invites an address and returns the account's id and the code of the link.
func invite(t *testing.T, s *Service, by Operator, in parley.AddUserInput) (int64, string) {
	t.Helper()
	out, err := s.Invite(t.Context(), by, in)
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(out.InviteURL, s.publicURL+"/#invite=")
	if !found || out.ExpiresAt != s.now().Add(7*24*time.Hour).Unix() || out.Mailed != s.SendsMail() {
		t.Fatalf("the invitation is %+v", out)
	}
	return out.UserID, code
}

// open returns the account of a link.
func open(t *testing.T, s *Service, code string) (parley.CheckResetOutput, error) {
	t.Helper()
	return s.CheckReset(t.Context(), parley.CheckResetInput{Code: code})
}

// choose sets a password by a link.
func choose(t *testing.T, s *Service, code, password string) error {
	t.Helper()
	return s.ConfirmReset(t.Context(), parley.ConfirmResetInput{Code: code, Password: password}, here)
}

// auditLog returns the audit log, newest first.
func auditLog(t *testing.T, s *Service) []parley.AuditEntry {
	t.Helper()
	out, err := s.AuditLog(t.Context(), parley.AuditInput{})
	if err != nil {
		t.Fatal(err)
	}
	return out.Entries
}

func TestSomebodyIsInvitedWhileRegistrationIsClosed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		by := administrator(t, s, "root@example.com")
		s.settings = func() parley.Settings { return parley.Settings{} }
		sent := withMail(t, s)
		id, code := invite(t, s, by, parley.AddUserInput{Email: " Ada@example.com "})
		mails := sent()
		if len(mails) != 1 || mails[0].To != "Ada@example.com" || mails[0].Subject != "You are invited to Parley" ||
			!strings.Contains(mails[0].Text, "within 7 days") || !strings.Contains(mails[0].Text, "/#invite="+code+"\n") {
			t.Errorf("the mails are %+v", mails)
		}
		for _, guess := range []string{"", " ", password} {
			if err := enter(t, s, guess, "", here); err == nil {
				t.Errorf("somebody logs in with %q before there is a password", guess)
			}
		}
		if out, err := open(t, s, code); err != nil || out.Email != "Ada@example.com" || !out.Invited {
			t.Errorf("the link is for %+v, %v", out, err)
		}
		listed := func() parley.Account {
			out, err := s.Users(t.Context(), ada, parley.Page{Number: 1, Size: 1})
			if err != nil {
				t.Fatal(err)
			}
			return out.Users[0]
		}
		if account := listed(); !account.Invited || account.Admin {
			t.Errorf("the list has %+v", account)
		}
		wantRefusal(t, "the link", choose(t, s, code, password), nil)
		wantRefusal(t, "the password", enter(t, s, password, "", here), nil)
		wantRefusal(t, "the link again", choose(t, s, code, password), parley.ErrBadReset)
		_, err := open(t, s, code)
		wantRefusal(t, "a look at it", err, parley.ErrBadReset)
		if account := listed(); account.Invited {
			t.Errorf("the list has %+v", account)
		}
		_, err = s.Invite(t.Context(), by, parley.AddUserInput{Email: ada})
		wantRefusal(t, "an invitation of who has come", err, parley.ErrEmailTaken)

		var events []string
		for _, entry := range auditLog(t, s) {
			if entry.UserID == id {
				events = append(events, entry.Event)
			}
		}
		if got := strings.Join(events, " "); got !=
			"password-reset-failed login invitation login-failed login-failed login-failed operator-invite" {
			t.Errorf("the audit log has %s", got)
		}
	})
}

func TestAnInvitationEnds(t *testing.T) {
	s, c := service(t, "")
	in := parley.AddUserInput{Email: ada}
	id, first := invite(t, s, Shell(), in)
	_, code := invite(t, s, Shell(), in)
	wantRefusal(t, "after a newer one", choose(t, s, first, password), parley.ErrBadReset)
	c.now = c.now.Add(inviteTTL - time.Second)
	if err := s.deleteExpired(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, s, code); err != nil {
		t.Errorf("in a week: %v", err)
	}
	c.now = c.now.Add(time.Second)
	_, err := open(t, s, code)
	wantRefusal(t, "after a week", err, parley.ErrBadReset)
	wantRefusal(t, "after a week", choose(t, s, code, password), parley.ErrBadReset)

	_, code = invite(t, s, Shell(), in)
	if err := errors.Join(s.Disable(t.Context(), Shell(), id), s.Enable(t.Context(), Shell(), id)); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, "after the account was disabled", choose(t, s, code, password), parley.ErrBadReset)
	_, code = invite(t, s, Shell(), in)
	if err := s.Remove(t.Context(), Shell(), id); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, "after the account was deleted", choose(t, s, code, password), parley.ErrBadReset)
}

// TestAnInvitationCanBeAskedForByMail forgets the password that was never chosen.
func TestAnInvitationCanBeAskedForByMail(t *testing.T) {
	s, c := service(t, "")
	invite(t, s, Shell(), parley.AddUserInput{Email: ada})
	sent := withMail(t, s)
	forget(t, s, ada)
	m := sent()[0]
	_, rest, _ := strings.Cut(m.Text, site+"/#invite=")
	code, _, _ := strings.Cut(rest, "\n")
	c.now = c.now.Add(6 * 24 * time.Hour)
	wantRefusal(t, "the link", choose(t, s, code, password), nil)
	forget(t, s, ada)
	if code := linkOf(t, sent()[0]); code == "" {
		t.Error("who has a password is invited")
	}
}

func TestAnAdministratorIsInvited(t *testing.T) {
	s, _ := service(t, "")
	code := offered(t, s, "owner")
	_, bob := register(t, s, "bob@example.com")
	id, link := invite(t, s, Shell(), parley.AddUserInput{Email: ada, Nickname: "Ada", Admin: true})
	wantRefusal(t, "a claim", claim(t, s, bob, code), parley.ErrWrongClaim)
	if s.Info(bob.User).Claimable {
		t.Error("the server still asks for an administrator")
	}
	wantRefusal(t, "the link", choose(t, s, link, password), nil)
	who := identify(t, s, login(t, s, ada))
	if !who.User.Admin || who.User.Nickname != "Ada" {
		t.Errorf("the account is %+v", who.User)
	}
	if entry := auditLog(t, s)[3]; entry.Event != "operator-invite" || entry.UserID != id || entry.Object != "admin=true" {
		t.Errorf("the audit log has %+v", entry)
	}
}

func TestWhatIsNoInvitation(t *testing.T) {
	s, _ := service(t, "")
	for _, in := range []parley.AddUserInput{
		{Email: ""},
		{Email: "ada"},
		{Email: "a@example.com, b@example.com"},
		{Email: ada, Nickname: strings.Repeat("x", 65)},
		{Email: ada, Nickname: "a\nb"},
	} {
		if _, err := s.Invite(t.Context(), Shell(), in); !errors.Is(err, parley.ErrInvalid) {
			t.Errorf("%+v: %v", in, err)
		}
	}
}

func TestTheInvitationIsInTheLanguageOfTheRequest(t *testing.T) {
	s, _ := service(t, "")
	sent := withMail(t, s)
	if _, err := s.Invite(t.Context(), Shell().Writing(language.Chinese), parley.AddUserInput{Email: ada}); err != nil {
		t.Fatal(err)
	}
	if m := sent()[0]; !strings.Contains(m.Subject, "邀请") || !strings.Contains(m.Text, "7 天") {
		t.Errorf("got %+v", m)
	}
}
