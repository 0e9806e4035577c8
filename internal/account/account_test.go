package account

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is a clock set by the test.
type clock struct{ now time.Time }

// service returns a Service on an empty store.
func service(t *testing.T, url string) (*Service, *clock) {
	t.Helper()
	c := &clock{time.Unix(1_767_225_600, 0)}
	log := slog.New(slog.DiscardHandler)
	return New(Config{
		Store:    storetest.Open(t, t.TempDir(), url),
		Log:      log,
		Audit:    log,
		TokenTTL: time.Hour,
		Now:      func() time.Time { return c.now },

		HashMemory: 64, // a thousandth of the time
	}), c
}

var here = Caller{Address: "192.0.2.1", Client: "test", RequestID: "r"}

const password = "correct horse"

// register creates an account and returns its token and identity.
func register(t *testing.T, s *Service, email string) (string, *Identity) {
	t.Helper()
	out, err := s.Register(t.Context(), parley.RegisterInput{Email: email, Password: password}, here)
	if err != nil {
		t.Fatal(err)
	}
	return out.Token, identify(t, s, out.Token)
}

func identify(t *testing.T, s *Service, token string) *Identity {
	t.Helper()
	who, err := s.Identify(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return who
}

func login(t *testing.T, s *Service, email string) string {
	t.Helper()
	out, err := s.Login(t.Context(), parley.LoginInput{Email: email, Password: password}, here)
	if err != nil {
		t.Fatal(err)
	}
	return out.Token
}

func TestAnAccountIsKnownByItsAddressInAnyForm(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		_, who := register(t, s, " Ren\u00e9@Example.com ")
		if who.User.Email != "Ren\u00e9@Example.com" || who.User.Nickname != "Ren\u00e9" {
			t.Errorf("the account is %+v", who.User)
		}
		for _, email := range []string{"ren\u00e9@example.com", "RENE\u0301@EXAMPLE.COM", "rene\u0301@example.com"} {
			if got := identify(t, s, login(t, s, email)); got.User != who.User {
				t.Errorf("%q is %+v", email, got.User)
			}
			_, err := s.Register(t.Context(), parley.RegisterInput{Email: email, Password: password}, here)
			if !errors.Is(err, parley.ErrEmailTaken) {
				t.Errorf("%q again: %v", email, err)
			}
		}
		_, err := s.Login(t.Context(), parley.LoginInput{Email: "rene@example.com", Password: password}, here)
		if !errors.Is(err, parley.ErrNoSuchUser) {
			t.Errorf("another address: %v", err)
		}
	})
}

func TestRegistrationSaysWhatIsWrong(t *testing.T) {
	s, _ := service(t, "")
	for _, c := range []struct {
		in   parley.RegisterInput
		want error
	}{
		{parley.RegisterInput{Email: "nonsense", Password: password}, parley.ErrInvalid},
		{parley.RegisterInput{Email: "ada@example.com", Password: password, Nickname: "a\nb"}, parley.ErrInvalid},
		{
			parley.RegisterInput{Email: "ada@example.com", Password: password, Nickname: strings.Repeat("x", 65)},
			parley.ErrInvalid,
		},
	} {
		if _, err := s.Register(t.Context(), c.in, here); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c.in, err)
		}
	}
	s.settings = func() parley.Settings { return parley.Settings{Registration: false} }
	_, err := s.Register(t.Context(), parley.RegisterInput{Email: "ada@example.com", Password: password}, here)
	if !errors.Is(err, parley.ErrRegistrationClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestManyRegistrationsOfOneAddressMakeOneAccount(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		const crowd = 20
		errs := make(chan error)
		for range crowd {
			go func() {
				_, err := s.Register(t.Context(), parley.RegisterInput{Email: "ada@example.com", Password: password}, here)
				errs <- err
			}()
		}
		made := 0
		for range crowd {
			switch err := <-errs; {
			case err == nil:
				made++
			case !errors.Is(err, parley.ErrEmailTaken):
				t.Error(err)
			}
		}
		if made != 1 {
			t.Errorf("%d accounts were made", made)
		}
	})
}

func TestATokenEndsWithItsLoginOrItsTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, clock := service(t, url)
		first, who := register(t, s, "ada@example.com")
		second := login(t, s, "ada@example.com")
		for _, bad := range []string{
			"", "x", first + "x", strings.ToUpper(first), strings.Repeat("A", 43),
			strings.Repeat("x", 10_000), "é" + first[2:],
		} {
			if _, err := s.Identify(t.Context(), bad); !errors.Is(err, parley.ErrBadToken) {
				t.Errorf("%.50q: %v", bad, err)
			}
		}
		for range 2 { // a second logout changes nothing
			if err := s.Logout(t.Context(), who, here); err != nil {
				t.Error(err)
			}
		}
		if _, err := s.Identify(t.Context(), first); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("after the logout: %v", err)
		}
		identify(t, s, second)
		clock.now = clock.now.Add(s.tokenTTL)
		if _, err := s.Identify(t.Context(), second); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("after its time: %v", err)
		}
	})
}

func TestLoginsAreListedAndEndedOneByOne(t *testing.T) {
	s, clock := service(t, "")
	_, who := register(t, s, "ada@example.com")
	_, bob := register(t, s, "bob@example.com")
	clock.now = clock.now.Add(time.Second)
	second := identify(t, s, login(t, s, "ada@example.com"))
	tokens, err := s.Tokens(t.Context(), second)
	if err != nil || len(tokens) != 2 {
		t.Fatalf("logins are %+v, %v", tokens, err)
	}
	if tokens[0].ID != second.TokenID || !tokens[0].Current || tokens[1].Current || tokens[0].Client != "test" ||
		tokens[0].ExpiresAt != clock.now.Add(time.Hour).Unix() {
		t.Errorf("logins are %+v", tokens)
	}
	for _, unknown := range []string{"", "nonsense", id.New(), bob.TokenID} {
		if err := s.EndToken(t.Context(), second, unknown, here); !errors.Is(err, parley.ErrNoSuchLogin) {
			t.Errorf("%q: %v", unknown, err)
		}
	}
	if err := s.EndToken(t.Context(), second, who.TokenID, here); err != nil {
		t.Error(err)
	}
	if tokens, err := s.Tokens(t.Context(), second); err != nil || len(tokens) != 1 {
		t.Errorf("logins are %+v, %v", tokens, err)
	}
}

func TestAClientNamesItselfInAFewValidBytes(t *testing.T) {
	s, _ := service(t, "")
	for client, want := range map[string]string{
		"Mozilla/5.0": "Mozilla/5.0", "a\xffb": "ab", strings.Repeat("渡", 100): strings.Repeat("渡", 85), "": "",
	} {
		if _, stored := s.newToken(Caller{Client: client}); stored.Client != want {
			t.Errorf("%q is stored as %q", client, stored.Client)
		}
	}
}

func TestANewPasswordEndsTheOtherLogins(t *testing.T) {
	s, _ := service(t, "")
	mine, who := register(t, s, "ada@example.com")
	other := login(t, s, "ada@example.com")
	err := s.ChangePassword(t.Context(), who, parley.PasswordInput{OldPassword: "wrong", NewPassword: "new password"},
		here)
	if !errors.Is(err, parley.ErrWrongPassword) {
		t.Errorf("a wrong old password: %v", err)
	}
	identify(t, s, other)
	err = s.ChangePassword(t.Context(), who, parley.PasswordInput{OldPassword: password, NewPassword: "new password"},
		here)
	if err != nil {
		t.Fatal(err)
	}
	identify(t, s, mine)
	if _, err := s.Identify(t.Context(), other); !errors.Is(err, parley.ErrBadToken) {
		t.Errorf("the other login: %v", err)
	}
	_, err = s.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: password}, here)
	if !errors.Is(err, parley.ErrWrongPassword) {
		t.Errorf("the old password: %v", err)
	}
	_, err = s.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: "new password"}, here)
	if err != nil {
		t.Errorf("the new password: %v", err)
	}
}

func TestAProfileIsCheckedBeforeItChanges(t *testing.T) {
	s, _ := service(t, "")
	_, who := register(t, s, "ada@example.com")
	for _, bad := range []parley.ProfileInput{
		{Nickname: new(" ")},
		{Nickname: new("a\x00")},
		{Avatar: new("javascript:alert(1)")},
	} {
		if _, err := s.UpdateProfile(t.Context(), who, bad); !errors.Is(err, parley.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	info, err := s.UpdateProfile(t.Context(), who,
		parley.ProfileInput{Nickname: new(" Ada L. "), Avatar: new("https://example.com/a.png")})
	if err != nil || info.Nickname != "Ada L." || info.Avatar != "https://example.com/a.png" ||
		info.UserID != who.User.ID {
		t.Errorf("%+v, %v", info, err)
	}
	info, err = s.UpdateProfile(t.Context(), who, parley.ProfileInput{Avatar: new("")})
	if err != nil || info.Avatar != "" || info.Nickname != "Ada L." {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestADeletedAccountIsGone(t *testing.T) {
	s, _ := service(t, "")
	token, who := register(t, s, "ada@example.com")
	err := s.Delete(t.Context(), who, parley.DeleteUserInput{Password: "wrong"}, here)
	if !errors.Is(err, parley.ErrWrongPassword) {
		t.Errorf("a wrong password: %v", err)
	}
	if err := s.Delete(t.Context(), who, parley.DeleteUserInput{Password: password}, here); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Identify(t.Context(), token); !errors.Is(err, parley.ErrBadToken) {
		t.Errorf("its token: %v", err)
	}
	err = s.Delete(t.Context(), who, parley.DeleteUserInput{Password: password}, here)
	if !errors.Is(err, parley.ErrBadToken) {
		t.Errorf("a second time: %v", err)
	}
	if _, again := register(t, s, "ada@example.com"); again.User.ID == who.User.ID {
		t.Error("the new account has the id of the old one")
	}
}

func TestGuessingIsSlowedAndTheOwnerElsewhereGetsIn(t *testing.T) {
	s, clock := service(t, "")
	register(t, s, "ada@example.com")
	register(t, s, "bob@example.com")
	guess := func(email, password string, from Caller) error {
		_, err := s.Login(t.Context(), parley.LoginInput{Email: email, Password: password}, from)
		return err
	}
	// Attempts at once are limited too.
	const crowd = 3 * maxAttempts
	errs := make(chan error)
	for range crowd {
		go func() { errs <- guess("ada@example.com", "wrong", here) }()
	}
	wrong := 0
	for range crowd {
		switch err := <-errs; {
		case errors.Is(err, parley.ErrWrongPassword):
			wrong++
		case !errors.Is(err, parley.ErrTooManyAttempts):
			t.Error(err)
		}
	}
	if wrong != maxAttempts {
		t.Errorf("%d of %d guesses were looked at", wrong, crowd)
	}
	var limited *parley.Error
	err := guess("ada@example.com", password, here)
	if !errors.As(err, &limited) || limited.Code != parley.CodeTooManyAttempts || limited.RetryAfter != attemptWindow {
		t.Errorf("the right password after the guesses: %+v", err)
	}
	if err := guess("ada@example.com", password, Caller{Address: "192.0.2.2"}); err != nil {
		t.Errorf("the owner elsewhere: %v", err)
	}
	if err := guess("bob@example.com", password, here); err != nil {
		t.Errorf("another account: %v", err)
	}
	clock.now = clock.now.Add(attemptWindow)
	if err := guess("ada@example.com", password, here); err != nil {
		t.Errorf("after the window: %v", err)
	}
}

func TestALoginThatIsGivenUpDoesNotWait(t *testing.T) {
	s, _ := service(t, "")
	register(t, s, "ada@example.com")
	elsewhere := Network("192.0.2.2")
	for range runtime.GOMAXPROCS(0) {
		if err := s.passwords.acquire(t.Context(), elsewhere); err != nil {
			t.Fatal(err)
		}
		defer s.passwords.release(elsewhere)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error)
	go func() {
		_, err := s.Login(ctx, parley.LoginInput{Email: "ada@example.com", Password: password}, here)
		waiting <- err
	}()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

func TestRunDeletesExpiredLogins(t *testing.T) {
	s, clock := service(t, "")
	token, _ := register(t, s, "ada@example.com")
	clock.now = clock.now.Add(2 * s.tokenTTL)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Run(ctx) // with a canceled context it deletes nothing and returns
	ctx, cancel = context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	beforeExpiry := clock.now.Add(-2 * s.tokenTTL)
	userID, hash, _ := parseToken(token)
	for {
		if _, _, err := s.store.UserByToken(t.Context(), userID, hash, beforeExpiry); errors.Is(err, parley.ErrBadToken) {
			break
		}
	}
	cancel()
	<-ended
}

func TestAStreamEndsWithItsLogin(t *testing.T) {
	s, _ := service(t, "")
	_, who := register(t, s, "ada@example.com")
	other := identify(t, s, login(t, s, "ada@example.com"))
	mine, release, err := s.Watch(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	others, releaseOther, err := s.Watch(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Logout(t.Context(), who, here); err != nil {
		t.Fatal(err)
	}
	<-mine.Done()
	if !errors.Is(context.Cause(mine), parley.ErrBadToken) {
		t.Errorf("the stream ended because of %v", context.Cause(mine))
	}
	if others.Err() != nil {
		t.Error("the other login's stream ended too")
	}
	if _, _, err := s.Watch(t.Context(), who); !errors.Is(err, parley.ErrBadToken) {
		t.Errorf("a stream of a login that has ended: %v", err)
	}
	releaseOther()
	if s.watchers.has(other.User.ID) != true {
		t.Error("the other watchers were removed")
	}
}

func TestAStreamEndsWithALogoutOnAnotherReplica(t *testing.T) {
	s, _ := service(t, "")
	_, who := register(t, s, "ada@example.com")
	mine, release, err := s.Watch(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	s.HandleSignal(t.Context(), store.Signal{Kind: store.Missed})
	s.HandleSignal(t.Context(), store.Signal{Kind: store.LoginEnded, ID: "nonsense"})
	if mine.Err() != nil {
		t.Error("the stream ended with its login still good")
	}
	if _, err := s.store.DeleteToken(t.Context(), who.User.ID, who.TokenID); err != nil { // as the other replica does
		t.Fatal(err)
	}
	s.HandleSignal(t.Context(), store.Signal{Kind: store.Missed})
	<-mine.Done()
}

func TestRegistrationIsOpenOrNot(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		check := func(name string, want parley.RegistrationStatus) {
			t.Helper()
			if got, err := s.Registration(t.Context()); err != nil || got != want {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
		check("an empty server", parley.RegistrationStatus{Open: true, First: true})
		register(t, s, "ada@example.com")
		check("a server with an account", parley.RegistrationStatus{Open: true})
		s.settings = func() parley.Settings { return parley.Settings{} }
		check("a closed server", parley.RegistrationStatus{})
	})
}
