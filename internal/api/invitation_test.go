package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/mail/mailtest"
)

// TestAnInvitation invites somebody while registration is closed, through a real mail server.
func TestAnInvitation(t *testing.T) {
	settings := func(w *world) {
		w.Mails, w.PublicURL = mailtest.New(w.T, mailtest.Config{}), "https://chat.example.com"
		w.clock.freeze()
	}
	eachWith(t, settings, func(w *world) {
		ctx := w.Context()
		admin := w.admin("admin")
		_, err := admin.UpdateSettings(ctx, parley.SettingsInput{Registration: new(bool)})
		w.must(err)
		in := parley.AddUserInput{Email: w.address("carl"), Nickname: "Carl"}
		out, err := admin.AddUser(ctx, in)
		w.must(err)
		_, code, _ := strings.Cut(out.InviteURL, "https://chat.example.com/#invite=")
		if !out.Mailed || out.ExpiresAt != w.clock.now().Add(7*24*time.Hour).Unix() || code == "" {
			w.Errorf("the invitation is %+v", out)
		}
		if m := w.Mails.Next(w.T); m.To != in.Email || !strings.Contains(m.Text, out.InviteURL+"\r\n") {
			w.Errorf("the mail is %+v", m)
		}
		if shown := w.managed(admin, "carl"); !shown.Invited || shown.Nickname != "Carl" || shown.UserID != out.UserID {
			w.Errorf("the account is %+v", shown)
		}
		guest := w.guest()
		_, err = guest.CheckReset(ctx, parley.CheckResetInput{Code: "1.x"})
		w.wants(err, parley.CodeBadToken, 401)
		link, err := guest.CheckReset(ctx, parley.CheckResetInput{Code: code})
		w.must(err)
		if !link.Invited || link.Email != in.Email {
			w.Errorf("the link is for %+v", link)
		}
		_, err = guest.Register(ctx, parley.RegisterInput{Email: in.Email, Password: "correct horse"})
		w.wants(err, parley.CodeInvalidParameter, http.StatusForbidden)
		_, err = w.tryLogin("carl", "correct horse")
		w.wants(err, parley.CodeWrongPassword, 401)

		again := w.request("POST", "/api/admin/users", `{"email":"`+in.Email+`"}`, as(admin), "Accept-Language: zh")
		if again.StatusCode != http.StatusOK {
			w.Fatalf("again: %s", again.text)
		}
		w.wants(guest.ConfirmReset(ctx, parley.ConfirmResetInput{Code: code, Password: "correct horse"}),
			parley.CodeBadToken, 401)
		m := w.Mails.Next(w.T)
		_, code, _ = strings.Cut(m.Text, "/#invite=")
		code, _, _ = strings.Cut(code, "\r\n")
		if !strings.Contains(m.Text, "7 天") {
			w.Errorf("the mail in Chinese is %s", m.Text)
		}
		w.must(guest.ConfirmReset(ctx, parley.ConfirmResetInput{Code: code, Password: "correct horse"}))
		carl, err := w.tryLogin("carl", "correct horse")
		w.must(err)
		if info, err := carl.User(ctx); err != nil || info.Passwordless || info.Nickname != "Carl" {
			w.Errorf("the account is %+v, %v", info, err)
		}
		_, err = admin.AddUser(ctx, in)
		w.wants(err, parley.CodeEmailTaken, http.StatusConflict)
		for _, secret := range []string{code, in.Email} {
			if strings.Contains(w.Log.String(), secret) {
				w.Errorf("the log has %q", secret)
			}
		}
	})
}
