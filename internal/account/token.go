package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

const (
	tokenBytes      = 32 // 256 random bits
	maxClientBytes  = 256
	cleanupInterval = time.Hour
	cleanupTimeout  = time.Minute
)

// Logout ends the login of a request.
func (s *Service) Logout(ctx context.Context, who *Identity, from Caller) error {
	if _, err := s.store.DeleteToken(ctx, who.User.ID, who.TokenID); err != nil {
		return err
	}
	s.audit(ctx, eventLogout, who.User.ID, from.attrs()...)
	s.endStreams(ctx, who.User.ID, func(ended credential) bool { return ended.id == who.TokenID })
	return nil
}

// Tokens lists the user's logins, newest first.
func (s *Service) Tokens(ctx context.Context, who *Identity) ([]parley.Token, error) {
	tokens, err := s.store.Tokens(ctx, who.User.ID, s.now())
	for i := range tokens {
		tokens[i].Current = tokens[i].ID == who.TokenID
	}
	return tokens, err
}

// EndToken ends one of the user's logins. If there is no such login it returns
// parley.ErrNoSuchLogin.
func (s *Service) EndToken(ctx context.Context, who *Identity, tokenID string, from Caller) error {
	if !id.Valid(tokenID) {
		return parley.ErrNoSuchLogin
	}
	found, err := s.store.DeleteToken(ctx, who.User.ID, tokenID)
	if err != nil {
		return err
	}
	if !found {
		return parley.ErrNoSuchLogin
	}
	s.audit(ctx, eventLoginEnded, who.User.ID, from.attrs()...)
	s.endStreams(ctx, who.User.ID, func(ended credential) bool { return ended.id == tokenID })
	return nil
}

// Run deletes expired logins, keys and sign-ins, now and every hour, and stores when keys and accounts were used, until
// ctx ends. It also stores the audit log and deletes its old entries.
func (s *Service) Run(ctx context.Context) {
	var audit sync.WaitGroup
	audit.Go(func() { s.runAudit(ctx) })
	audit.Go(func() { s.runAuditSweep(ctx) })
	defer audit.Wait()
	cleanup, uses := time.NewTicker(cleanupInterval), time.NewTicker(useInterval)
	defer cleanup.Stop()
	defer uses.Stop()
	s.logFailure(ctx, "delete expired logins", s.deleteExpired(ctx))
	for {
		select {
		case <-ctx.Done():
			s.saveLastUses(ctx)
			return
		case <-cleanup.C:
			s.logFailure(ctx, "delete expired logins", s.deleteExpired(ctx))
		case <-uses.C:
			s.logFailure(ctx, "save when keys and accounts were used", s.saveUses(ctx))
		}
	}
}

// logFailure logs an error of work in the background, unless it is due to the end of ctx.
func (s *Service) logFailure(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		s.log.Error(what, "error", err)
	}
}

func (s *Service) deleteExpired(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cleanupTimeout)
	defer cancel()
	return errors.Join(s.store.DeleteExpiredTokens(ctx, s.now()), s.store.DeleteExpiredAPIKeys(ctx, s.now()),
		s.store.DeleteExpiredSignIns(ctx, s.now()),
		s.store.DeleteOldResets(ctx, s.now().Add(-max(inviteTTL, resetWindow))))
}

// newToken returns the secret of a token, and what is stored of it.
func (s *Service) newToken(from Caller) (string, store.NewToken) {
	secret := newSecret()
	now := s.now()
	client := strings.ToValidUTF8(from.Client, "")
	if len(client) > maxClientBytes {
		client = strings.ToValidUTF8(client[:maxClientBytes], "")
	}
	expires := now.Add(s.tokenTTL)
	return secret, store.NewToken{ID: id.New(), Hash: hashSecret(secret), Client: client, Now: now, Expires: expires}
}

func newSecret() string {
	var secret [tokenBytes]byte
	_, _ = rand.Read(secret[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(secret[:])
}

// A token is the user's id in base 36, a period and the secret. It names its user, since it is looked up among the
// user's logins. Only the secret gives access.
const tokenBase = 36

func tokenOf(userID int64, secret string) string {
	return strconv.FormatInt(userID, tokenBase) + "." + secret
}

// parseToken returns the user that a token names and the stored form of its secret, and
// false if the text can't be a token.
func parseToken(token string) (userID int64, hash store.TokenHash, ok bool) {
	name, secret, _ := strings.Cut(token, ".")
	userID, err := strconv.ParseInt(name, tokenBase, 64)
	if err != nil || len(secret) != base64.RawURLEncoding.EncodedLen(tokenBytes) || tokenOf(userID, secret) != token {
		return 0, store.TokenHash{}, false
	}
	return userID, hashSecret(secret), true
}

// hashSecret returns the stored form of a secret.
func hashSecret(secret string) store.TokenHash { return sha256.Sum256([]byte(secret)) }
