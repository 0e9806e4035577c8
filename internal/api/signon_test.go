package api_test

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/account"
	"parley/internal/config"
	"parley/internal/oidc"
	"parley/internal/oidc/oidctest"
)

// eachSignOn runs a test in a world with a provider of single sign-on, on each database.
func eachSignOn(t *testing.T, settings, test func(w *world)) {
	t.Helper()
	eachWith(t, func(w *world) {
		w.SignOn = oidctest.New(w.T)
		w.PublicURL = "http://localhost:8080"
		settings(w)
	}, test)
}

// signOn returns the provider of a world as the server sees it, or nil.
func (w *world) signOn() *oidc.Provider {
	if w.SignOn == nil {
		return nil
	}
	provider := oidc.New(oidc.Config{
		Issuer: w.SignOn.URL, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret,
		RedirectURL: w.PublicURL + "/api/auth/oidc/callback", Timeout: w.SignOnTimeout, Now: w.clock.now,
	})
	w.Cleanup(provider.Close)
	return provider
}

// person returns the claims of a user with a verified address.
func (w *world) person(name string) oidctest.Claims {
	return oidctest.Claims{"sub": "subject of " + w.address(name), "email": w.address(name), "email_verified": true}
}

// signInBrowser is a browser with its cookies. It follows redirects one by one.
type signInBrowser struct {
	*world
	cookies map[string]string
}

func (w *world) browser() *signInBrowser { return &signInBrowser{w, map[string]string{}} }

// get requests an address and returns the target of its redirect.
func (b *signInBrowser) get(address string) string {
	b.Helper()
	address = strings.Replace(address, b.PublicURL, b.URL, 1)
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, nil)
	b.must(err)
	ours := strings.HasPrefix(address, b.URL)
	if ours {
		for name, value := range b.cookies {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
	}
	noRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := (&http.Client{CheckRedirect: noRedirects}).Do(r)
	b.must(err)
	defer res.Body.Close()
	for _, cookie := range res.Cookies() {
		if ours {
			b.cookies[cookie.Name] = cookie.Value
		}
	}
	if res.StatusCode != http.StatusFound || ours && res.Header.Get("Referrer-Policy") != "no-referrer" {
		b.Fatalf("%s: HTTP %d, %v", address, res.StatusCode, res.Header)
	}
	return res.Header.Get("Location")
}

// callback goes to the provider and returns the address to which the provider sends the browser back.
func (b *signInBrowser) callback() string {
	b.Helper()
	return b.get(b.get(b.URL + "/api/auth/oidc/start"))
}

// signIn goes to the provider and back. It returns the page where the browser ends.
func (b *signInBrowser) signIn() string {
	b.Helper()
	return b.get(b.callback())
}

// code returns the code in the address of a page.
func (w *world) code(page, kind string) string {
	w.Helper()
	code, found := strings.CutPrefix(page, "/#"+kind+"=")
	if !found || len(code) != 43 {
		w.Fatalf("the page is %s, want #%s=", page, kind)
	}
	return code
}

// signedIn signs a user in and returns a client with the token.
func (w *world) signedIn(user oidctest.Claims) *client.Client {
	w.Helper()
	w.SignOn.SignIn(user)
	c := w.guest()
	_, err := c.SignIn(w.Context(), parley.SignInInput{Code: w.code(w.browser().signIn(), "login")})
	w.must(err)
	return c
}

func (w *world) info(c *client.Client) parley.UserInfo {
	w.Helper()
	info, err := c.User(w.Context())
	w.must(err)
	return info
}

func TestSignOn(t *testing.T) {
	eachSignOn(t, func(*world) {}, func(w *world) {
		for i, p := range []part{
			{"the first sign-in makes an account", theFirstSignInMakesAnAccount},
			{"a code works once", aCodeWorksOnce},
			{"an account is linked after its password", anAccountIsLinkedAfterItsPassword},
			{"a link needs the second factor", aLinkNeedsTheSecondFactor},
			{"an account without a password", anAccountWithoutAPassword},
			{"a disabled account is refused", aDisabledAccountIsRefused},
			{"the address may be in the user's info", theAddressMayBeInTheUsersInfo},
			{"the provider is asked with PKCE", theProviderIsAskedWithPKCE},
			{"two tabs sign in", twoTabsSignIn},
		} {
			w.domain = "signon" + string(rune('a'+i)) + ".example.com"
			w.sub(p.name, p.test)
		}
	})
}

func theFirstSignInMakesAnAccount(w *world) {
	name, err := w.guest().SignOn(w.Context())
	w.must(err)
	if name.Name != "Example Company" {
		w.Errorf("the provider is %+v", name)
	}
	if status, err := w.guest().ResetStatus(w.Context()); err != nil || status.SignOnName != "Example Company" {
		w.Errorf("the status is %+v, %v", status, err)
	}
	ada := w.person("ada")
	ada["name"] = " Ada L. "
	first := w.info(w.signedIn(ada))
	if first.Email != w.address("ada") || first.Nickname != "Ada L." || !first.SignOn || !first.Passwordless {
		w.Errorf("the account is %+v", first)
	}
	ada["email"], ada["name"] = w.address("other"), "Other" // the account stays the same
	if again := w.info(w.signedIn(ada)); again != first {
		w.Errorf("the second time it is %+v", again)
	}
	if log := w.Log.String(); !strings.Contains(log, "audit=register") || !strings.Contains(log, "audit=login user=") ||
		!strings.Contains(log, "by=oidc") {
		w.Errorf("the audit log is %s", log)
	}
}

func aCodeWorksOnce(w *world) {
	w.SignOn.SignIn(w.person("ada"))
	code := w.code(w.browser().signIn(), "login")
	_, err := w.guest().SignIn(w.Context(), parley.SignInInput{Code: code[:42] + "_"})
	w.wants(err, parley.CodeBadToken, 401)
	_, err = w.guest().SignIn(w.Context(), parley.SignInInput{Code: code})
	w.must(err)
	_, err = w.guest().SignIn(w.Context(), parley.SignInInput{Code: code})
	w.wants(err, parley.CodeBadToken, 401)
}

func anAccountIsLinkedAfterItsPassword(w *world) {
	ctx := w.Context()
	before := w.user("ada")
	w.SignOn.SignIn(w.person("ada"))
	code := w.code(w.browser().signIn(), "link")
	_, err := w.guest().SignIn(ctx, parley.SignInInput{Code: code})
	w.wants(err, parley.CodeInvalidParameter, 400)
	_, err = w.guest().SignIn(ctx, parley.SignInInput{Code: code, Password: "guessed-1"})
	w.wants(err, parley.CodeWrongPassword, 401)
	if info := w.info(before); info.SignOn {
		w.Error("the account is linked without its password")
	}
	c := w.guest()
	out, err := c.SignIn(ctx, parley.SignInInput{Code: code, Password: "password of ada"})
	w.must(err)
	info := w.info(before) // earlier logins stay
	if out.User.ID != info.UserID || !info.SignOn || info.Passwordless || w.info(c) != info {
		w.Errorf("the account is %+v, the login %+v", info, out)
	}
	if !strings.Contains(w.Log.String(), "audit=identity-link") {
		w.Error("the link is not in the audit log")
	}
	_, err = w.guest().SignIn(ctx, parley.SignInInput{Code: code, Password: "password of ada"})
	w.wants(err, parley.CodeBadToken, 401)
	if again := w.info(w.signedIn(w.person("ada"))); again != info {
		w.Errorf("the next time it is %+v", again)
	}
	_, err = w.guest().Login(ctx, parley.LoginInput{Email: w.address("ada"), Password: "password of ada"})
	w.must(err)
}

func aLinkNeedsTheSecondFactor(w *world) {
	ctx := w.Context()
	before := w.user("ada")
	made, err := before.SetUpSecondFactor(ctx, parley.SecondFactorInput{Password: adasPassword})
	w.must(err)
	_, err = before.ConfirmSecondFactor(ctx, parley.ConfirmSecondFactorInput{Code: w.codeAt(made.Secret, -1)})
	w.must(err)
	w.SignOn.SignIn(w.person("ada"))
	code := w.code(w.browser().signIn(), "link")
	link := func(password, totp string) (parley.LoginOutput, error) {
		return w.guest().SignIn(ctx, parley.SignInInput{Code: code, Password: password, TOTP: totp})
	}
	for _, c := range []struct {
		name, password, totp string
		asks                 bool
	}{
		{"a wrong password", "guessed-1", w.codeAt(made.Secret, 0), false},
		{"no code", "password of ada", "", true},
		{"a wrong code", "password of ada", "000000x", true},
	} {
		_, err := link(c.password, c.totp)
		w.wants(err, parley.CodeWrongPassword, 401)
		var failed *client.Error
		if errors.As(err, &failed) && failed.NeedsCode() != c.asks {
			w.Errorf("%s: %v with %s", c.name, err, failed.Body)
		}
	}
	if info := w.info(before); info.SignOn {
		w.Error("the account is linked without its second factor")
	}
	out, err := link("password of ada", w.codeAt(made.Secret, 0))
	w.must(err)
	if info := w.info(before); out.User.ID != info.UserID || !info.SignOn || !info.TOTP {
		w.Errorf("the account is %+v, the login %+v", info, out)
	}
}

func anAccountWithoutAPassword(w *world) {
	ctx := w.Context()
	ada := w.signedIn(w.person("ada"))
	for _, password := range []string{"guessed-2", "$argon2id$v=19"} {
		_, err := w.guest().Login(ctx, parley.LoginInput{Email: w.address("ada"), Password: password})
		w.wants(err, parley.CodeWrongPassword, 401)
		err = ada.ChangePassword(ctx, parley.PasswordInput{OldPassword: password, NewPassword: "a new password"})
		w.wants(err, parley.CodeWrongPassword, 401)
	}
	made, err := ada.SetUpSecondFactor(ctx, parley.SecondFactorInput{})
	w.must(err)
	_, err = ada.ConfirmSecondFactor(ctx, parley.ConfirmSecondFactorInput{Code: w.codeAt(made.Secret, 0)})
	w.must(err)
	w.must(ada.RemoveSecondFactor(ctx, parley.RemoveSecondFactorInput{}))
	w.clock.forward(5 * time.Minute)
	_, err = ada.SetUpSecondFactor(ctx, parley.SecondFactorInput{})
	w.wants(err, parley.CodeWrongPassword, 401)
	w.wants(ada.RemoveSecondFactor(ctx, parley.RemoveSecondFactorInput{}), parley.CodeWrongPassword, 401)
	w.wants(ada.DeleteUser(ctx, parley.DeleteUserInput{}), parley.CodeWrongPassword, 401)
	w.wants(ada.DeleteUser(ctx, parley.DeleteUserInput{Password: "guessed-3"}), parley.CodeWrongPassword, 401)
	ada = w.signedIn(w.person("ada"))
	old := w.info(ada).UserID
	w.must(ada.DeleteUser(ctx, parley.DeleteUserInput{}))
	if again := w.info(w.signedIn(w.person("ada"))).UserID; again == old {
		w.Error("the account was not deleted")
	}
	bea := w.user("bea")
	w.wants(bea.DeleteUser(ctx, parley.DeleteUserInput{}), parley.CodeInvalidParameter, 400)
}

func aDisabledAccountIsRefused(w *world) {
	ctx := w.Context()
	ada := w.info(w.signedIn(w.person("ada")))
	bea := w.info(w.user("bea"))
	w.SignOn.SignIn(w.person("ada"))
	code := w.code(w.browser().signIn(), "login")
	for _, user := range []parley.UserInfo{ada, bea} {
		w.must(w.app.Accounts.Disable(ctx, account.Shell(), user.UserID))
	}
	_, err := w.guest().SignIn(ctx, parley.SignInInput{Code: code})
	w.wants(err, parley.CodeInvalidParameter, 403)
	for _, name := range []string{"ada", "bea"} {
		w.SignOn.SignIn(w.person(name))
		if page := w.browser().signIn(); page != "/#login-error=disabled" {
			w.Errorf("%s: the page is %s", name, page)
		}
		want := map[string]int64{"ada": ada.UserID, "bea": bea.UserID}[name]
		if entry := w.newestFailure(); entry.UserID != want || entry.Object != "reason=disabled" || entry.Address == "" {
			w.Errorf("%s: the audit log has %+v", name, entry)
		}
	}
}

func theAddressMayBeInTheUsersInfo(w *world) {
	sub := "subject of " + w.address("eve")
	info := oidctest.Claims{"sub": sub, "email": w.address("eve"), "email_verified": true}
	if got := w.info(w.signedIn(oidctest.Claims{"sub": sub, "userinfo": info})); got.Email != w.address("eve") {
		w.Errorf("the account is %+v", got)
	}
}

func theProviderIsAskedWithPKCE(w *world) {
	w.SignOn.SignIn(w.person("ada"))
	before := len(w.SignOn.Asked())
	w.browser().signIn()
	w.browser().signIn()
	asked := w.SignOn.Asked()[before:]
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if first, second := asked[0].Get(name), asked[1].Get(name); first == second || len(first) < 26 {
			w.Errorf("%s is %q, then %q", name, first, second)
		}
	}
	for name, want := range map[string]string{
		"response_type": "code", "code_challenge_method": "S256", "scope": "openid email profile",
		"redirect_uri": w.PublicURL + "/api/auth/oidc/callback",
	} {
		if got := asked[0].Get(name); got != want {
			w.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func twoTabsSignIn(w *world) {
	w.SignOn.SignIn(w.person("ada"))
	b := w.browser()
	first, second := b.callback(), b.callback()
	w.code(b.get(first), "login")
	w.code(b.get(second), "login")
}

func TestCodesAndSignInsExpire(t *testing.T) {
	eachSignOn(t, func(w *world) { w.clock.freeze() }, func(w *world) {
		w.user("bea")
		for _, test := range []struct {
			user, kind string
			after      time.Duration
		}{{"ada", "login", time.Minute}, {"bea", "link", 10 * time.Minute}} {
			w.SignOn.SignIn(w.person(test.user))
			b := w.browser()
			late := b.callback()
			code := w.code(b.signIn(), test.kind)
			w.clock.forward(test.after)
			_, err := w.guest().SignIn(w.Context(), parley.SignInInput{Code: code, Password: "password of bea"})
			w.wants(err, parley.CodeBadToken, 401)
			w.clock.forward(10*time.Minute - test.after)
			if page := b.get(late); page != "/#login-error=expired" {
				w.Errorf("after ten minutes the page is %s", page)
			}
		}
	})
}

func TestSignInsSurviveARestart(t *testing.T) {
	eachSignOn(t, func(*world) {}, func(w *world) {
		w.SignOn.SignIn(w.person("ada"))
		b := w.browser()
		callback := b.callback()
		w.restart()
		page := b.get(callback)
		w.restart()
		_, err := w.guest().SignIn(w.Context(), parley.SignInInput{Code: w.code(page, "login")})
		w.must(err)
	})
}

func TestAClosedServerTakesOnlyItsUsers(t *testing.T) {
	eachSignOn(t, func(*world) {}, func(w *world) {
		known := w.info(w.signedIn(w.person("ada")))
		w.user("bea")
		w.SignOn.SignIn(w.person("eve"))
		early := w.code(w.browser().signIn(), "login")
		w.stop()
		w.Settings.Registration = false
		w.start()
		_, err := w.guest().SignIn(w.Context(), parley.SignInInput{Code: early})
		w.wants(err, parley.CodeInvalidParameter, 403)
		if page := w.browser().signIn(); page != "/#login-error=closed" {
			w.Errorf("the page is %s", page)
		}
		if again := w.info(w.signedIn(w.person("ada"))); again != known {
			w.Errorf("the account is %+v", again)
		}
		w.SignOn.SignIn(w.person("bea"))
		_, err = w.guest().SignIn(w.Context(), parley.SignInInput{
			Code: w.code(w.browser().signIn(), "link"), Password: "password of bea",
		})
		w.must(err)
	})
}

// TestALinkByAddressEndsEarlierAccess has somebody register the address before its owner signs in.
func TestALinkByAddressEndsEarlierAccess(t *testing.T) {
	eachSignOn(t, func(w *world) { w.LinkByEmail = true }, func(w *world) {
		ctx := w.Context()
		squatter := w.user("ada")
		id := w.info(squatter).UserID
		_, key := w.key(squatter, parley.ScopeRead)
		owner := w.info(w.signedIn(w.person("ada")))
		if owner.UserID != id || !owner.SignOn || !owner.Passwordless {
			w.Errorf("the account is %+v, not %d", owner, id)
		}
		for _, c := range []*client.Client{squatter, key} {
			_, err := c.User(ctx)
			w.wants(err, parley.CodeBadToken, 401)
		}
		_, err := w.guest().Login(ctx, parley.LoginInput{Email: w.address("ada"), Password: "password of ada"})
		w.wants(err, parley.CodeWrongPassword, 401)
	})
}

func TestAServerWithoutSignOnHasNoPathForIt(t *testing.T) {
	each(t, func(w *world) {
		unknown := w.request("GET", "/api/auth/no-such-path", "")
		for _, path := range []string{"/api/auth/oidc", "/api/auth/oidc/start", "/api/auth/oidc/callback"} {
			if got := w.request("GET", path, ""); got.StatusCode != unknown.StatusCode || got.text != unknown.text {
				w.Errorf("%s: HTTP %d, %s", path, got.StatusCode, got.text)
			}
		}
		if status, err := w.guest().ResetStatus(w.Context()); err != nil || status.SignOnName != "" {
			w.Errorf("the status is %+v, %v", status, err)
		}
		_, err := w.guest().SignIn(w.Context(), parley.SignInInput{Code: "any"})
		w.wants(err, parley.CodeBadToken, 401)
	})
}

// TestTheCookieOfASignIn checks that no other host and no script can set or read the cookie.
func TestTheCookieOfASignIn(t *testing.T) {
	for publicURL, want := range map[string]string{
		"https://chat.example.com": "__Host-parley-sign-in=C; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax",
		"http://localhost:8080":    "parley-sign-in=C; Path=/; Max-Age=600; HttpOnly; SameSite=Lax",
	} {
		t.Run(publicURL, func(t *testing.T) {
			w := newWorld(t, "")
			w.SignOn, w.PublicURL = oidctest.New(t), publicURL
			w.start()
			got := w.redirected("/api/auth/oidc/start")
			cookie := got.Get("Set-Cookie")
			_, value, _ := strings.Cut(cookie, "=")
			value, _, _ = strings.Cut(value, ";")
			if strings.Replace(cookie, value, "C", 1) != want || len(value) != 43 {
				t.Errorf("the cookie is %s", cookie)
			}
			if got.Get("Cache-Control") != "no-store" {
				t.Errorf("the headers are %v", got)
			}
		})
	}
}

// redirected requests a path with headers and returns the headers of the redirect.
func (w *world) redirected(path string, headers ...string) http.Header {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.URL+path, nil)
	w.must(err)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	w.must(err)
	w.must(res.Body.Close())
	return res.Header
}

func TestSignInsCountAsLogins(t *testing.T) {
	settings := func(w *world) {
		w.RateLimit.Login = config.Rate{Requests: 2, Per: time.Minute}
		w.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		w.clock.freeze()
	}
	eachSignOn(t, settings, func(w *world) {
		const elsewhere = "X-Forwarded-For: 192.0.2.7"
		exchange := func() *reply {
			return w.request("POST", "/api/auth/oidc/exchange", `{"code":"any"}`, elsewhere)
		}
		for range 2 {
			if got := exchange(); got.code() != parley.CodeBadToken {
				w.Errorf("HTTP %d, %s", got.StatusCode, got.text)
			}
		}
		if got := exchange(); got.StatusCode != 429 || got.code() != parley.CodeTooManyAttempts {
			w.Errorf("HTTP %d, %s", got.StatusCode, got.text)
		}
		for _, path := range []string{"/api/auth/oidc/start", "/api/auth/oidc/callback"} {
			if got := w.redirected(path, elsewhere).Get("Location"); got != "/#login-error=too-many" {
				w.Errorf("%s: %s", path, got)
			}
		}
	})
}
