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
	var ada, phone *Identity
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

// TestAFaultIsNoFailedLogin makes the database fail. This does not count as a failed login.
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

// TestSecondFactorsAndResetsAreAudited compares whole lines: the log must hold no address, code or secret.
func TestSecondFactorsAndResetsAreAudited(t *testing.T) {
	const (
		line = "level=INFO msg=audit audit="
		adas = " user=1 address=192.0.2.1 request=r"
	)
	s, c := service(t, "")
	sent := withMail(t, s)
	_, who := register(t, s, ada)
	log := captureAudit(s)
	ctx := t.Context()
	var recovery []string
	var code string
	confirmReset := func() error {
		return s.ConfirmReset(ctx, parley.ConfirmResetInput{Code: code, Password: password}, here)
	}
	for _, step := range []struct {
		name    string
		do      func() error
		refused bool
		want    string
	}{
		{"confirming nothing", func() error {
			_, err := s.ConfirmSecondFactor(ctx, who, parley.ConfirmSecondFactorInput{Code: "1"}, here)
			return err
		}, true, line + "totp-on-failed" + adas + " code=1001\n"},
		{"turning it on", func() error {
			_, recovery = turnOn(t, s, c, who)
			return nil
		}, false, line + "totp-on" + adas + "\n"},
		{"no code", func() error {
			return enter(t, s, password, "", here)
		}, true, line + "login-failed" + adas + " code=1003\n"},
		{"a new set-up without a code", func() error {
			on := who
			on.User.TOTP = true
			_, err := s.SetUpSecondFactor(ctx, on, parley.SecondFactorInput{Password: password}, here)
			return err
		}, true, line + "totp-on-failed" + adas + " code=1003\n"},
		{"a recovery code", func() error {
			return enter(t, s, password, recovery[0], here)
		}, false, line + "recovery-code" + adas + "\n" + line + "login" + adas + "\n"},
		{"turning it off without the password", func() error {
			return s.RemoveSecondFactor(ctx, who, parley.RemoveSecondFactorInput{Password: "wrong"}, here)
		}, true, line + "totp-off-failed" + adas + " code=1003\n"},
		{"turning it off", func() error {
			return s.RemoveSecondFactor(ctx, who, parley.RemoveSecondFactorInput{Password: password}, here)
		}, false, line + "totp-off" + adas + "\n"},
		{"turning it off for somebody", func() error {
			return s.TurnOffSecondFactor(ctx, Shell(), 1)
		}, false, line + "operator-totp-off user=1 actor=-1\n"},
		{"asking for a link", func() error {
			forget(t, s, ada)
			code = linkOf(t, sent()[0])
			return nil
		}, false, line + "password-reset-sent" + adas + "\n"},
		{"asking for a stranger's link", func() error {
			forget(t, s, "nobody@example.com")
			sent()
			return nil
		}, false, ""},
		{"using it", confirmReset, false, line + "password-reset" + adas + "\n"},
		{"using it again", confirmReset, true, line + "password-reset-failed" + adas + " code=1005\n"},
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
