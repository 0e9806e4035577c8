package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// signOn returns the settings of single sign-on.
func (b *builder) signOn() SignOn {
	c := b.line
	s := SignOn{
		Issuer:       read(b, "oidc-issuer", c.OIDCIssuer, optional(parseIssuer)),
		ClientID:     read(b, "oidc-client-id", c.OIDCClientID, optional(parseName)),
		ClientSecret: b.secret("oidc-client-secret", c.OIDCClientSecret, c.OIDCClientSecretFile, parseKey),
		Name:         read(b, "oidc-name", c.OIDCName, optional(parseName)),
		LinkByEmail:  read(b, "oidc-link", c.OIDCLink, oneOf("password", "email")) == "email",
	}
	if s.Issuer == "" {
		needsIssuer := fmt.Errorf("needs %s (--oidc-issuer) too", variable("oidc-issuer"))
		switch {
		case s.ClientID != "":
			b.fail("oidc-client-id", needsIssuer)
		case s.ClientSecret != "":
			b.fail(secretFlag("oidc-client-secret", c.OIDCClientSecret), needsIssuer)
		case s.Name != "":
			b.fail("oidc-name", needsIssuer)
		case s.LinkByEmail:
			b.fail("oidc-link", needsIssuer)
		}
		return s
	}
	switch {
	case s.ClientID == "":
		b.fail("oidc-issuer", fmt.Errorf("needs %s (--oidc-client-id) too", variable("oidc-client-id")))
	case c.PublicURL == "":
		b.fail("oidc-issuer", fmt.Errorf("needs %s (--public-url) too: the address that browsers use",
			variable("public-url")))
	case !isSecure(c.PublicURL):
		b.fail("public-url", errors.New("must be an https address for single sign-on, unless it is of this machine"))
	}
	issuer, _ := url.Parse(s.Issuer) // it was parsed above
	s.Name = cmp.Or(s.Name, issuer.Hostname())
	return s
}

// parsePublicURL accepts the address of a server: a scheme and a host. The web client has no other path.
func parsePublicURL(s string) (string, error) {
	address := strings.TrimSuffix(s, "/")
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || address != u.Scheme+"://"+u.Host {
		return "", errors.New("must be an address without a path, such as https://chat.example.com")
	}
	return address, nil
}

// parseIssuer accepts the address of a provider, as its tokens name it.
func parseIssuer(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !isSecure(s) {
		return "", errors.New("must be an https address, such as https://accounts.google.com; " +
			"http is only for a provider on this machine")
	}
	return s, nil
}

// isSecure reports whether an address is of HTTPS, or of this machine.
func isSecure(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http" && isLoopbackHost(u.Hostname()))
}
