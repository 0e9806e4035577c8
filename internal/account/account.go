// Package account manages user accounts: registration, logins, access tokens and keys.
package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"runtime"
	"strings"
	"time"

	"parley"
	"parley/internal/casefold"
	"parley/internal/limit"
	"parley/internal/oidc"
	"parley/internal/store"
)

// Config holds the dependencies and settings of a Service.
type Config struct {
	Store *store.Store
	Log   *slog.Logger
	// Audit receives the audit log, at level INFO.
	Audit *slog.Logger
	// TokenTTL is how long a login lasts.
	TokenTTL time.Duration
	// Closed turns registration off.
	Closed bool
	// HashMemory is how much memory a password hash takes, in KiB. The default is 19 MiB, about 40 ms. Tests that are
	// not about passwords take less.
	HashMemory uint32
	// SignOn is the provider of single sign-on; nil if there is none.
	SignOn *oidc.Provider
	// LinkByEmail links an existing account to the provider without its password.
	LinkByEmail bool
	// Now is the clock.
	Now func() time.Time
}

// Service manages the accounts of one server.
type Service struct {
	store     *store.Store
	log       *slog.Logger
	auditLog  *slog.Logger
	tokenTTL  time.Duration
	closed    bool
	signOn    *oidc.Provider
	byEmail   bool
	now       func() time.Time
	passwords *hasher
	guesses   *limit.Fair[attemptKey] // one at a time for each key
	attempts  *attemptLimiter
	watchers  *watchers
	keyUses   *keyUses
}

// New returns a Service for the accounts in a store.
func New(config Config) *Service {
	slots := runtime.GOMAXPROCS(0)
	return &Service{
		store:     config.Store,
		log:       config.Log,
		auditLog:  config.Audit,
		tokenTTL:  config.TokenTTL,
		closed:    config.Closed,
		signOn:    config.SignOn,
		byEmail:   config.LinkByEmail,
		now:       config.Now,
		passwords: newHasher(slots, cmp.Or(config.HashMemory, hashMemory)),
		guesses:   newGuesses(slots * maxWaitersPerSlot),
		attempts:  newAttemptLimiter(),
		watchers:  newWatchers(),
		keyUses:   newKeyUses(),
	}
}

// Caller is the origin of a request.
type Caller struct {
	Address   string
	Client    string // the User-Agent
	RequestID string
}

// Register creates an account and logs it in.
func (s *Service) Register(ctx context.Context, in parley.RegisterInput, from Caller) (parley.RegisterOutput, error) {
	email, err := parseEmail(in.Email)
	if err != nil {
		return parley.RegisterOutput{}, err
	}
	nickname := strings.TrimSpace(in.Nickname)
	if nickname == "" {
		nickname = defaultNickname(email)
	}
	if err := checkNickname(nickname); err != nil {
		return parley.RegisterOutput{}, err
	}
	if s.closed {
		return parley.RegisterOutput{}, parley.ErrRegistrationClosed
	}
	key := casefold.Key(email)
	hash, err := s.hashForNewAccount(ctx, key, in.Password, Network(from.Address))
	if err != nil {
		return parley.RegisterOutput{}, err
	}
	user := store.NewUser{Email: email, EmailKey: key, Nickname: nickname, PasswordHash: hash}
	secret, stored := s.newToken(from)
	userID, err := s.store.CreateUser(ctx, user, stored)
	if err != nil {
		return parley.RegisterOutput{}, err
	}
	s.audit(ctx, eventRegister, userID, from.attrs()...)
	return parley.RegisterOutput{UserID: userID, Token: tokenOf(userID, secret)}, nil
}

// hashForNewAccount hashes a password unless the address is taken. The address is checked
// once a slot is free, so that simultaneous registrations of one address cost few hashes.
// The check is only a shortcut: the insert decides.
func (s *Service) hashForNewAccount(
	ctx context.Context, emailKey, password string, network netip.Addr,
) (string, error) {
	if err := s.passwords.acquireLow(ctx, network); err != nil {
		return "", err
	}
	defer s.passwords.release(network)
	_, _, err := s.store.UserByEmail(ctx, emailKey)
	if err == nil {
		return "", parley.ErrEmailTaken
	}
	if !errors.Is(err, parley.ErrNoSuchUser) {
		return "", err
	}
	return hashPassword(password, s.passwords.memory)
}

// Login checks a password and issues a token.
func (s *Service) Login(ctx context.Context, in parley.LoginInput, from Caller) (parley.LoginOutput, error) {
	email, err := parseEmail(in.Email)
	if err != nil {
		return parley.LoginOutput{}, err
	}
	user, token, err := s.logIn(ctx, casefold.Key(email), in.Password, from)
	if err != nil {
		s.auditRefusal(ctx, eventLoginFailed, user.ID, from, err)
		return parley.LoginOutput{}, err
	}
	s.audit(ctx, eventLogin, user.ID, from.attrs()...)
	return parley.LoginOutput{Token: token, User: user.Profile()}, nil
}

// logIn returns the account and a new token. With an error, it still returns the account if
// there is one.
func (s *Service) logIn(ctx context.Context, emailKey, password string, from Caller) (parley.User, string, error) {
	user, hash, err := s.store.UserByEmail(ctx, emailKey)
	if err != nil {
		return parley.User{}, "", err
	}
	if err := s.checkPassword(ctx, user.ID, password, hash, from); err != nil {
		return user, "", err
	}
	secret, stored := s.newToken(from)
	return user, tokenOf(user.ID, secret), s.store.AddToken(ctx, user.ID, hash, stored)
}

// UpdateProfile changes the nickname, the avatar or the instructions.
func (s *Service) UpdateProfile(ctx context.Context, who Identity, in parley.ProfileInput) (parley.UserInfo, error) {
	if in.Nickname != nil {
		nickname := strings.TrimSpace(*in.Nickname)
		if nickname == "" {
			return parley.UserInfo{}, parley.Invalid("nickname must not be blank")
		}
		if err := checkNickname(nickname); err != nil {
			return parley.UserInfo{}, err
		}
		in.Nickname = &nickname
	}
	if in.Avatar != nil && *in.Avatar != "" {
		if err := checkAvatar(*in.Avatar); err != nil {
			return parley.UserInfo{}, err
		}
	}
	user, err := s.store.UpdateProfile(ctx, who.User.ID, in)
	return user.Info(), err
}

// ChangePassword sets a new password and ends every other login. Keys stay.
func (s *Service) ChangePassword(ctx context.Context, who Identity, in parley.PasswordInput, from Caller) error {
	if err := s.changePassword(ctx, who, in, from); err != nil {
		s.auditRefusal(ctx, eventPasswordChangeFailed, who.User.ID, from, err)
		return err
	}
	s.audit(ctx, eventPasswordChange, who.User.ID, from.attrs()...)
	s.endStreams(ctx, who.User.ID, func(c credential) bool { return !c.key && c.id != who.TokenID })
	return nil
}

func (s *Service) changePassword(ctx context.Context, who Identity, in parley.PasswordInput, from Caller) error {
	oldHash, err := s.confirmPassword(ctx, who, in.OldPassword, from)
	if err != nil {
		return err
	}
	hash, err := s.passwords.hash(ctx, in.NewPassword, Network(from.Address))
	if err != nil {
		return err
	}
	return s.store.SetPassword(ctx, who.User.ID, oldHash, hash, who.hash)
}

// Delete deletes the account and all it owns.
func (s *Service) Delete(ctx context.Context, who Identity, in parley.DeleteUserInput, from Caller) error {
	if err := s.confirmDeletion(ctx, who, in.Password, from); err != nil {
		s.auditRefusal(ctx, eventDeleteFailed, who.User.ID, from, err)
		return err
	}
	if err := s.store.DeleteUser(ctx, who.User.ID, casefold.Key(who.User.Email)); err != nil {
		return err
	}
	s.audit(ctx, eventDelete, who.User.ID, from.attrs()...)
	s.endAllStreams(ctx, who.User.ID)
	return nil
}

// confirmDeletion checks the password of a logged-in user. A user without one must have logged in a moment ago.
func (s *Service) confirmDeletion(ctx context.Context, who Identity, password string, from Caller) error {
	if who.User.Passwordless {
		return s.confirmFreshLogin(ctx, who)
	}
	if password == "" {
		return parley.Invalid("password is required")
	}
	_, err := s.confirmPassword(ctx, who, password, from)
	return err
}

// confirmPassword checks the password of a logged-in user and returns its hash.
func (s *Service) confirmPassword(ctx context.Context, who Identity, password string, from Caller) (string, error) {
	user, hash, err := s.store.UserByID(ctx, who.User.ID)
	if errors.Is(err, parley.ErrNoSuchUser) {
		return "", parley.ErrBadToken // the account has been deleted since the token was checked
	}
	if err != nil {
		return "", err
	}
	return hash, s.checkPassword(ctx, user.ID, password, hash, from)
}

// checkPassword compares a password with its hash. It limits failed attempts.
func (s *Service) checkPassword(ctx context.Context, userID int64, password, hash string, from Caller) error {
	key := attemptKey{userID: userID, network: guessNetwork(from.Address)}
	if wait := s.attempts.retryAfter(key, s.now()); wait > 0 {
		return parley.ErrTooManyAttempts.WithRetryAfter(wait)
	}
	// One at a time, so that those who wait see the failures of those before them.
	if err := s.guesses.Acquire(ctx, key); err != nil {
		return fmt.Errorf("wait to check a password: %w", err)
	}
	defer s.guesses.Release(key)
	if wait := s.attempts.retryAfter(key, s.now()); wait > 0 {
		return parley.ErrTooManyAttempts.WithRetryAfter(wait)
	}
	network := Network(from.Address)
	if err := s.passwords.acquire(ctx, network); err != nil {
		return err
	}
	defer s.passwords.release(network)
	ok, err := verifyPassword(password, hash)
	if err != nil {
		return err
	}
	if !ok {
		s.attempts.addFailure(key, s.now())
		return parley.ErrWrongPassword
	}
	s.attempts.reset(key)
	return nil
}
