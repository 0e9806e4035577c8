package account

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"parley"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

func TestAnOperatorNamesAnAccountByIDOrAddress(t *testing.T) {
	s, _ := service(t, "")
	_, ada := register(t, s, "Ada@example.com")
	for _, name := range []string{"1", "ada@example.com", " ADA@Example.com "} {
		if user, err := s.Find(t.Context(), name); err != nil || user.ID != ada.User.ID {
			t.Errorf("%q: %+v, %v", name, user, err)
		}
	}
	for _, name := range []string{"2", "-1", "", "bob@example.com", "' OR 1=1 --"} {
		if _, err := s.Find(t.Context(), name); !errors.Is(err, parley.ErrNoSuchUser) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestADisabledUserIsOutUntilEnabled(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		token, who := register(t, s, "ada@example.com")
		_, bob := register(t, s, "bob@example.com")
		stream, release, err := s.Watch(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		if err := s.Disable(t.Context(), Shell(), who.User.ID); err != nil {
			t.Fatal(err)
		}
		<-stream.Done()
		if _, err := s.Identify(t.Context(), token); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("its token: %v", err)
		}
		try := func(password string) error {
			_, err := s.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: password}, here)
			return err
		}
		if err := try(password); !errors.Is(err, parley.ErrDisabled) {
			t.Errorf("the right password: %v", err)
		}
		if err := try("wrong"); !errors.Is(err, parley.ErrWrongPassword) {
			t.Errorf("a wrong password: %v", err)
		}
		if err := s.Enable(t.Context(), Shell(), who.User.ID); err != nil {
			t.Fatal(err)
		}
		if err := try(password); err != nil {
			t.Errorf("enabled again: %v", err)
		}
		if tokens, err := s.Tokens(t.Context(), bob); err != nil || len(tokens) != 1 {
			t.Errorf("another user's logins are %v, %v", tokens, err)
		}
	})
}

func TestAResetPasswordEndsAllLoginsAndKeys(t *testing.T) {
	s, _ := service(t, "")
	token, who := register(t, s, "ada@example.com")
	in := parley.KeyInput{Name: "k", Scopes: []parley.Scope{parley.ScopeRead}}
	key, err := s.CreateKey(t.Context(), who, in, here)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "short", strings.Repeat("x", 257), "not \xff valid", "with\x00nul"} {
		err := s.ResetPassword(t.Context(), Shell(), who.User.ID, bad)
		if err == nil || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	identify(t, s, token)
	fresh := NewPassword()
	if err := s.ResetPassword(t.Context(), Shell(), who.User.ID, fresh); err != nil {
		t.Fatal(err)
	}
	for _, ended := range []string{token, key.Key} {
		if _, err := s.Identify(t.Context(), ended); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("its token or key: %v", err)
		}
	}
	if _, err := s.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: fresh}, here); err != nil {
		t.Errorf("the new password: %v", err)
	}
	if again := NewPassword(); again == fresh || len(again) < 20 {
		t.Errorf("passwords are %q and %q", fresh, again)
	}
}

// The password may be reset while a login waits to check it.
func TestALoginUnderWayDoesNotOutliveAResetOfThePassword(t *testing.T) {
	s, _ := service(t, "")
	_, who := register(t, s, "ada@example.com")
	fresh, err := hashPassword("another horse", hashMemory)
	if err != nil {
		t.Fatal(err)
	}
	network := Network(here.Address)
	for range runtime.GOMAXPROCS(0) {
		if err := s.passwords.acquire(t.Context(), network); err != nil {
			t.Fatal(err)
		}
	}
	thief := make(chan error, 1)
	go func() {
		_, err := s.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: password}, here)
		thief <- err
	}()
	for s.passwords.turns.Waiting() == 0 { // until it has read the hash and waits to compare
		runtime.Gosched()
	}
	recovery := store.Recovery{UserID: who.User.ID, PasswordHash: fresh}
	if err := s.store.ResetPassword(t.Context(), 0, recovery); err != nil {
		t.Fatal(err)
	}
	for range runtime.GOMAXPROCS(0) {
		s.passwords.release(network)
	}
	if err := <-thief; !errors.Is(err, parley.ErrWrongPassword) {
		t.Errorf("the old password: %v", err)
	}
	if tokens, err := s.Tokens(t.Context(), who); err != nil || len(tokens) != 0 {
		t.Errorf("logins are %v, %v", tokens, err)
	}
}

func TestWhatAnOperatorDoesIsInTheLog(t *testing.T) {
	s, _ := service(t, "")
	log := captureAudit(s)
	_, who := register(t, s, "ada@example.com")
	err := errors.Join(s.Disable(t.Context(), Shell(), who.User.ID), s.Enable(t.Context(), Shell(), who.User.ID),
		s.ResetPassword(t.Context(), Shell(), who.User.ID, "hunter2!"), s.Remove(t.Context(), Shell(), who.User.ID))
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{"disable", "enable", "reset-password", "delete"} {
		if !strings.Contains(log.String(), "msg=audit audit=operator-"+action+" user=1 actor=-1\n") {
			t.Errorf("%s is not in the log:\n%s", action, log.String())
		}
	}
	if strings.Contains(log.String(), "hunter2!") {
		t.Errorf("the log contains the password:\n%s", log.String())
	}
	if _, err := s.Find(t.Context(), "1"); !errors.Is(err, parley.ErrNoSuchUser) {
		t.Errorf("the account is still there: %v", err)
	}
}
