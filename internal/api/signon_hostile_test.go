package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/oidc/oidctest"
	"parley/internal/testtier"
)

// hostile is a way for a provider to misbehave. want is the reason that the page gives.
type hostile struct {
	name, want string
	hooks      func(p *oidctest.Provider) oidctest.Hooks
	// user changes the claims of the user.
	user func(claims oidctest.Claims)
	slow bool // it takes signOnTimeout
}

// token returns hooks that change one claim of the token. A nil value removes it.
func token(name string, value any) func(*oidctest.Provider) oidctest.Hooks {
	return func(*oidctest.Provider) oidctest.Hooks {
		return oidctest.Hooks{Token: func(claims oidctest.Claims) {
			if claims[name] = value; value == nil {
				delete(claims, name)
			}
		}}
	}
}

func signed(sign func(p *oidctest.Provider, claims oidctest.Claims) string) func(*oidctest.Provider) oidctest.Hooks {
	return func(p *oidctest.Provider) oidctest.Hooks {
		return oidctest.Hooks{Sign: func(claims oidctest.Claims) string { return sign(p, claims) }}
	}
}

// answers returns hooks that serve one path of the provider with serve.
func answers(path string, serve http.HandlerFunc) func(*oidctest.Provider) oidctest.Hooks {
	return func(*oidctest.Provider) oidctest.Hooks {
		return oidctest.Hooks{Handle: func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != path {
				return false
			}
			serve(w, r)
			return true
		}}
	}
}

// hang waits until the client has given up. The server only notices that once the body is read.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// endlessJSON sends JSON that never ends.
func endlessJSON(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	for _, err := io.WriteString(w, `{"a":"`); err == nil; {
		_, err = io.WriteString(w, strings.Repeat("a", 64<<10))
	}
}

func failing(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "<script>broken", http.StatusBadGateway)
}

func elsewhere(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
}

func hmacSigned(p *oidctest.Provider, claims oidctest.Claims) string {
	text := oidctest.Unsigned("HS256", claims)
	mac := hmac.New(sha256.New, p.PublicKey())
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// hostiles must be refused. Nothing may be created, and the next honest sign-in must work.
var hostiles = []hostile{
	{name: "another issuer", want: "refused", hooks: token("iss", "https://accounts.example.com")},
	{name: "another audience", want: "refused", hooks: token("aud", "another client")},
	{name: "several audiences", want: "refused", hooks: token("aud", []string{"another client", oidctest.ClientID})},
	{name: "another authorized party", want: "refused", hooks: token("azp", "another client")},
	{name: "another nonce", want: "refused", hooks: token("nonce", "another nonce")},
	{name: "no nonce", want: "refused", hooks: token("nonce", nil)},
	{name: "an expired token", want: "refused", hooks: token("exp", 1_700_000_000)},
	{name: "a token without an end", want: "refused", hooks: token("exp", nil)},
	{name: "a token of the future", want: "refused", hooks: token("nbf", 7_000_000_000)},
	{name: "no subject", want: "refused", hooks: token("sub", "")},
	{name: "a long subject", want: "refused", hooks: token("sub", strings.Repeat("s", 256))},
	{name: "claims of other types", want: "refused", hooks: token("email", 7)},
	{name: "no signature", want: "refused", hooks: signed(func(_ *oidctest.Provider, claims oidctest.Claims) string {
		return oidctest.Unsigned("none", claims) + "."
	})},
	{name: "HS256 with the public key", want: "refused", hooks: signed(hmacSigned)},
	{name: "another's signature", want: "refused", hooks: signed(func(p *oidctest.Provider, c oidctest.Claims) string {
		other := p.Sign(oidctest.Claims{"sub": "other"})
		return oidctest.Unsigned("ES256", c) + other[strings.LastIndexByte(other, '.'):]
	})},
	{name: "no token", want: "refused", hooks: signed(func(*oidctest.Provider, oidctest.Claims) string { return "" })},
	{name: "an address that is not verified", want: "unverified", hooks: token("email_verified", false)},
	{name: "verified in a string", want: "unverified", hooks: token("email_verified", "true")},
	{name: "no word on the address", want: "unverified", hooks: token("email_verified", nil)},
	{name: "no address", want: "refused", hooks: token("email", nil)}, // and there is no userinfo either
	{name: "an address that is none", want: "unverified", hooks: token("email", "Eve <eve@example.com>")},
	{
		name: "another's info", want: "refused", hooks: token("email", nil),
		user: func(claims oidctest.Claims) {
			claims["userinfo"] = oidctest.Claims{"sub": "other", "email": claims["email"], "email_verified": true}
		},
	},
	{
		name: "a code that the provider does not know", want: "refused",
		hooks: callback(func(query url.Values) { query.Set("code", "guessed") }),
	},
	{name: "no code", want: "denied", hooks: callback(func(query url.Values) { query.Del("code") })},
	{
		name: "the user cancels", want: "denied",
		hooks: callback(func(query url.Values) {
			query.Del("code")
			query.Set("error", "access_denied")
			query.Set("error_description", "<script>alert(1)</script>")
		}),
	},
	{
		name: "the response of another provider", want: "refused",
		hooks: callback(func(query url.Values) { query.Set("iss", "https://accounts.example.com") }),
	},
	{name: "another state", want: "expired", hooks: callback(func(query url.Values) { query.Set("state", "guessed") })},
	{name: "no state", want: "expired", hooks: callback(func(query url.Values) { query.Del("state") })},
	{name: "a slow token", want: "unavailable", hooks: answers("/token", hang), slow: true},
	{name: "an endless token", want: "unavailable", hooks: answers("/token", endlessJSON)},
	{name: "a redirected token", want: "refused", hooks: answers("/token", elsewhere)},
	{name: "a failing provider", want: "unavailable", hooks: answers("/token", failing)},
}

// freshHostiles misbehave on the first request to the provider.
var freshHostiles = []hostile{
	{
		name: "another issuer in the discovery document", want: "unavailable",
		hooks: discovery("issuer", "https://accounts.example.com"),
	},
	{name: "no endpoint for tokens", want: "unavailable", hooks: discovery("token_endpoint", "")},
	{name: "keys without TLS", want: "unavailable", hooks: discovery("jwks_uri", "http://192.0.2.1/keys")},
	{name: "tokens without TLS", want: "unavailable", hooks: discovery("token_endpoint", "http://192.0.2.1/token")},
	{name: "info without TLS", want: "unavailable", hooks: discovery("userinfo_endpoint", "http://192.0.2.1/info")},
	{name: "a file for keys", want: "unavailable", hooks: discovery("jwks_uri", "file:///etc/passwd")},
	{name: "a slow discovery", want: "unavailable", hooks: answers(discoveryPath, hang), slow: true},
	{name: "an endless discovery", want: "unavailable", hooks: answers(discoveryPath, endlessJSON)},
	{name: "a redirected discovery", want: "unavailable", hooks: answers(discoveryPath, elsewhere)},
	{name: "slow keys", want: "refused", hooks: answers("/keys", hang), slow: true},
	{name: "endless keys", want: "refused", hooks: answers("/keys", endlessJSON)},
	{name: "redirected keys", want: "refused", hooks: answers("/keys", elsewhere)},
}

const discoveryPath = "/.well-known/openid-configuration"

func discovery(name string, value any) func(*oidctest.Provider) oidctest.Hooks {
	return func(*oidctest.Provider) oidctest.Hooks {
		return oidctest.Hooks{Discovery: func(document oidctest.Claims) { document[name] = value }}
	}
}

func callback(change func(url.Values)) func(*oidctest.Provider) oidctest.Hooks {
	return func(*oidctest.Provider) oidctest.Hooks { return oidctest.Hooks{Callback: change} }
}

// signOnTimeout is how long the provider may take. The next sign-in also has to fit, on a busy machine.
const signOnTimeout = 10 * time.Second

func TestAHostileProviderSignsNobodyIn(t *testing.T) {
	eachSignOn(t, func(w *world) { w.SignOnTimeout = signOnTimeout }, func(w *world) {
		for i, h := range hostiles {
			w.domain = fmt.Sprintf("hostile%d.example.com", i)
			w.sub(h.name, func(w *world) {
				if h.slow {
					testtier.Slow(w.T)
				}
				h.try(w)
			})
		}
	})
}

func TestAProviderIsNotTrustedAtFirst(t *testing.T) {
	for _, h := range freshHostiles {
		t.Run(h.name, func(t *testing.T) {
			if h.slow {
				testtier.Slow(t)
			}
			t.Parallel()
			w := newWorld(t, "")
			w.SignOn, w.PublicURL, w.SignOnTimeout = oidctest.New(t), "http://localhost:8080", signOnTimeout
			w.clock.freeze()
			w.start()
			h.try(w)
		})
	}
}

// try signs in while the provider misbehaves, and again when it does not.
func (h hostile) try(w *world) {
	w.Helper()
	user := w.person("ada")
	if h.user != nil {
		h.user(user)
	}
	w.SignOn.SignIn(user)
	w.SignOn.Misbehave(h.hooks(w.SignOn))
	b := w.browser()
	page := b.get(b.URL + "/api/auth/oidc/start")
	if !strings.HasPrefix(page, "/") {
		page = b.get(b.get(page))
	}
	if page != "/#login-error="+h.want {
		w.Errorf("the page is %s, want %s", page, h.want)
	}
	if begun := len(b.cookies) > 0; begun && w.newestFailure().Object != "reason="+h.want {
		w.Errorf("the audit log has %+v, want %s", w.newestFailure(), h.want)
	}
	_, err := w.guest().Login(w.Context(), parley.LoginInput{Email: w.address("ada"), Password: "any"})
	w.wants(err, parley.CodeNoSuchUser, 404)
	w.SignOn.Misbehave(oidctest.Hooks{})
	w.clock.forward(10 * time.Second) // Parley does not call the provider for a while after a failure
	if got := w.info(w.signedIn(w.person("ada"))); got.Email != w.address("ada") {
		w.Errorf("then the account is %+v", got)
	}
}

// newestFailure returns the latest failed sign-in in the audit log.
func (w *world) newestFailure() parley.AuditEntry {
	w.Helper()
	out, err := w.app.Accounts.AuditLog(w.Context(), parley.AuditInput{Event: "sign-in-failed", Limit: 1})
	w.must(err)
	if len(out.Entries) == 0 {
		return parley.AuditEntry{}
	}
	return out.Entries[0]
}

// TestASignInBelongsToItsBrowser has an attacker send somebody the callback of a sign-in, and use somebody else's.
func TestASignInBelongsToItsBrowser(t *testing.T) {
	eachSignOn(t, func(*world) {}, func(w *world) {
		w.SignOn.SignIn(w.person("eve"))
		eve, ada := w.browser(), w.browser()
		callback := eve.callback()
		ada.callback()
		for name, b := range map[string]*signInBrowser{"another browser": ada, "no cookie": w.browser()} {
			if page := b.get(callback); page != "/#login-error=expired" {
				w.Errorf("%s: the page is %s", name, page)
			}
		}
		w.code(eve.get(callback), "login") // the failed attempts have not used it up
		if page := eve.get(callback); page != "/#login-error=expired" {
			w.Errorf("again: the page is %s", page)
		}
	})
}

// TestNoSignInLeadsElsewhere adds addresses to the paths of browsers. These paths may lead only to the provider and
// to pages of this server.
func TestNoSignInLeadsElsewhere(t *testing.T) {
	eachSignOn(t, func(*world) {}, func(w *world) {
		const evil = "?redirect=https://evil.example&next=//evil.example&return_to=%2F%2Fevil.example" +
			"&redirect_uri=https://evil.example&error=//evil.example"
		b := w.browser()
		if address := b.get(b.URL + "/api/auth/oidc/start" + evil); !strings.HasPrefix(address, w.SignOn.URL+"/authorize?") ||
			strings.Contains(address, "evil") {
			w.Errorf("it begins at %s", address)
		}
		if page := b.get(b.URL + "/api/auth/oidc/callback" + evil); page != "/#login-error=expired" {
			w.Errorf("it ends at %s", page)
		}
	})
}

// TestTheProvidersTextIsNotShown checks that neither the page nor the log contains the provider's text about a
// failure.
func TestTheProvidersTextIsNotShown(t *testing.T) {
	eachSignOn(t, func(*world) {}, func(w *world) {
		w.SignOn.SignIn(w.person("ada"))
		w.SignOn.Misbehave(callback(func(query url.Values) { query.Set("code", "guessed") })(w.SignOn))
		w.browser().signIn()
		if log := w.Log.String(); strings.Contains(log, "a bad code") || strings.Contains(log, oidctest.ClientSecret) ||
			!strings.Contains(log, "HTTP 400") {
			w.Errorf("the log is %s", log)
		}
	})
}
