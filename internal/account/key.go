package account

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

// keyPrefix begins a key. What follows has the form of a token.
const keyPrefix = "pk-"

// CreateKey issues a key. It returns parley.ErrTooManyKeys if the user has as many as allowed.
func (s *Service) CreateKey(
	ctx context.Context, who *Identity, in parley.KeyInput, from Caller,
) (parley.KeyOutput, error) {
	name := strings.TrimSpace(in.Name)
	if err := checkKeyName(name); err != nil {
		return parley.KeyOutput{}, err
	}
	scopes := sortScopes(in.Scopes)
	if len(scopes) == 0 {
		return parley.KeyOutput{}, parley.Invalid("scopes must have at least one of read, chat and files")
	}
	now := s.now()
	expires, err := keyExpiry(in.ExpiresIn, now)
	if err != nil {
		return parley.KeyOutput{}, err
	}
	secret := newSecret()
	key := store.NewAPIKey{
		UserID: who.User.ID, TokenID: who.TokenID, ID: id.New(), Hash: hashSecret(secret), Name: name, Scopes: scopes,
		Now: now, Expires: expires, MaxKeys: parley.MaxKeys,
	}
	if err := s.store.AddAPIKey(ctx, key); err != nil {
		return parley.KeyOutput{}, err
	}
	s.auditKey(ctx, eventKey, who, key.ID, from)
	return parley.KeyOutput{KeyID: key.ID, Key: keyPrefix + tokenOf(who.User.ID, secret)}, nil
}

func checkKeyName(name string) error {
	if name == "" {
		return parley.Invalid("name must not be blank")
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		return parley.Invalid("name must not contain control characters")
	}
	return nil
}

// keyExpiry returns when a key ends that has the given number of seconds left. 0 is never, which is the zero time.
func keyExpiry(seconds int64, now time.Time) (time.Time, error) {
	if seconds == 0 {
		return time.Time{}, nil
	}
	if seconds < parley.MinKeyExpiresIn || seconds > parley.MaxExpiresIn {
		return time.Time{}, parley.Invalid("expires_in must be 0, or from 60 to 315,360,000 seconds")
	}
	return now.Add(time.Duration(seconds) * time.Second), nil
}

// sortScopes returns the scopes in their usual order, each once.
func sortScopes(scopes []parley.Scope) []parley.Scope {
	return slices.DeleteFunc(parley.Scopes(), func(scope parley.Scope) bool { return !slices.Contains(scopes, scope) })
}

// Keys lists the user's keys, newest first.
func (s *Service) Keys(ctx context.Context, userID int64) ([]parley.Key, error) {
	keys, err := s.store.APIKeys(ctx, userID, s.now())
	for i := range keys {
		keys[i].LastUsed = max(keys[i].LastUsed, s.keyUses.last(userKey{userID, keys[i].KeyID}))
	}
	return keys, err
}

// DeleteKey ends one of the user's keys. If there is no such key it returns parley.ErrNoSuchKey.
func (s *Service) DeleteKey(ctx context.Context, who *Identity, keyID string, from Caller) error {
	if !id.Valid(keyID) {
		return parley.ErrNoSuchKey
	}
	found, err := s.store.DeleteAPIKey(ctx, who.User.ID, keyID)
	if err != nil {
		return err
	}
	if !found {
		return parley.ErrNoSuchKey
	}
	s.auditKey(ctx, eventKeyDelete, who, keyID, from)
	s.endStreams(ctx, who.User.ID, func(ended credential) bool { return ended.id == keyID })
	return nil
}

// identifyKey returns the user that a key belongs to, or parley.ErrBadToken. text is the key without its prefix.
func (s *Service) identifyKey(ctx context.Context, text string) (*Identity, error) {
	userID, hash, ok := parseToken(text)
	if !ok {
		return nil, parley.ErrBadToken
	}
	now := s.now()
	user, key, err := s.store.UserByAPIKey(ctx, userID, hash, now)
	if err != nil {
		return nil, err
	}
	s.keyUses.add(userKey{userID, key.KeyID}, key.LastUsed, now)
	s.sightings.add(userID, user.SeenAt, now)
	return &Identity{User: user, KeyID: key.KeyID, scopes: key.Scopes, keyExpires: key.ExpiresAt}, nil
}
