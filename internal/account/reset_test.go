package account

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/language"
	"parley/internal/mail"
	"parley/internal/store/storetest"
)

const site = "https://chat.example.com"

// withMail gives a service a queue. The returned function returns the mails that were sent since it was last called.
func withMail(t *testing.T, s *Service) func() []mail.Message {
	t.Helper()
	var mu sync.Mutex
	var sent []mail.Message
	queue := mail.NewQueue(mail.QueueConfig{
		Log: slog.New(slog.DiscardHandler), Now: s.now,
		Send: func(_ context.Context, m mail.Message) error {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, m)
			return nil
		},
	})
	s.mail, s.publicURL = queue, site
	return func() []mail.Message {
		ended, end := context.WithCancel(t.Context())
		end()
		queue.Run(ended) // it sends what waits
		mu.Lock()
		defer mu.Unlock()
		all := sent
		sent = nil
		return all
	}
}

// linkOf returns the code of the link in a mail.
func linkOf(t *testing.T, m mail.Message) string {
	t.Helper()
	_, rest, found := strings.Cut(m.Text, site+"/#reset=")
	code, _, _ := strings.Cut(rest, "\n")
	if !found || code == "" {
		t.Fatalf("the mail has no link:\n%s", m.Text)
	}
	return code
}

// forget asks for a link.
func forget(t *testing.T, s *Service, email string) {
	t.Helper()
	if err := s.RequestReset(parley.ResetInput{Email: email}, language.English, here); err != nil {
		t.Fatal(err)
	}
}

func TestAForgottenPasswordIsSetByALink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, c := service(t, url)
		sent := withMail(t, s)
		token, who := register(t, s, "Ada@example.com")
		secret, _ := turnOn(t, s, c, who)
		key, err := s.CreateKey(t.Context(), who, parley.KeyInput{Name: "k", Scopes: []parley.Scope{parley.ScopeRead}}, here)
		if err != nil {
			t.Fatal(err)
		}
		var streams []context.Context
		for _, credential := range []*Identity{who, identify(t, s, key.Key)} {
			stream, release, err := s.Watch(t.Context(), credential)
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			streams = append(streams, stream)
		}
		forget(t, s, " ada@EXAMPLE.com")
		mails := sent()
		if len(mails) != 1 || mails[0].To != "Ada@example.com" || mails[0].Until != c.now.Add(30*time.Minute) ||
			mails[0].Subject != "Reset your Parley password" {
			t.Fatalf("the mails are %+v", mails)
		}
		if !strings.Contains(mails[0].Text, "ends all logins and keys of the account") {
			t.Errorf("the mail does not say what ends:\n%s", mails[0].Text)
		}
		code := linkOf(t, mails[0])
		const fresh = "battery staple"
		confirm := func(code string) error {
			return s.ConfirmReset(t.Context(), parley.ConfirmResetInput{Code: code, Password: fresh}, here)
		}
		for _, wrong := range []string{"", "x", code + "x", strings.Replace(code, "1.", "2.", 1), token} {
			wantRefusal(t, wrong, confirm(wrong), parley.ErrBadReset)
		}
		wantRefusal(t, "the link", confirm(code), nil)
		for _, stream := range streams {
			<-stream.Done()
		}
		for _, ended := range []string{token, key.Key} {
			if _, err := s.Identify(t.Context(), ended); !errors.Is(err, parley.ErrBadToken) {
				t.Errorf("a login or a key: %v", err)
			}
		}
		wantRefusal(t, "the link again", confirm(code), parley.ErrBadReset)
		wantRefusal(t, "the old password", enter(t, s, password, "", here), parley.ErrWrongPassword)
		wantRefusal(t, "the new one needs a code", enter(t, s, fresh, "", here), parley.ErrCodeNeeded)
		wantRefusal(t, "and a code", enter(t, s, fresh, codeOf(t, secret, c.now), here), nil)
	})
}

func TestALinkEnds(t *testing.T) {
	s, c := service(t, "")
	sent := withMail(t, s)
	register(t, s, ada)
	link := func() string {
		c.now = c.now.Add(time.Hour)
		forget(t, s, ada)
		return linkOf(t, sent()[0])
	}
	confirm := func(code string) error {
		return s.ConfirmReset(t.Context(), parley.ConfirmResetInput{Code: code, Password: password}, here)
	}
	code := link()
	c.now = c.now.Add(resetTTL)
	wantRefusal(t, "after half an hour", confirm(code), parley.ErrBadReset)
	code = link()
	newer := link()
	wantRefusal(t, "after a newer one", confirm(code), parley.ErrBadReset)
	wantRefusal(t, "the newer one", confirm(newer), nil)
	code = link()
	in := parley.PasswordInput{OldPassword: password, NewPassword: password}
	who := identify(t, s, login(t, s, ada))
	if err := s.ChangePassword(t.Context(), who, in, here); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, "after a change of the password", confirm(code), parley.ErrBadReset)
	code = link()
	if err := s.Disable(t.Context(), Shell(), who.User.ID); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, "after the account was disabled", confirm(code), parley.ErrBadReset)
}

func TestWhoGetsALink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, c := service(t, url)
		sent := withMail(t, s)
		register(t, s, ada)
		_, bob := register(t, s, "bob@example.com")
		if err := s.Disable(t.Context(), Shell(), bob.User.ID); err != nil {
			t.Fatal(err)
		}
		for _, email := range []string{"nobody@example.com", "bob@example.com"} {
			forget(t, s, email)
		}
		if mails := sent(); len(mails) != 0 {
			t.Errorf("strangers and disabled users get %+v", mails)
		}
		for range 5 {
			forget(t, s, ada)
		}
		if mails := sent(); len(mails) != 3 {
			t.Errorf("%d mails at once", len(mails))
		}
		c.now = c.now.Add(resetWindow)
		forget(t, s, ada)
		if mails := sent(); len(mails) != 1 {
			t.Errorf("%d mails after an hour", len(mails))
		}
		c.now = c.now.Add(resetWindow)
		if err := s.deleteExpired(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.RequestReset(parley.ResetInput{Email: "nonsense"}, language.English, here); err == nil {
			t.Error("nonsense is an address")
		}
	})
}

func TestTheMailIsInTheLanguageOfTheRequest(t *testing.T) {
	s, _ := service(t, "")
	sent := withMail(t, s)
	register(t, s, ada)
	if err := s.RequestReset(parley.ResetInput{Email: ada}, language.Chinese, here); err != nil {
		t.Fatal(err)
	}
	m := sent()[0]
	if !strings.Contains(m.Subject, "重置") || !strings.Contains(m.Text, "30 分钟") ||
		!strings.Contains(m.Text, "密钥") {
		t.Errorf("got %+v", m)
	}
	linkOf(t, m)
}

func TestWithoutMailThereIsNoLink(t *testing.T) {
	s, _ := service(t, "")
	err := s.RequestReset(parley.ResetInput{Email: ada}, language.English, here)
	wantRefusal(t, "without mail", err, parley.ErrNoMail)
	if s.SendsMail() {
		t.Error("it says that it sends mail")
	}
}
