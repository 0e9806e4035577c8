package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/mail/mailtest"
)

// mailed starts a server that sends mails.
func mailed(t *testing.T, settings ...string) (*world, *mailtest.Server) {
	t.Helper()
	mails := mailtest.New(t, mailtest.Config{})
	settings = append(settings, "PARLEY_SMTP_URL="+mails.URL(""), "PARLEY_SMTP_FROM=parley@example.com",
		"PARLEY_PUBLIC_URL=https://chat.example.com")
	return newWorld(t, settings...), mails
}

// TestAForgottenPasswordIsReset follows the link of a mail, in a browser that has logged in meanwhile.
func TestAForgottenPasswordIsReset(t *testing.T) {
	t.Parallel()
	w, mails := mailed(t)
	token := w.register(t)
	b := open(t, w.url, 1280)
	b.press("Forgot your password?")
	b.until(`document.querySelectorAll("form").length === 1 && !document.querySelector("input[name=password]")`)
	b.write(`input[name="email"]`, strings.ToUpper(email))
	b.press("Send the link")
	b.shows("If an account has this address, a mail with a link is on its way.")
	m := mails.Next(t)
	_, rest, _ := strings.Cut(m.Text, "https://chat.example.com/#reset=")
	code, _, _ := strings.Cut(rest, "\r\n")
	if m.To != email || code == "" {
		t.Fatalf("the mail is %+v", m)
	}

	b = signedIn(t, w, token, "", 1280)
	b.do(chromedp.Navigate(w.url + "/#reset=" + code))
	b.shows("Set a new password")
	b.shows(email)
	b.until(`!location.hash.includes("reset")`)
	const fresh = "battery staple"
	b.write(`input[name="new"]`, fresh)
	b.enter()
	b.shows("The password was changed. All logins and keys have been ended. Log in with the new one.")
	b.until(`document.querySelector('input[name="password"]') && !localStorage.getItem("parley.token")`)
	if _, err := w.api.WithToken(token).User(t.Context()); err == nil {
		t.Error("the login has not ended")
	}
	b.write(`input[name="email"]`, email)
	b.write(`input[name="password"]`, fresh)
	b.enter()
	b.until(`localStorage.getItem("parley.token")`)

	// A used link is refused, and the login of this browser goes on.
	b.eval(`location.hash = "#reset=` + code + `"`)
	b.shows("This link is wrong, was used before or has expired.")
	b.press("Back to Parley")
	b.until(`document.querySelector("#composer") && localStorage.getItem("parley.token")`)
	if _, err := w.api.Login(t.Context(), parley.LoginInput{Email: email, Password: fresh}); err != nil {
		t.Error(err)
	}
}

func TestWithoutMailTheLoginPageTellsWhomToAsk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.register(t)
	b := open(t, w.url, 390)
	b.press("Forgot your password?")
	b.shows("Ask its administrator for a new password.")
	b.press("Back to the login")
	b.until(`document.querySelector('input[name="password"]')`)
	b.checkQuiet(w.url)
}
