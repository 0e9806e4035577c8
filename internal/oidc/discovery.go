package oidc

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// discovery is what a provider publishes about itself.
type discovery struct {
	provider *oidc.Provider

	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Keys          string   `json:"jwks_uri"`
	UserInfo      string   `json:"userinfo_endpoint"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
}

// discover reads what the provider publishes, once. After a failure the provider rests for a moment. Those who wait get
// the same error and don't wait one after the other.
func (p *Provider) discover(ctx context.Context) (*discovery, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	if p.failure != nil && p.config.Now().Sub(p.failedAt) < restAfterFailure {
		return nil, p.failure
	}
	found, err := p.fetchDiscovery(ctx)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
		if ctx.Err() == nil { // or else the caller has left
			p.failure, p.failedAt = err, p.config.Now()
		}
		return nil, err
	}
	p.found, p.failure = found, nil
	return found, nil
}

func (p *Provider) fetchDiscovery(ctx context.Context) (*discovery, error) {
	provider, err := oidc.NewProvider(p.client.with(ctx), p.config.Issuer)
	if err != nil {
		return nil, plain(err)
	}
	found := &discovery{provider: provider}
	if err := provider.Claims(found); err != nil {
		return nil, fmt.Errorf("its discovery document: %w", err)
	}
	for name, endpoint := range map[string]string{
		"authorization_endpoint": found.Authorization, "token_endpoint": found.Token, "jwks_uri": found.Keys,
	} {
		if !trustworthy(p.config.Issuer, endpoint) {
			return nil, fmt.Errorf("its discovery document: %s is not an https address", name)
		}
	}
	if found.UserInfo != "" && !trustworthy(p.config.Issuer, found.UserInfo) {
		return nil, fmt.Errorf("its discovery document: userinfo_endpoint is not an https address")
	}
	return found, nil
}

// trustworthy reports whether an endpoint of a provider may be called. A provider without TLS is on this machine, and
// so are its endpoints.
func trustworthy(issuer, endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil || u.Hostname() == "" {
		return false
	}
	if u.Scheme == "https" {
		return true
	}
	i, err := url.Parse(issuer)
	return err == nil && i.Scheme == "http" && u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// oauth2 returns how codes are asked for and exchanged.
func (d *discovery) oauth2(c Config) *oauth2.Config {
	endpoint := d.provider.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader // the default of the specification
	post := slices.Contains(d.AuthMethods, "client_secret_post")
	if c.ClientSecret == "" || post && !slices.Contains(d.AuthMethods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID:     c.ClientID,
		ClientSecret: c.ClientSecret,
		Endpoint:     endpoint,
		RedirectURL:  c.RedirectURL,
		Scopes:       []string{oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeProfile},
	}
}
