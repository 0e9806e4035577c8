package main_test

import (
	"regexp"
	"strings"
	"testing"

	"parley"
	"parley/internal/mail/mailtest"
)

// invited returns the link and its code in what parley user add prints.
func invited(t *testing.T, out string) (link, code string) {
	t.Helper()
	found := regexp.MustCompile(`once, at this link:\n(http\S+/#invite=(\S+))\n`).FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("it says %q", out)
	}
	return found[1], found[2]
}

// TestAPersonIsAddedFromOutside adds the administrator of a server that nobody can register at.
func TestAPersonIsAddedFromOutside(t *testing.T) {
	t.Parallel()
	data := "PARLEY_DATA=" + t.TempDir()
	p := start(t, data, "PARLEY_REGISTRATION=closed")
	mails := mailtest.New(t, mailtest.Config{User: "parley", Password: "hush-hush"})
	settings := append(mailSettings(mails), data)
	add := []string{"user", "add", "ada@example.com", "--admin", "--nickname", "Ada"}

	link, first := invited(t, works(t, settings, add...))
	if m := mails.Next(t); m.To != "ada@example.com" || !strings.HasPrefix(link, "https://chat.example.com/#invite=") ||
		!strings.Contains(m.Text, link+"\r\n") {
		t.Errorf("the link is %s, the mail %+v", link, m)
	}
	if out := works(t, settings, "user", "list"); !strings.Contains(out, "invited") {
		t.Errorf("the list is %s", out)
	}
	link, code := invited(t, works(t, []string{data, "PARLEY_ADDR=:8123"}, add...))
	if !strings.HasPrefix(link, "http://localhost:8123/#invite=") {
		t.Errorf("without a public address the link is %s", link)
	}
	guest := p.client(nil)
	confirm := func(code string) error {
		return guest.ConfirmReset(t.Context(), parley.ConfirmResetInput{Code: code, Password: "correct horse"})
	}
	refused(t, "the link before the newest", confirm(first), parley.CodeBadToken, 401)
	must(t, confirm(code))
	login, err := guest.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: "correct horse"})
	must(t, err)
	if !login.User.Admin || login.User.Nickname != "Ada" {
		t.Errorf("the account is %+v", login.User)
	}
	fails(t, settings, "ada@example.com has an account already", add...)
	fails(t, settings, "one plain e-mail address", "user", "add", "ada")

	mails.Refuse(mailtest.Greylisted())
	out := works(t, settings, "user", "add", "bob@example.com")
	if invited(t, out); !strings.Contains(out, "No mail was sent: ") {
		t.Errorf("without a mail it says %q", out)
	}
}
