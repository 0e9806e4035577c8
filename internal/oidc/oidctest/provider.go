// Package oidctest is a provider of OpenID Connect for tests. It follows the specification, unless a test makes it
// misbehave.
package oidctest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// ClientID and ClientSecret are what the provider knows the service by.
const (
	ClientID     = "parley"
	ClientSecret = "a secret of the client"
)

// Claims are the claims of a token, or the fields of the discovery document.
type Claims map[string]any

// Provider is a provider. Its user signs in without being asked.
type Provider struct {
	*httptest.Server

	mu     sync.Mutex
	key    *ecdsa.PrivateKey
	user   Claims
	grants map[string]grant // by code
	asked  []url.Values     // the queries of browsers
	hooks  Hooks
}

// Hooks make a provider misbehave. Those that are nil change nothing.
type Hooks struct {
	// Discovery changes the discovery document.
	Discovery func(document Claims)
	// Token changes the claims of a token.
	Token func(claims Claims)
	// Sign makes the token of its claims, instead of a valid signature.
	Sign func(claims Claims) string
	// Callback changes the query that a browser goes back with.
	Callback func(query url.Values)
	// Handle serves a request and reports whether it has.
	Handle func(w http.ResponseWriter, r *http.Request) bool
}

// grant is a code before it is exchanged.
type grant struct {
	challenge, nonce, redirect string
	user                       Claims
}

// New starts a provider, which stops with the test.
func New(t testing.TB) *Provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, grants: map[string]grant{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /userinfo", p.userInfo)
	// It is started when its address is known to the handlers.
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if handle := p.current().Handle; handle == nil || !handle(w, r) {
			mux.ServeHTTP(w, r)
		}
	}))
	p.Start()
	t.Cleanup(p.Close)
	return p
}

// SignIn sets who signs in from now on, by the claims of the token. The claim sub is needed.
func (p *Provider) SignIn(user Claims) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.user = user
}

// Misbehave replaces the hooks.
func (p *Provider) Misbehave(hooks Hooks) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hooks = hooks
}

// Asked returns the queries that browsers came with.
func (p *Provider) Asked() []url.Values {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// PublicKey returns the provider's key, as it publishes it.
func (p *Provider) PublicKey() []byte {
	point, _ := p.key.PublicKey.Bytes() // of a standard curve
	return point
}

func (p *Provider) current() Hooks {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hooks
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	document := Claims{
		"issuer":                                p.URL,
		"authorization_endpoint":                p.URL + "/authorize",
		"token_endpoint":                        p.URL + "/token",
		"jwks_uri":                              p.URL + "/keys",
		"userinfo_endpoint":                     p.URL + "/userinfo",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
	}
	if change := p.current().Discovery; change != nil {
		change(document)
	}
	writeJSON(w, http.StatusOK, document)
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	if asked.Get("client_id") != ClientID || asked.Get("response_type") != "code" ||
		asked.Get("code_challenge_method") != "S256" || asked.Get("nonce") == "" || asked.Get("state") == "" ||
		!strings.Contains(asked.Get("scope"), "openid") {
		http.Error(w, "a bad request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.mu.Lock()
	p.asked = append(p.asked, asked)
	p.grants[code] = grant{
		challenge: asked.Get("code_challenge"), nonce: asked.Get("nonce"), redirect: asked.Get("redirect_uri"), user: p.user,
	}
	p.mu.Unlock()
	back := url.Values{"code": {code}, "state": {asked.Get("state")}, "iss": {p.URL}}
	if change := p.current().Callback; change != nil {
		change(back)
	}
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// token exchanges a code, once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	p.mu.Lock()
	code := r.PostFormValue("code")
	given, known := p.grants[code]
	delete(p.grants, code)
	p.mu.Unlock()
	proof := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case id != ClientID || secret != url.QueryEscape(ClientSecret):
		writeJSON(w, http.StatusUnauthorized, Claims{"error": "invalid_client"})
	case !known || r.PostFormValue("redirect_uri") != given.redirect || encode(proof[:]) != given.challenge:
		writeJSON(w, http.StatusBadRequest, Claims{"error": "invalid_grant", "error_description": "<script>a bad code"})
	default:
		writeJSON(w, http.StatusOK, Claims{
			"access_token": "access to " + given.user["sub"].(string), "token_type": "Bearer", "id_token": p.idToken(given),
		})
	}
}

// idToken returns the token of a user.
func (p *Provider) idToken(given grant) string {
	now := time.Now()
	claims := Claims{
		"iss": p.URL, "aud": ClientID, "nonce": given.nonce, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	for name, value := range given.user {
		claims[name] = value
	}
	hooks := p.current()
	if hooks.Token != nil {
		hooks.Token(claims)
	}
	if hooks.Sign != nil {
		return hooks.Sign(claims)
	}
	return p.Sign(claims)
}

// Sign returns a token with a valid signature.
func (p *Provider) Sign(claims Claims) string {
	text := Unsigned("ES256", claims)
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, p.key, digest[:])
	if err != nil {
		panic(err) // the key is valid
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return text + "." + encode(signature)
}

// Unsigned returns a token up to its signature.
func Unsigned(algorithm string, claims Claims) string {
	return part(Claims{"alg": algorithm, "kid": "1", "typ": "JWT"}) + "." + part(claims)
}

func part(claims Claims) string {
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err) // claims are plain values
	}
	return encode(text)
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	point := p.PublicKey()
	writeJSON(w, http.StatusOK, Claims{"keys": []Claims{{
		"kty": "EC", "crv": "P-256", "kid": "1", "use": "sig", "alg": "ES256",
		"x": encode(point[1:33]), "y": encode(point[33:]),
	}}})
}

// userInfo returns what SignIn was given, as for a user who has just signed in.
func (p *Provider) userInfo(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	info := p.user["userinfo"]
	p.mu.Unlock()
	if info == nil {
		http.NotFound(w, nil)
		return
	}
	writeJSON(w, http.StatusOK, info)
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client may have left
}
