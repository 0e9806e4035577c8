package account

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"parley"
)

// captureAudit redirects a service's audit log, without times, into the returned buffer.
func captureAudit(s *Service) *bytes.Buffer {
	var log bytes.Buffer
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	s.auditLog = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	return &log
}

// TestWhatIsDoneToAccountsIsAudited compares whole lines: the log must hold no e-mail
// address, password or token.
func TestWhatIsDoneToAccountsIsAudited(t *testing.T) {
	const (
		wrong = "incorrect horse"
		line  = "level=INFO msg=audit audit="
		adas  = " user=1 address=192.0.2.1 request=r"
	)
	s, _ := service(t, "")
	log := captureAudit(s)
	ctx := t.Context()
	logIn := func(email, password string) error {
		_, err := s.Login(ctx, parley.LoginInput{Email: email, Password: password}, here)
		return err
	}
	var ada, phone Identity
	for _, step := range []struct {
		name    string
		do      func() error
		refused bool
		want    string
	}{
		{"registering", func() error {
			_, ada = register(t, s, "ada@example.com")
			return nil
		}, false, line + "register" + adas + "\n"},
		{"logging in", func() error {
			phone = identify(t, s, login(t, s, "ada@example.com"))
			return nil
		}, false, line + "login" + adas + "\n"},
		{"a wrong password", func() error {
			return logIn("ada@example.com", wrong)
		}, true, line + "login-failed" + adas + " code=1003\n"},
		{
			"an unknown account", func() error { return logIn("bob@example.com", wrong) }, true,
			line + "login-failed user=0 address=192.0.2.1 request=r code=1002\n",
		},
		{"a password in place of the address", func() error { return logIn(password, password) }, true, ""},
		{"ending another login", func() error {
			return s.EndToken(ctx, ada, phone.TokenID, here)
		}, false, line + "login-ended" + adas + "\n"},
		{"ending it again", func() error { return s.EndToken(ctx, ada, phone.TokenID, here) }, true, ""},
		{"a new password without the old one", func() error {
			return s.ChangePassword(ctx, ada, parley.PasswordInput{OldPassword: wrong, NewPassword: password}, here)
		}, true, line + "password-change-failed" + adas + " code=1003\n"},
		{"a new password", func() error {
			return s.ChangePassword(ctx, ada, parley.PasswordInput{OldPassword: password, NewPassword: password}, here)
		}, false, line + "password-change" + adas + "\n"},
		{"disabling", func() error { return s.Disable(ctx, Shell(), 1) }, false, line + "operator-disable user=1 actor=-1\n"},
		{"logging in while disabled", func() error {
			return logIn("ada@example.com", password)
		}, true, line + "login-failed" + adas + " code=1001\n"},
		{"logging out", func() error { return s.Logout(ctx, ada, here) }, false, line + "logout" + adas + "\n"},
		{"deleting without the password", func() error {
			return s.Delete(ctx, ada, parley.DeleteUserInput{Password: wrong}, here)
		}, true, line + "account-delete-failed" + adas + " code=1003\n"},
		{"guessing too often", func() error {
			for range maxAttempts {
				s.attempts.addFailure(attemptKey{userID: 1, network: Network(here.Address)}, s.now())
			}
			err := logIn("ada@example.com", password)
			s.attempts.reset(attemptKey{userID: 1, network: Network(here.Address)})
			return err
		}, true, line + "login-failed" + adas + " code=1006\n"},
		{"deleting", func() error {
			return s.Delete(ctx, ada, parley.DeleteUserInput{Password: password}, here)
		}, false, line + "account-delete" + adas + "\n"},
	} {
		log.Reset()
		if err := step.do(); (err != nil) != step.refused {
			t.Fatalf("%s: %v", step.name, err)
		}
		if log.String() != step.want {
			t.Errorf("%s is audited as\n%swant\n%s", step.name, log, step.want)
		}
	}
}

// TestAFaultIsNoFailedLogin makes the database fail: that is not a failed login.
func TestAFaultIsNoFailedLogin(t *testing.T) {
	s, _ := service(t, "")
	register(t, s, "ada@example.com")
	log := captureAudit(s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Login(ctx, parley.LoginInput{Email: "ada@example.com", Password: password}, here)
	if err == nil || log.Len() > 0 {
		t.Errorf("got %v, audited as %q", err, log)
	}
}
