package account

import (
	"context"
	"strings"

	"parley"
	"parley/internal/store"
)

// Identity is the user of a request, and the login or the key that it was made with. Either TokenID or KeyID is empty.
type Identity struct {
	User    parley.User
	TokenID string
	KeyID   string

	hash       store.TokenHash // of the token
	scopes     []parley.Scope  // of the key
	keyExpires int64           // Unix seconds; 0 is never
}

// IsKey reports whether the request was made with a key.
func (who *Identity) IsKey() bool { return who.KeyID != "" }

// Authenticate returns the user of a request by its Authorization headers. There must be exactly one, with a token or a
// key: "Bearer TOKEN". Otherwise it returns parley.ErrBadToken. The caller checks what a key may do, with RequireScope
// or RequireLogin.
func (s *Service) Authenticate(ctx context.Context, headers []string) (*Identity, error) {
	secret, ok := bearer(headers)
	if !ok {
		return nil, parley.ErrBadToken
	}
	return s.Identify(ctx, secret)
}

// bearer returns the token or the key of the Authorization headers.
func bearer(headers []string) (string, bool) {
	if len(headers) != 1 {
		return "", false
	}
	scheme, secret, found := strings.Cut(headers[0], " ")
	return strings.TrimSpace(secret), found && strings.EqualFold(scheme, "Bearer")
}

// Identify returns the user that a token or a key belongs to, or parley.ErrBadToken.
func (s *Service) Identify(ctx context.Context, secret string) (*Identity, error) {
	if key, is := strings.CutPrefix(secret, keyPrefix); is {
		return s.identifyKey(ctx, key)
	}
	userID, hash, ok := parseToken(secret)
	if !ok {
		return nil, parley.ErrBadToken
	}
	now := s.now()
	user, tokenID, err := s.store.UserByToken(ctx, userID, hash, now)
	if err != nil {
		return nil, err
	}
	s.sightings.add(userID, user.SeenAt, now)
	return &Identity{User: user, TokenID: tokenID, hash: hash}, nil
}

// RequireScope returns nil for a login and for a key with the scope. Otherwise it returns an error that names the
// scope, with code 1001 and parley.Forbidden.
func (who *Identity) RequireScope(scope parley.Scope) error {
	if !who.IsKey() || parley.Allows(who.scopes, scope) {
		return nil
	}
	return parley.NeedsScope(scope)
}

// RequireLogin returns nil for a login and parley.ErrNeedsLogin for a key.
func (who *Identity) RequireLogin() error {
	if who.IsKey() {
		return parley.ErrNeedsLogin
	}
	return nil
}

// IsAdmin reports whether the request was made by an administrator, with the token of a login.
func (who *Identity) IsAdmin() bool { return who.User.Admin && !who.IsKey() }

// credential is a login or a key.
type credential struct {
	id  string
	key bool
}

func (who *Identity) credential() credential {
	if who.IsKey() {
		return credential{who.KeyID, true}
	}
	return credential{who.TokenID, false}
}
