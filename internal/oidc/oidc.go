// Package oidc signs users in at a provider of OpenID Connect, by the code flow with PKCE.
package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"parley/internal/limit"
)

// The reasons why a user can't be signed in. Other errors wrap one of them. Their texts are for the log and hold no
// secret.
var (
	// ErrUnavailable means that the provider can't be reached, or is not what the settings say.
	ErrUnavailable = errors.New("the sign-on provider is unavailable")
	// ErrRefused means that the provider does not vouch for the user, or not as it should.
	ErrRefused = errors.New("the sign-on provider's response is refused")
	// ErrUnverified means that the provider does not say that the user's e-mail address is verified.
	ErrUnverified = errors.New("the sign-on provider has no verified e-mail address")
)

const (
	defaultTimeout = 5 * time.Second
	// restAfterFailure is how long the provider is not called again after it could not be reached.
	restAfterFailure = 3 * time.Second
	// maxSubjectBytes is the limit of the specification.
	maxSubjectBytes = 255

	// Users who come back from the provider at the same time: each takes up to three calls.
	maxCalls  = 16
	maxQueue  = 256
	queueTime = 5 * time.Second
)

// Config describes a provider and what this service is to it.
type Config struct {
	// Issuer is the address of the provider, which its tokens name.
	Issuer   string
	ClientID string
	// ClientSecret is empty for a public client.
	ClientSecret string
	// RedirectURL is where browsers come back to.
	RedirectURL string
	// Timeout bounds each call of the provider. The default is 5 s.
	Timeout time.Duration
	Now     func() time.Time
}

// Provider is a provider of OpenID Connect. It is called when it is first needed, and may be unreachable until then.
type Provider struct {
	config Config
	client *client
	calls  *limit.Limiter

	mu       sync.Mutex
	found    *discovery // nil until the provider was reached
	failure  error      // of the last attempt
	failedAt time.Time
}

// Challenge holds the secrets of one sign-in.
type Challenge struct {
	// State goes with the browser to the provider and back.
	State string
	// Nonce is in the token of the provider, and nowhere else.
	Nonce string
	// Verifier proves that the code was asked for by this service.
	Verifier string
}

// User is what the provider says about a user.
type User struct {
	Issuer  string
	Subject string
	// Email is a verified address.
	Email string
	// Name may be empty.
	Name string
}

// New returns a provider. It makes no calls.
func New(config Config) *Provider {
	if config.Timeout == 0 {
		config.Timeout = defaultTimeout
	}
	return &Provider{
		config: config,
		client: newClient(config.Timeout),
		calls:  limit.NewLimiter(maxCalls, maxQueue, queueTime),
	}
}

// Issuer returns the address of the provider, which its tokens name.
func (p *Provider) Issuer() string { return p.config.Issuer }

// Close closes idle connections.
func (p *Provider) Close() { p.client.http.CloseIdleConnections() }

// NewChallenge returns the random secrets of a sign-in.
func NewChallenge() Challenge {
	return Challenge{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
}

// Check returns nil if the provider can be reached and is what the settings say, or else an ErrUnavailable.
func (p *Provider) Check(ctx context.Context) error {
	_, err := p.discover(ctx)
	return err
}

// LoginURL returns the address at the provider where the browser goes, or an ErrUnavailable.
func (p *Provider) LoginURL(ctx context.Context, c Challenge) (string, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	return found.oauth2(p.config).AuthCodeURL(c.State, oidc.Nonce(c.Nonce), oauth2.S256ChallengeOption(c.Verifier)), nil
}

// Identify returns the user of a code that a browser came back with.
func (p *Provider) Identify(ctx context.Context, code string, c Challenge) (User, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return User{}, err
	}
	if err := p.calls.Acquire(ctx); err != nil {
		return User{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer p.calls.Release()
	ctx = p.client.with(ctx)
	token, err := found.oauth2(p.config).Exchange(ctx, code, oauth2.VerifierOption(c.Verifier))
	if err != nil {
		return User{}, exchangeError(err)
	}
	id, claims, err := p.verify(ctx, found, token, c.Nonce)
	if err != nil {
		return User{}, err
	}
	if claims.Email == "" && found.UserInfo != "" {
		if claims, err = p.userInfo(ctx, found, token, id.Subject); err != nil {
			return User{}, err
		}
	}
	// A provider that does not say whether the address is verified may let users choose any.
	if claims.Email == "" || claims.EmailVerified != true {
		return User{}, ErrUnverified
	}
	return User{Issuer: p.config.Issuer, Subject: id.Subject, Email: claims.Email, Name: claims.Name}, nil
}

// claims are the claims of a token or of the user's info. Providers send values of other types too.
type claims struct {
	Subject       string `json:"sub"`
	Email         string `json:"email"`
	EmailVerified any    `json:"email_verified"`
	Name          string `json:"name"`
	// AuthorizedParty is the client that a token for several was issued to.
	AuthorizedParty string `json:"azp"`
}

// verify checks the token that the provider has issued with the code: its signature, issuer, audience, end and nonce.
func (p *Provider) verify(
	ctx context.Context, found *discovery, token *oauth2.Token, nonce string,
) (*oidc.IDToken, claims, error) {
	var said claims
	raw, _ := token.Extra("id_token").(string)
	id, err := found.provider.Verifier(&oidc.Config{ClientID: p.config.ClientID, Now: p.config.Now}).Verify(ctx, raw)
	if err != nil {
		return nil, said, fmt.Errorf("%w: %s", ErrRefused, brief(err))
	}
	if err := id.Claims(&said); err != nil {
		return nil, said, fmt.Errorf("%w: its claims have other types", ErrRefused)
	}
	switch {
	case nonce == "" || subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1:
		return nil, said, fmt.Errorf("%w: it has another nonce", ErrRefused)
	case said.AuthorizedParty != "" && said.AuthorizedParty != p.config.ClientID,
		said.AuthorizedParty == "" && len(id.Audience) > 1:
		return nil, said, fmt.Errorf("%w: it was issued to another client", ErrRefused)
	case id.Subject == "" || len(id.Subject) > maxSubjectBytes:
		return nil, said, fmt.Errorf("%w: it names no user", ErrRefused)
	}
	return id, said, nil
}

// userInfo asks for what the token does not say. Some providers put the address there only.
func (p *Provider) userInfo(
	ctx context.Context, found *discovery, token *oauth2.Token, subject string,
) (claims, error) {
	var said claims
	info, err := found.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return said, fmt.Errorf("%w: the user's info: %w", ErrRefused, plain(err))
	}
	if err := info.Claims(&said); err != nil {
		return said, fmt.Errorf("%w: the user's info has other types", ErrRefused)
	}
	if said.Subject != subject {
		return said, fmt.Errorf("%w: the user's info is another user's", ErrRefused)
	}
	return said, nil
}

// exchangeError returns the error for a code that the provider does not exchange. It leaves out the provider's text.
func exchangeError(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError {
		return fmt.Errorf("%w: HTTP %d for the code", ErrRefused, refused.Response.StatusCode)
	}
	if errors.As(err, &refused) {
		return fmt.Errorf("%w: HTTP %d for the code", ErrUnavailable, refused.Response.StatusCode)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, plain(err))
}
