package main_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/mail/mailtest"
	"parley/internal/testdb"
	"parley/internal/totp"
)

// mailSettings are the settings for a mail server.
func mailSettings(s *mailtest.Server) []string {
	return []string{
		"PARLEY_SMTP_URL=" + s.URL(""), "PARLEY_SMTP_FROM=Parley <parley@example.com>",
		"PARLEY_PUBLIC_URL=https://chat.example.com",
	}
}

// TestTheProgramSendsLinks asks for a new password. The mail server turns the first mail away for now, and the user
// asks again. internal/mail tests without waiting that such a mail is sent again later.
func TestTheProgramSendsLinks(t *testing.T) {
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		mails := mailtest.New(t, mailtest.Config{User: "parley", Password: "hush-hush"})
		mails.Refuse(mailtest.Greylisted())
		p := start(t, append(mailSettings(mails), "PARLEY_DATA="+t.TempDir(), "PARLEY_DATABASE_URL="+databaseURL)...)
		p.user("ada")
		guest := p.client(nil)
		ask := func() { must(t, guest.RequestReset(t.Context(), parley.ResetInput{Email: "ada@example.com"})) }
		ask()
		until(t, "the first mail is turned away", func() bool { return strings.Contains(p.said(), "451 4.7.1") })
		ask()
		m := mails.Next(t)
		_, rest, _ := strings.Cut(m.Text, "https://chat.example.com/#reset=")
		code, _, _ := strings.Cut(rest, "\r\n")
		must(t, guest.ConfirmReset(t.Context(), parley.ConfirmResetInput{Code: code, Password: "battery staple"}))
		_, err := guest.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: "battery staple"})
		must(t, err)
		log := p.said()
		if strings.Contains(log, "ada@example.com") || strings.Contains(log, "hush-hush") || strings.Contains(log, code) {
			t.Errorf("the log is\n%s", log)
		}
	})
}

func TestTheDoctorChecksTheMailServer(t *testing.T) {
	t.Parallel()
	data := "PARLEY_DATA=" + t.TempDir()
	start(t, data)
	mails := mailtest.New(t, mailtest.Config{User: "parley", Password: "hush-hush"})
	settings := append(mailSettings(mails), data)
	if out := works(t, settings, "doctor"); !strings.Contains(out, mails.Address+" responds; no mail was sent") {
		t.Errorf("it says\n%s", out)
	}
	if mails.Count() != 0 {
		t.Error("a mail was sent")
	}
	works(t, settings, "doctor", "--mail", "ada@example.com")
	if m := mails.Next(t); m.To != "ada@example.com" {
		t.Errorf("got %+v", m)
	}
	wrong := append([]string{data}, mailSettings(mails)...)
	wrong[1] = strings.Replace(wrong[1], "hush-hush", "wrong-hush", 1)
	fails(t, wrong, "1 of ", "doctor")
	if out := works(t, []string{data}, "doctor"); !strings.Contains(out, "mail          not set up") {
		t.Errorf("without mail it says\n%s", out)
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	must(t, err)
	listener.Close()
	nobody := []string{
		data, "PARLEY_SMTP_URL=smtp://" + listener.Addr().String(), "PARLEY_SMTP_FROM=parley@example.com",
		"PARLEY_PUBLIC_URL=https://chat.example.com",
	}
	fails(t, nobody, "1 of ", "doctor")
}

func TestAnOperatorTurnsASecondFactorOff(t *testing.T) {
	t.Parallel()
	settings := []string{"PARLEY_DATA=" + t.TempDir()}
	p := start(t, settings...)
	ada := p.user("ada")
	made, err := ada.SetUpSecondFactor(t.Context(), parley.SecondFactorInput{Password: "password of ada"})
	must(t, err)
	code, err := totp.Code(made.Secret, totp.Step(time.Now()))
	must(t, err)
	_, err = ada.ConfirmSecondFactor(t.Context(), parley.ConfirmSecondFactorInput{Code: code})
	must(t, err)
	login := func() error {
		_, err := p.client(nil).Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: "password of ada"})
		return err
	}
	refused(t, "a login without a code", login(), parley.CodeWrongPassword, 401)
	if out := works(t, settings, "user", "show", "ada@example.com"); !strings.Contains(out, "totp         on\n") {
		t.Errorf("show says\n%s", out)
	}
	out := works(t, settings, "user", "totp-off", "ADA@example.com")
	if out != "ada@example.com (1) logs in without a second factor\n" {
		t.Errorf("it says %q", out)
	}
	must(t, login())
	fails(t, settings, "there is no account", "user", "totp-off", "bob@example.com")
}
