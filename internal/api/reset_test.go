package api_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/api"
	"parley/internal/mail/mailtest"
)

// TestAForgottenPassword requests links and receives them through a real mail server.
func TestAForgottenPassword(t *testing.T) {
	settings := func(w *world) {
		w.Mails, w.PublicURL = mailtest.New(w.T, mailtest.Config{}), "https://chat.example.com"
		w.Limits.Resets = api.Rate{Requests: 5, Per: time.Hour}
		w.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		w.clock.freeze()
	}
	eachWith(t, settings, func(w *world) {
		ctx := w.Context()
		ada := w.user("ada")
		_, key := w.key(ada, parley.ScopeRead)
		if status, err := w.guest().ResetStatus(ctx); err != nil || !status.Email {
			w.Errorf("the status is %+v, %v", status, err)
		}
		ask := func(name string, headers ...string) string {
			got := w.request("POST", "/api/auth/reset", fmt.Sprintf(`{"email":%q}`, w.address(name)), headers...)
			return fmt.Sprint(got.StatusCode, " ", got.text)
		}
		known, unknown := ask("ada"), ask("nobody")
		if known != unknown || !strings.HasPrefix(known, "200 ") {
			w.Errorf("%s for an account, %s without one", known, unknown)
		}
		code := codeIn(w.T, w.Mails.Next(w.T))
		confirm := func(code, password string) error {
			return w.guest().ConfirmReset(ctx, parley.ConfirmResetInput{Code: code, Password: password})
		}
		w.wants(confirm("1.x", "battery staple"), parley.CodeBadToken, 401)
		w.wants(confirm(code, "short"), parley.CodeInvalidParameter, 400)
		w.must(confirm(code, "battery staple"))
		w.wants(confirm(code, "battery staple"), parley.CodeBadToken, 401)
		for _, before := range []*client.Client{ada, key} {
			_, err := before.User(ctx)
			w.wants(err, parley.CodeBadToken, 401)
		}
		_, err := ada.Login(ctx, parley.LoginInput{Email: w.address("ada"), Password: "battery staple"})
		w.must(err)

		ask("ada", "Accept-Language: zh-CN")
		if m := w.Mails.Next(w.T); !strings.Contains(m.Text, "30 分钟") {
			w.Errorf("the mail in Chinese is %s", m.Text)
		}
		// A stranger can't fill the mailbox: the third mail is the last one of this hour.
		ask("ada")
		w.Mails.Next(w.T)
		if again := ask("ada"); again != known {
			w.Errorf("the fourth gets %s", again)
		}
		for _, secret := range []string{code, w.address("ada")} {
			if strings.Contains(w.Log.String(), secret) {
				w.Errorf("the log has %q", secret)
			}
		}
		const here = "X-Forwarded-For: 192.0.2.1"
		for range 5 {
			ask("nobody", here)
		}
		if got := ask("nobody", here); !strings.HasPrefix(got, "429 ") {
			w.Errorf("one address asks often: %s", got)
		}
		if got := ask("nobody", "X-Forwarded-For: 192.0.2.2"); !strings.HasPrefix(got, "200 ") {
			w.Errorf("another address: %s", got)
		}
		w.stop() // it sends the waiting mails
		if w.Mails.Count() != 0 {
			w.Error("the fourth mail was sent")
		}
	})
}

// codeIn returns the code of the link in a mail.
func codeIn(t *testing.T, m mailtest.Mail) string {
	t.Helper()
	_, rest, _ := strings.Cut(m.Text, "https://chat.example.com/#reset=")
	code, _, found := strings.Cut(rest, "\r\n")
	if !found {
		t.Fatalf("the mail has no link:\n%s", m.Text)
	}
	return code
}

func TestAServerWithoutMail(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		if status, err := w.guest().ResetStatus(ctx); err != nil || status.Email {
			w.Errorf("the status is %+v, %v", status, err)
		}
		err := w.guest().RequestReset(ctx, parley.ResetInput{Email: "ada@example.com"})
		w.wants(err, parley.CodeInvalidParameter, 403)
		chinese := client.New(w.URL, client.WithHTTPClient(w.http), client.WithLanguage("zh"))
		err = chinese.RequestReset(ctx, parley.ResetInput{Email: "ada@example.com"})
		if err == nil || !strings.Contains(err.Error(), "管理员") {
			w.Errorf("in Chinese: %v", err)
		}
	})
}
