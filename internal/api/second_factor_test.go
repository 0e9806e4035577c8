package api_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/totp"
)

const adasPassword = "password of ada"

func TestSecondFactors(t *testing.T) {
	eachWith(t, func(w *world) { w.clock.freeze() }, func(w *world) {
		for i, p := range []part{
			{"a second factor is set up, used and turned off", aSecondFactorIsSetUpUsedAndTurnedOff},
			{"a login without a second factor is as before", aLoginWithoutASecondFactorIsAsBefore},
		} {
			w.domain = []string{"one.example.com", "two.example.com"}[i]
			w.sub(p.name, p.test)
		}
	})
}

// codeAt returns the code of a secret, some steps after the world's time.
func (w *world) codeAt(secret string, steps int) string {
	w.Helper()
	code, err := totp.Code(secret, totp.Step(w.clock.now())+int64(steps))
	w.must(err)
	return code
}

func aSecondFactorIsSetUpUsedAndTurnedOff(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	if got := w.request("GET", "/api/user/info", "", as(ada)); strings.Contains(got.text, "totp") {
		w.Errorf("without a second factor the user is %s", got.text)
	}
	_, err := ada.ConfirmSecondFactor(ctx, parley.ConfirmSecondFactorInput{Code: "123456"})
	w.wants(err, parley.CodeInvalidParameter, 400)
	_, err = ada.SetUpSecondFactor(ctx, parley.SecondFactorInput{})
	w.wants(err, parley.CodeInvalidParameter, 400)
	_, err = ada.SetUpSecondFactor(ctx, parley.SecondFactorInput{Password: "incorrect horse"})
	w.wants(err, parley.CodeWrongPassword, 401)
	made, err := ada.SetUpSecondFactor(ctx, parley.SecondFactorInput{Password: adasPassword})
	w.must(err)
	if user, err := ada.User(ctx); err != nil || user.TOTP {
		w.Errorf("before it is confirmed the user is %+v, %v", user, err)
	}
	_, err = ada.ConfirmSecondFactor(ctx, parley.ConfirmSecondFactorInput{Code: "12345"})
	w.wants(err, parley.CodeWrongPassword, 401)
	out, err := ada.ConfirmSecondFactor(ctx, parley.ConfirmSecondFactorInput{Code: w.codeAt(made.Secret, 0)})
	w.must(err)
	if user, err := ada.User(ctx); err != nil || !user.TOTP || len(out.RecoveryCodes) != parley.RecoveryCodes {
		w.Errorf("the user is %+v, %v; the codes are %q", user, err, out.RecoveryCodes)
	}

	login := func(password, code string) error {
		_, err := w.guest().Login(ctx, parley.LoginInput{Email: w.address("ada"), Password: password, Code: code})
		return err
	}
	for name, c := range map[string]struct {
		password, code string
		asks           bool
	}{
		"a wrong password": {"incorrect horse", w.codeAt(made.Secret, 1), false},
		"no code":          {adasPassword, "", true},
		"a used code":      {adasPassword, w.codeAt(made.Secret, 0), true},
		"a wrong code":     {adasPassword, "abc", true},
	} {
		err := login(c.password, c.code)
		w.wants(err, parley.CodeWrongPassword, 401)
		var failed *client.Error
		if errors.As(err, &failed) && failed.NeedsCode() != c.asks {
			w.Errorf("%s: %v with %s", name, err, failed.Body)
		}
	}
	w.must(login(adasPassword, w.codeAt(made.Secret, 1)))
	w.must(login(adasPassword, out.RecoveryCodes[0]))
	w.wants(login(adasPassword, out.RecoveryCodes[0]), parley.CodeWrongPassword, 401)
	if strings.Contains(w.Log.String(), made.Secret) || strings.Contains(w.Log.String(), out.RecoveryCodes[0]) {
		w.Error("the log has a secret")
	}

	_, err = ada.SetUpSecondFactor(ctx, parley.SecondFactorInput{Password: adasPassword})
	w.wants(err, parley.CodeWrongPassword, 401)
	var failed *client.Error
	if !errors.As(err, &failed) || !failed.NeedsCode() {
		w.Errorf("a new set-up without a code: %v", err)
	}
	_, err = ada.SetUpSecondFactor(ctx, parley.SecondFactorInput{Password: adasPassword, Code: out.RecoveryCodes[1]})
	w.must(err)

	_, key := w.key(ada, parley.ScopeChat)
	_, err = key.SetUpSecondFactor(ctx, parley.SecondFactorInput{})
	w.wants(err, parley.CodeInvalidParameter, 403)
	w.wants(ada.RemoveSecondFactor(ctx, parley.RemoveSecondFactorInput{}), parley.CodeInvalidParameter, 400)
	err = ada.RemoveSecondFactor(ctx, parley.RemoveSecondFactorInput{Password: "incorrect horse"})
	w.wants(err, parley.CodeWrongPassword, 401)
	w.must(ada.RemoveSecondFactor(ctx, parley.RemoveSecondFactorInput{Password: adasPassword}))
	w.must(login(adasPassword, ""))
	w.clock.forward(time.Hour)
}

// aLoginWithoutASecondFactorIsAsBefore checks what a client that only knows the contract gets.
func aLoginWithoutASecondFactorIsAsBefore(w *world) {
	w.user("ada")
	body := `{"email":"` + w.address("ada") + `","password":"` + adasPassword + `"}`
	got := w.request("POST", "/api/auth/login", body)
	if got.StatusCode != 200 || strings.Contains(got.text, "totp") || strings.Contains(got.text, "code") {
		w.Errorf("HTTP %d, %s", got.StatusCode, got.text)
	}
	wrong := w.request("POST", "/api/auth/login", strings.Replace(body, adasPassword, "wrong one", 1))
	if wrong.text != `{"error":1003,"message":"wrong password","success":false}`+"\n" {
		w.Errorf("a wrong password: %s", wrong.text)
	}
}

func TestAdministratorsMayNeedASecondFactor(t *testing.T) {
	settings := func(w *world) {
		w.AdminTOTP = true
		w.clock.freeze()
	}
	eachWith(t, settings, func(w *world) {
		ctx := w.Context()
		ada, bob := w.admin("ada"), w.user("bob")
		_, err := ada.Users(ctx, "", parley.Page{})
		w.wants(err, parley.CodeInvalidParameter, 403)
		_, err = bob.Users(ctx, "", parley.Page{})
		w.wants(err, parley.CodeInvalidParameter, 404)
		made, err := ada.SetUpSecondFactor(ctx, parley.SecondFactorInput{Password: adasPassword})
		w.must(err)
		_, err = ada.ConfirmSecondFactor(ctx, parley.ConfirmSecondFactorInput{Code: w.codeAt(made.Secret, 0)})
		w.must(err)
		out, err := ada.Users(ctx, "", parley.Page{})
		w.must(err)
		for _, user := range out.Users {
			if user.TOTP != user.Admin {
				w.Errorf("got %+v", user)
			}
		}
	})
}
