package account

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/store/storetest"
	"parley/internal/totp"
)

const ada = "ada@example.com"

// codeOf returns the code of a secret at a time.
func codeOf(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	code, err := totp.Code(secret, totp.Step(at))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// turnOn turns on a second factor and returns its secret and recovery codes. The next step begins.
func turnOn(t *testing.T, s *Service, c *clock, who *Identity) (secret string, recovery []string) {
	t.Helper()
	made, err := s.SetUpSecondFactor(t.Context(), who, parley.SecondFactorInput{Password: password}, here)
	if err != nil {
		t.Fatal(err)
	}
	in := parley.ConfirmSecondFactorInput{Code: codeOf(t, made.Secret, c.now)}
	out, err := s.ConfirmSecondFactor(t.Context(), who, in, here)
	if err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(totp.Period)
	return made.Secret, out.RecoveryCodes
}

// enter logs ada in.
func enter(t *testing.T, s *Service, password, code string, from Caller) error {
	t.Helper()
	_, err := s.Login(t.Context(), parley.LoginInput{Email: ada, Password: password, Code: code}, from)
	return err
}

// wantRefusal checks an error by its message, since several have the same code.
func wantRefusal(t *testing.T, name string, err error, want *parley.Error) {
	t.Helper()
	var got *parley.Error
	if want == nil {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	if !errors.As(err, &got) || got.Message != want.Message || got.Code != want.Code || got.Body != want.Body {
		t.Errorf("%s: %v", name, err)
	}
}

func TestALoginWithASecondFactor(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, c := service(t, url)
		_, who := register(t, s, ada)
		secret, recovery := turnOn(t, s, c, who)
		code := func(later time.Duration) string { return codeOf(t, secret, c.now.Add(later)) }
		spaced := code(0)[:3] + " " + code(0)[3:]
		for _, step := range []struct {
			name, password, code string
			want                 *parley.Error
		}{
			{"a wrong password says nothing of a code", "wrong", "", parley.ErrWrongPassword},
			{"nor with the right code", "wrong", code(0), parley.ErrWrongPassword},
			{"no code", password, "", parley.ErrCodeNeeded},
			{"a blank one", password, " - ", parley.ErrCodeNeeded},
			{"the code that confirmed it", password, code(-totp.Period), parley.ErrWrongCode},
			{"a code of two steps ahead", password, code(2 * totp.Period), parley.ErrWrongCode},
			{"the current code, with a space", password, spaced, nil},
			{"the same again", password, code(0), parley.ErrWrongCode},
			{"the next one, in wide digits", password, wide(code(totp.Period)), nil},
			{"a recovery code", password, strings.ToUpper(recovery[0]), nil},
			{"the same again", password, recovery[0], parley.ErrWrongCode},
			{"another without hyphens", password, strings.ReplaceAll(recovery[1], "-", ""), nil},
		} {
			wantRefusal(t, step.name, enter(t, s, step.password, step.code, here), step.want)
		}
		if user := identify(t, s, loginWith(t, s, recovery[2])).User; !user.TOTP {
			t.Errorf("the user is %+v", user)
		}
	})
}

// wide returns full-width digits.
func wide(digits string) string {
	return strings.Map(func(r rune) rune { return r - '0' + '０' }, digits)
}

// loginWith logs ada in with a code and returns the token.
func loginWith(t *testing.T, s *Service, code string) string {
	t.Helper()
	out, err := s.Login(t.Context(), parley.LoginInput{Email: ada, Password: password, Code: code}, here)
	if err != nil {
		t.Fatal(err)
	}
	return out.Token
}

func TestASetUpIsConfirmedByItsCode(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, c := service(t, url)
		_, who := register(t, s, ada)
		confirm := func(code string) error {
			_, err := s.ConfirmSecondFactor(t.Context(), who, parley.ConfirmSecondFactorInput{Code: code}, here)
			return err
		}
		wantRefusal(t, "without a set-up", confirm("123456"), parley.ErrNoSetUp)
		setUp := func(code string) (parley.SecondFactorOutput, error) {
			in := parley.SecondFactorInput{Password: password, Code: code}
			return s.SetUpSecondFactor(t.Context(), who, in, here)
		}
		first, err := setUp("")
		if err != nil || !strings.Contains(first.URI, "secret="+first.Secret) || !strings.Contains(first.URI, ada) {
			t.Errorf("the set-up is %+v, %v", first, err)
		}
		wantRefusal(t, "a wrong code", confirm("abc"), parley.ErrWrongCode)
		wantRefusal(t, "a login before it is confirmed", enter(t, s, password, "", here), nil)
		old, recovery := turnOn(t, s, c, who)
		if len(recovery) != parley.RecoveryCodes || recovery[0] == recovery[1] {
			t.Errorf("the recovery codes are %q", recovery)
		}
		wantRefusal(t, "the code of an earlier set-up", confirm(codeOf(t, first.Secret, c.now)), parley.ErrNoSetUp)
		_, err = setUp("")
		wantRefusal(t, "a new set-up by a request that is older than the second factor", err, parley.ErrCodeNeeded)
		who.User.TOTP = true
		_, err = setUp("")
		wantRefusal(t, "a new set-up without a code", err, parley.ErrCodeNeeded)
		_, err = setUp("000000")
		wantRefusal(t, "a new set-up with a wrong code", err, parley.ErrWrongCode)
		again, err := setUp(codeOf(t, old, c.now))
		if err != nil {
			t.Fatal(err)
		}
		_, err = setUp(codeOf(t, old, c.now))
		wantRefusal(t, "a new set-up with the same code", err, parley.ErrWrongCode)
		c.now = c.now.Add(totp.Period)
		wantRefusal(t, "the old one meanwhile", enter(t, s, password, codeOf(t, old, c.now), here), nil)
		wantRefusal(t, "the new one meanwhile", enter(t, s, password, codeOf(t, again.Secret, c.now), here),
			parley.ErrWrongCode)
		wantRefusal(t, "the old code does not confirm", confirm(codeOf(t, old, c.now)), parley.ErrWrongCode)
		wantRefusal(t, "the new one does", confirm(codeOf(t, again.Secret, c.now)), nil)
		c.now = c.now.Add(totp.Period)
		wantRefusal(t, "the old one", enter(t, s, password, codeOf(t, old, c.now), here), parley.ErrWrongCode)
		wantRefusal(t, "an old recovery code", enter(t, s, password, recovery[0], here), parley.ErrWrongCode)
		wantRefusal(t, "the new one", enter(t, s, password, codeOf(t, again.Secret, c.now), here), nil)
	})
}

// TestAStolenTokenTurnsOnNoSecondFactor has a token and guesses the password.
func TestAStolenTokenTurnsOnNoSecondFactor(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		_, who := register(t, s, ada)
		setUp := func(password string) error {
			_, err := s.SetUpSecondFactor(t.Context(), who, parley.SecondFactorInput{Password: password}, here)
			return err
		}
		wantRefusal(t, "without the password", setUp(""), parley.Invalid("password is required"))
		for range maxAttempts {
			wantRefusal(t, "a wrong password", setUp("wrong"), parley.ErrWrongPassword)
		}
		if err := setUp(password); !errors.Is(err, parley.ErrTooManyAttempts) {
			t.Errorf("after %d wrong passwords: %v", maxAttempts, err)
		}
		factor, err := s.store.SecondFactor(t.Context(), who.User.ID)
		if err != nil || factor.Pending != "" {
			t.Errorf("the second factor is %+v, %v", factor, err)
		}
	})
}

// TestAConfirmedSecondFactorLeavesTheWrongPasswords checks that nobody with a token gets more guesses of the password.
func TestAConfirmedSecondFactorLeavesTheWrongPasswords(t *testing.T) {
	s, c := service(t, "")
	_, who := register(t, s, ada)
	in := parley.SecondFactorInput{Password: password}
	made, err := s.SetUpSecondFactor(t.Context(), who, in, here)
	if err != nil {
		t.Fatal(err)
	}
	for range maxAttempts - 1 {
		wantRefusal(t, "a wrong password", enter(t, s, "wrong", "", here), parley.ErrWrongPassword)
	}
	confirmed := parley.ConfirmSecondFactorInput{Code: codeOf(t, made.Secret, c.now)}
	if _, err := s.ConfirmSecondFactor(t.Context(), who, confirmed, here); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, "the last wrong password", enter(t, s, "wrong", "", here), parley.ErrWrongPassword)
	if err := enter(t, s, "wrong", "", here); !errors.Is(err, parley.ErrTooManyAttempts) {
		t.Errorf("after %d wrong passwords: %v", maxAttempts, err)
	}
}

func TestASecondFactorIsTurnedOffByThePassword(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, c := service(t, url)
		_, who := register(t, s, ada)
		turnOn(t, s, c, who)
		remove := func(password string) error {
			return s.RemoveSecondFactor(t.Context(), who, parley.RemoveSecondFactorInput{Password: password}, here)
		}
		wantRefusal(t, "no password", remove(""), parley.Invalid("password is required"))
		wantRefusal(t, "a wrong password", remove("wrong"), parley.ErrWrongPassword)
		wantRefusal(t, "it is still on", enter(t, s, password, "", here), parley.ErrCodeNeeded)
		wantRefusal(t, "the password", remove(password), nil)
		wantRefusal(t, "it is off", enter(t, s, password, "", here), nil)
		wantRefusal(t, "a code does no harm", enter(t, s, password, "123456", here), nil)
		wantRefusal(t, "again", remove(password), nil)
		turnOn(t, s, c, who)
		if err := s.TurnOffSecondFactor(t.Context(), Shell(), who.User.ID); err != nil {
			t.Fatal(err)
		}
		wantRefusal(t, "an operator has turned it off", enter(t, s, password, "", here), nil)
	})
}

func TestWrongCodesAreGuesses(t *testing.T) {
	elsewhere := func(i int) Caller { return Caller{Address: "198.51.100." + string(rune('1'+i))} }
	t.Run("a missing code counts, and the right password does not reset it", func(t *testing.T) {
		s, c := service(t, "")
		_, who := register(t, s, ada)
		secret, _ := turnOn(t, s, c, who)
		for range maxAttempts {
			wantRefusal(t, "no code", enter(t, s, password, "", here), parley.ErrCodeNeeded)
		}
		if err := enter(t, s, password, codeOf(t, secret, c.now), here); !errors.Is(err, parley.ErrTooManyAttempts) {
			t.Errorf("after %d: %v", maxAttempts, err)
		}
		wantRefusal(t, "from elsewhere", enter(t, s, password, codeOf(t, secret, c.now), elsewhere(1)), nil)
	})
	t.Run("those for an account count together wherever they come from", func(t *testing.T) {
		s, c := service(t, "")
		_, who := register(t, s, ada)
		secret, _ := turnOn(t, s, c, who)
		for i := range maxAttempts {
			wantRefusal(t, "a wrong code", enter(t, s, password, "000000x", elsewhere(i%5)), parley.ErrWrongCode)
		}
		if err := enter(t, s, password, codeOf(t, secret, c.now), here); !errors.Is(err, parley.ErrTooManyAttempts) {
			t.Errorf("from another network: %v", err)
		}
		wantRefusal(t, "a wrong password", enter(t, s, "wrong", "", here), parley.ErrWrongPassword)
		c.now = c.now.Add(attemptWindow)
		wantRefusal(t, "later", enter(t, s, password, codeOf(t, secret, c.now), here), nil)
	})
	t.Run("those of a set-up do not keep the owner out", func(t *testing.T) {
		s, c := service(t, "")
		_, who := register(t, s, ada)
		secret, _ := turnOn(t, s, c, who)
		who.User.TOTP = true
		setUp := func(code string, from Caller) error {
			in := parley.SecondFactorInput{Password: password, Code: code}
			_, err := s.SetUpSecondFactor(t.Context(), who, in, from)
			return err
		}
		for i := range maxAttempts {
			wantRefusal(t, "a wrong code", setUp("000000x", elsewhere(i%5)), parley.ErrWrongCode)
		}
		if err := setUp(codeOf(t, secret, c.now), here); !errors.Is(err, parley.ErrTooManyAttempts) {
			t.Errorf("from another network: %v", err)
		}
		wantRefusal(t, "a login", enter(t, s, password, codeOf(t, secret, c.now), here), nil)
	})
	t.Run("a login forgets them", func(t *testing.T) {
		s, c := service(t, "")
		_, who := register(t, s, ada)
		secret, _ := turnOn(t, s, c, who)
		for range 2 {
			for range maxAttempts - 1 {
				wantRefusal(t, "a wrong code", enter(t, s, password, "wrong", here), parley.ErrWrongCode)
			}
			wantRefusal(t, "the right one", enter(t, s, password, codeOf(t, secret, c.now), here), nil)
			c.now = c.now.Add(totp.Period)
		}
	})
}

func TestOfManyLoginsWithOneCodeOneSucceeds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, c := service(t, url)
		_, who := register(t, s, ada)
		secret, _ := turnOn(t, s, c, who)
		code := codeOf(t, secret, c.now)
		const crowd = 6
		errs := make(chan error)
		for i := range crowd {
			go func() { errs <- enter(t, s, password, code, Caller{Address: "192.0.2." + string(rune('1'+i))}) }()
		}
		succeeded := 0
		for range crowd {
			switch err := <-errs; {
			case err == nil:
				succeeded++
			case !errors.Is(err, parley.ErrWrongCode):
				t.Error(err)
			}
		}
		if succeeded != 1 {
			t.Errorf("%d logins", succeeded)
		}
	})
}

func TestADisabledUserIsAskedForNoCode(t *testing.T) {
	s, c := service(t, "")
	_, who := register(t, s, ada)
	turnOn(t, s, c, who)
	if err := s.Disable(t.Context(), Shell(), who.User.ID); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, "disabled", enter(t, s, password, "", here), parley.ErrDisabled)
}
