package browser

import (
	"bufio"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/client"
)

// newSignOnWorld starts a server. Its users can sign in at a provider of OpenID Connect. Browsers reach it through a
// proxy, since its address is known before the server starts.
func newSignOnWorld(t *testing.T, settings ...string) *world {
	t.Helper()
	need(t)
	var server atomic.Pointer[url.URL]
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(server.Load()) },
	})
	t.Cleanup(proxy.Close)
	issuer := startProvider(t, proxy.URL+"/api/auth/oidc/callback")
	w := newWorld(t, append([]string{
		"PARLEY_PUBLIC_URL=" + proxy.URL, "PARLEY_OIDC_ISSUER=" + issuer, "PARLEY_OIDC_CLIENT_ID=parley",
		"PARLEY_OIDC_CLIENT_SECRET=a-secret-of-the-client", "PARLEY_OIDC_NAME=Example Company",
	}, settings...)...)
	address, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	server.Store(address)
	w.url = proxy.URL
	return w
}

// startProvider starts the provider and returns its address.
func startProvider(t *testing.T, redirect string) string {
	t.Helper()
	script := os.Getenv("PARLEY_TEST_OIDC")
	if script == "" {
		if os.Getenv("PARLEY_TEST_BROWSER") != "" {
			t.Fatal("PARLEY_TEST_OIDC is not what scripts/packages prints")
		}
		t.Skip("PARLEY_TEST_OIDC is not what scripts/packages prints")
	}
	command := exec.CommandContext(t.Context(), "node", script, redirect)
	command.Stderr = t.Output()
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may have exited
		_ = command.Wait()         // it was killed
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the provider did not start: %v", err)
	}
	return strings.TrimSpace(address)
}

// signIn goes to the provider and signs in there with an address.
func (b *tab) signIn(login string) {
	b.Helper()
	b.press("Sign in with Example Company")
	b.until(`document.title === "Provider"`)
	if login != "" {
		b.write(`input[name="login"]`, login)
	}
	b.press("Continue")
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	w := newSignOnWorld(t)
	b := open(t, w.url, 1280)
	b.signIn("eve@example.com")
	b.until(`document.querySelector("#composer")`)
	if hash := value[string](b, `location.href`); strings.Contains(hash, "login") {
		t.Errorf("the code stays in the address: %s", hash)
	}
	b.eval(`location.hash = "#/settings/password"`)
	b.shows("This account has no password: you sign in with Example Company.")
	if value[bool](b, `document.querySelector("input[name=old]") !== null`) {
		t.Error("a password that is not there can be changed")
	}

	// Again: the provider knows the browser, and the account is the same.
	id := value[string](b, `localStorage.getItem("parley.user")`)
	b.press("Log out")
	b.press("Sign in with Example Company")
	b.until(`document.querySelector("#composer")`)
	if again := value[string](b, `localStorage.getItem("parley.user")`); again != id {
		t.Errorf("the account is %s, then %s", id, again)
	}
}

func TestSignInLinksAnAccount(t *testing.T) {
	t.Parallel()
	w := newSignOnWorld(t)
	w.register(t)
	b := open(t, w.url, 1280)
	b.signIn(email)
	b.shows("There is already an account with the e-mail address that Example Company gave.")
	b.write(`input[name="password"]`, "a wrong one")
	b.press("Connect")
	b.shows("The password is wrong.")
	b.eval(`document.querySelector("input[name=password]").value = ""`)
	b.write(`input[name="password"]`, password)
	b.press("Connect")
	b.until(`document.querySelector("#composer")`)
	b.eval(`location.hash = "#/settings/password"`)
	b.shows("You can also sign in with Example Company.")
	if info, err := w.api.User(t.Context()); err != nil || !info.SignOn || info.Passwordless {
		t.Errorf("the account is %+v, %v", info, err)
	}
}

// TestASignInThatFailsSaysWhy cancels, comes without a verified address, and follows a link of somebody else.
func TestASignInThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	w := newSignOnWorld(t)
	b := open(t, w.url, 390)
	b.signIn("")
	b.shows("You were not signed in: the sign-in was canceled.")
	b.press("Back")
	b.signIn("unverified@example.com")
	b.shows("the sign-in service has no verified e-mail address of yours")
	for _, problem := range problems(b) {
		t.Error(problem)
	}
	b.do(chromedp.Navigate("about:blank"))
	b.do(chromedp.Navigate(w.url + "/#login=somebody-elses-code"))
	b.shows("This sign-in was not begun in this tab.")
	b.press("Back")
	b.until(button("Sign in with Example Company"))
}

// TestAnAccountWithoutAPasswordIsDeleted deletes an account right after its user has signed in.
func TestAnAccountWithoutAPasswordIsDeleted(t *testing.T) {
	t.Parallel()
	w := newSignOnWorld(t)
	b := open(t, w.url, 1280)
	b.signIn("eve@example.com")
	b.until(`document.querySelector("#composer")`)
	b.eval(`location.hash = "#/settings/account"`)
	b.press("Delete account")
	b.shows("You must have signed in within the last 5 minutes.")
	b.press("Delete permanently")
	b.until(button("Sign in with Example Company"))
	_, err := w.api.Login(t.Context(), parley.LoginInput{Email: "eve@example.com", Password: "any"})
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != parley.CodeNoSuchUser {
		t.Errorf("the account is there: %v", err)
	}
}

// TestAServerStartsWithoutItsProvider names a provider that does not exist.
func TestAServerStartsWithoutItsProvider(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	w := newWorld(t, "PARLEY_PUBLIC_URL=http://127.0.0.1:8080", "PARLEY_OIDC_ISSUER="+gone.URL,
		"PARLEY_OIDC_CLIENT_ID=parley", "PARLEY_OIDC_NAME=Example Company")
	b := open(t, w.url, 1280)
	b.press("Sign in with Example Company")
	b.shows("The sign-in service can't be reached at the moment.")
}
