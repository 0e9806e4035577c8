package browser

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/totp"
)

// code returns the code of a secret, by steps later than now.
func code(t *testing.T, secret string, later int64) string {
	t.Helper()
	c, err := totp.Code(strings.ReplaceAll(secret, " ", ""), totp.Step(time.Now())+later)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestASecondFactorIsSetUpUsedAndTurnedOff logs in with a code of the app and with a recovery code.
func TestASecondFactorIsSetUpUsedAndTurnedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := signedIn(t, w, w.register(t), "#/settings/second-factor", 1280)
	b.shows("The second factor is off.")
	b.press("Set up…")
	b.write(`dialog input[name="confirm-factor"]`, password)
	b.press("Continue")
	b.until(`document.querySelector("dialog[open] svg[role=img] path") && document.querySelector("dialog code.secret")`)
	secret := value[string](b, `document.querySelector("dialog code.secret").textContent`)
	b.until(`document.activeElement.name === "factor-code"`)
	b.write(`dialog input[name="factor-code"]`, code(t, secret, 0))
	b.press("Turn on")
	b.shows("each one logs in once if you lose your phone")
	recovery := value[[]string](b, `[...document.querySelectorAll("dialog li code")].map(e => e.textContent)`)
	if len(recovery) != parley.RecoveryCodes {
		t.Fatalf("the recovery codes are %q", recovery)
	}
	b.press("I have kept them")
	b.shows("The second factor is on.")

	enter := func(typed string, recovery bool) {
		t.Helper()
		b.eval(`localStorage.removeItem("parley.token")`)
		b.reload()
		b.tryToLogIn(email, password)
		b.until(`document.activeElement?.autocomplete === "one-time-code"`)
		if recovery {
			b.press("Use a recovery code")
			b.until(`document.activeElement?.name === "code" && document.activeElement.autocomplete === "off"`)
		}
		b.write(`input[name="code"]`, typed)
		b.enter()
	}
	enter("000000", false)
	b.shows("The code is wrong or was used before.")
	b.write(`input[name="code"]`, code(t, secret, 1))
	b.enter()
	b.until(`localStorage.getItem("parley.token")`)
	enter(strings.ToUpper(recovery[0]), true)
	b.until(`localStorage.getItem("parley.token")`)

	b.eval(`location.hash = "#/settings/second-factor"`)
	b.press("Set up anew…")
	b.shows("Enter a code of the present app first")
	b.press("Use a recovery code")
	b.write(`dialog input[name="code"]`, recovery[1])
	b.write(`dialog input[name="confirm-factor"]`, password)
	b.enter()
	b.until(`document.querySelector("dialog[open] svg[role=img] path")`)
	b.press("Cancel")
	b.press("Turn off…")
	b.write(`dialog input[name="confirm-factor"]`, password)
	b.press("Turn off")
	b.shows("The second factor is off.")
	if _, err := w.api.Login(t.Context(), parley.LoginInput{Email: email, Password: password}); err != nil {
		t.Error(err)
	}
}
