// Package account manages user accounts: registration, logins, access tokens and keys.
package account

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/casefold"
	"parley/internal/limit"
	"parley/internal/mail"
	"parley/internal/oidc"
	"parley/internal/store"
)

// Config holds the dependencies and settings of a Service.
type Config struct {
	Store *store.Store
	Log   *slog.Logger
	// Audit receives the audit log, at level INFO.
	Audit *slog.Logger
	// AuditKeep is how long the database keeps the entries of the audit log; zero means forever.
	AuditKeep time.Duration
	// TokenTTL is how long a login lasts.
	TokenTTL time.Duration
	// Settings returns the current settings. If it is nil, they are the defaults.
	Settings func() parley.Settings
	// HashMemory is how much memory a password hash takes, in KiB. The default is 19 MiB, about 40 ms. Tests that are
	// not about passwords take less.
	HashMemory uint32
	// SignOn is the provider of single sign-on; nil if there is none.
	SignOn *oidc.Provider
	// LinkByEmail links an existing account to the provider without its password.
	LinkByEmail bool
	// Mail sends links to those who forgot their passwords. It is nil if the server sends no mail.
	Mail *mail.Queue
	// PublicURL is the address of the web client in those links, without a slash at its end.
	PublicURL string
	// Now is the clock.
	Now func() time.Time
}

// Service manages the accounts of one server.
type Service struct {
	store     *store.Store
	log       *slog.Logger
	auditLog  *slog.Logger
	auditKeep time.Duration
	entries   *auditQueue
	tokenTTL  time.Duration
	settings  func() parley.Settings
	signOn    *oidc.Provider
	byEmail   bool
	mail      *mail.Queue
	publicURL string
	now       func() time.Time
	passwords *hasher
	guesses   *limit.Fair[attemptKey] // one at a time for each key
	attempts  *attemptLimiter
	watchers  *watchers
	keyUses   *lastUses[userKey]
	sightings *lastUses[int64] // by user

	populated atomic.Bool // there was an account
	claimable atomic.Bool // there is no administrator
	adminsMu  sync.Mutex  // of the check whether there is one
}

// New returns a Service for the accounts in a store.
func New(config Config) *Service {
	if config.Settings == nil {
		config.Settings = parley.DefaultSettings
	}
	slots := runtime.GOMAXPROCS(0)
	return &Service{
		store:     config.Store,
		log:       config.Log,
		auditLog:  config.Audit,
		auditKeep: config.AuditKeep,
		entries:   &auditQueue{},
		tokenTTL:  config.TokenTTL,
		settings:  config.Settings,
		signOn:    config.SignOn,
		byEmail:   config.LinkByEmail,
		mail:      config.Mail,
		publicURL: config.PublicURL,
		now:       config.Now,
		passwords: newHasher(slots, cmp.Or(config.HashMemory, hashMemory)),
		guesses:   newGuesses(slots * maxWaitersPerSlot),
		attempts:  newAttemptLimiter(),
		watchers:  newWatchers(),
		keyUses:   newLastUses[userKey](keyUsePrecision),
		sightings: newLastUses[int64](sightingPrecision),
	}
}

// Caller is the origin of a request.
type Caller struct {
	Address   string
	Client    string // the User-Agent
	RequestID string
}

// Registration returns whether people can register themselves. It reads the database only while there is no account:
// anybody can ask.
func (s *Service) Registration(ctx context.Context) (parley.RegistrationStatus, error) {
	if !s.populated.Load() {
		users, err := s.store.Users(ctx, 0, 1)
		if err != nil {
			return parley.RegistrationStatus{}, err
		}
		s.populated.Store(len(users) > 0)
	}
	return parley.RegistrationStatus{Open: s.settings().Registration, First: !s.populated.Load()}, nil
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
	if !s.settings().Registration {
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

// hashForNewAccount hashes a password unless the address is taken. The address is checked once a slot is free:
// simultaneous registrations of one address cost few hashes. The check is only a shortcut: the insert decides.
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

// Login checks a password, and the code of a second factor if there is one, and issues a token.
func (s *Service) Login(ctx context.Context, in parley.LoginInput, from Caller) (parley.LoginOutput, error) {
	email, err := parseEmail(in.Email)
	if err != nil {
		return parley.LoginOutput{}, err
	}
	user, token, err := s.logIn(ctx, casefold.Key(email), in, from)
	if err != nil {
		s.auditRefusal(ctx, eventLoginFailed, user.ID, from, err)
		return parley.LoginOutput{}, err
	}
	s.audit(ctx, eventLogin, user.ID, from.attrs()...)
	return parley.LoginOutput{Token: token, User: user.Profile()}, nil
}

// logIn returns the account and a new token. With an error, it still returns the account if
// there is one. The password is checked before the code of the second factor: without it nobody
// learns that there is one.
func (s *Service) logIn(
	ctx context.Context, emailKey string, in parley.LoginInput, from Caller,
) (parley.User, string, error) {
	user, hash, err := s.store.UserByEmail(ctx, emailKey)
	if err != nil {
		return parley.User{}, "", err
	}
	secret, stored := s.newToken(from)
	err = s.guess(ctx, guessKey(user.ID, from), func() error {
		if err := s.passwords.check(ctx, in.Password, hash, Network(from.Address)); err != nil {
			return err
		}
		return s.proveLogin(ctx, user, in.Code, from, func(proof store.Proof) error {
			stored.Proof = proof
			return s.store.AddToken(ctx, user.ID, hash, stored)
		})
	})
	return user, tokenOf(user.ID, secret), err
}

// UpdateProfile changes the nickname, the avatar or the instructions.
func (s *Service) UpdateProfile(ctx context.Context, who *Identity, in parley.ProfileInput) (parley.UserInfo, error) {
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
	return s.Info(user), err
}

// ChangePassword sets a new password and ends every other login. Keys stay.
func (s *Service) ChangePassword(ctx context.Context, who *Identity, in parley.PasswordInput, from Caller) error {
	if err := s.changePassword(ctx, who, in, from); err != nil {
		s.auditRefusal(ctx, eventPasswordChangeFailed, who.User.ID, from, err)
		return err
	}
	s.audit(ctx, eventPasswordChange, who.User.ID, from.attrs()...)
	s.endStreams(ctx, who.User.ID, func(c credential) bool { return !c.key && c.id != who.TokenID })
	return nil
}

func (s *Service) changePassword(ctx context.Context, who *Identity, in parley.PasswordInput, from Caller) error {
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
func (s *Service) Delete(ctx context.Context, who *Identity, in parley.DeleteUserInput, from Caller) error {
	if err := s.confirmOwner(ctx, who, in.Password, from); err != nil {
		s.auditRefusal(ctx, eventDeleteFailed, who.User.ID, from, err)
		return err
	}
	if err := s.store.DeleteUser(ctx, who.User.ID, casefold.Key(who.User.Email)); err != nil {
		return err
	}
	s.audit(ctx, eventDelete, who.User.ID, from.attrs()...)
	s.endAllStreams(ctx, who.User.ID)
	if who.User.Admin {
		s.adminsChanged(ctx)
	}
	return nil
}

// confirmOwner checks that a request is the owner's and not that of a stolen token: it has the password. A user without
// a password must have signed in a moment ago.
func (s *Service) confirmOwner(ctx context.Context, who *Identity, password string, from Caller) error {
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
func (s *Service) confirmPassword(ctx context.Context, who *Identity, password string, from Caller) (string, error) {
	user, hash, err := s.store.UserByID(ctx, who.User.ID)
	if errors.Is(err, parley.ErrNoSuchUser) {
		return "", parley.ErrBadToken // the account has been deleted since the token was checked
	}
	if err != nil {
		return "", err
	}
	return hash, s.checkPassword(ctx, user.ID, password, hash, from)
}
