// Package account knows who a user is: registering, logging in and out, and whose
// token a request carries.
package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"parley"
	"parley/internal/casefold"
	"parley/internal/id"
	"parley/internal/store"
)

// Config says how accounts are kept.
type Config struct {
	Store *store.Store
	Log   *slog.Logger
	// Audit is where the lines of the audit log go, of level INFO.
	Audit *slog.Logger
	// TokenTTL is how long a login lasts.
	TokenTTL time.Duration
	// Closed turns registration off.
	Closed bool
	// Now is the clock.
	Now func() time.Time
}

// Service is the accounts of one server.
type Service struct {
	Config
	passwords *hasher
	guesses   *guesses
	watches   *watches
}

// New returns the accounts kept in a store.
func New(config Config) *Service {
	return &Service{Config: config, passwords: newHasher(), guesses: newGuesses(), watches: newWatches()}
}

// Caller is where a request comes from.
type Caller struct {
	Address   string
	Client    string // the program, as it names itself
	RequestID string // under which the log knows the request
}

// Identity is the user that a token stands for, and the login it belongs to.
type Identity struct {
	User    parley.User
	TokenID string
	hash    store.TokenHash
}

// Register makes an account and logs it in.
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
	if s.Closed {
		return parley.RegisterOutput{}, parley.ErrRegistrationClosed
	}
	key := casefold.Key(email)
	hash, err := s.firstHash(ctx, key, in.Password)
	if err != nil {
		return parley.RegisterOutput{}, err
	}
	token, stored := s.newToken(from)
	userID, err := s.Store.CreateUser(ctx, store.NewUser{Email: email, EmailKey: key, Nickname: nickname, PasswordHash: hash}, stored)
	if err != nil {
		return parley.RegisterOutput{}, err
	}
	s.audit(ctx, registered, userID, from.attrs()...)
	return parley.RegisterOutput{UserID: userID, Token: token}, nil
}

// firstHash hashes the password of a new account. The address is looked up when it is
// our turn, so that a crowd that wants the same one is spared most of the costly hashes;
// the insert decides.
func (s *Service) firstHash(ctx context.Context, emailKey, password string) (string, error) {
	if err := s.passwords.enter(ctx); err != nil {
		return "", fmt.Errorf("wait to hash a password: %w", err)
	}
	defer s.passwords.leave()
	_, _, err := s.Store.UserByEmail(ctx, emailKey)
	if err == nil {
		return "", parley.ErrEmailTaken
	}
	if !errors.Is(err, parley.ErrNoSuchUser) {
		return "", err
	}
	return hashed(password)
}

// Login checks a password and issues a token.
func (s *Service) Login(ctx context.Context, in parley.LoginInput, from Caller) (parley.LoginOutput, error) {
	email, err := parseEmail(in.Email)
	if err != nil {
		return parley.LoginOutput{}, err
	}
	user, token, err := s.logIn(ctx, casefold.Key(email), in.Password, from)
	if err != nil {
		s.auditRefusal(ctx, loginFailed, user.ID, from, err)
		return parley.LoginOutput{}, err
	}
	s.audit(ctx, loggedIn, user.ID, from.attrs()...)
	return parley.LoginOutput{Token: token, User: user.Profile()}, nil
}

// logIn returns a new token, and the account it is for or was refused for.
func (s *Service) logIn(ctx context.Context, emailKey, password string, from Caller) (parley.User, string, error) {
	user, hash, err := s.Store.UserByEmail(ctx, emailKey)
	if err != nil {
		return parley.User{}, "", err
	}
	if err := s.checkPassword(ctx, user.ID, password, hash, from); err != nil {
		return user, "", err
	}
	token, stored := s.newToken(from)
	return user, token, s.Store.AddToken(ctx, user.ID, hash, stored)
}

// Identify says whose token it is, or parley.ErrBadToken.
func (s *Service) Identify(ctx context.Context, token string) (Identity, error) {
	hash, ok := hashToken(token)
	if !ok {
		return Identity{}, parley.ErrBadToken
	}
	user, tokenID, err := s.Store.UserByToken(ctx, hash, s.Now())
	if err != nil {
		return Identity{}, err
	}
	return Identity{User: user, TokenID: tokenID, hash: hash}, nil
}

// Logout ends the login that a request came with.
func (s *Service) Logout(ctx context.Context, who Identity, from Caller) error {
	if _, err := s.Store.DeleteToken(ctx, who.User.ID, who.TokenID); err != nil {
		return err
	}
	s.audit(ctx, loggedOut, who.User.ID, from.attrs()...)
	s.tellEnded(ctx, who.User.ID, func(tokenID string) bool { return tokenID == who.TokenID })
	return nil
}

// Tokens lists the user's logins, newest first.
func (s *Service) Tokens(ctx context.Context, who Identity) ([]parley.Token, error) {
	tokens, err := s.Store.Tokens(ctx, who.User.ID, s.Now())
	for i := range tokens {
		tokens[i].Current = tokens[i].ID == who.TokenID
	}
	return tokens, err
}

// EndToken ends one of the user's logins.
func (s *Service) EndToken(ctx context.Context, who Identity, tokenID string, from Caller) error {
	if id.Valid(tokenID) {
		found, err := s.Store.DeleteToken(ctx, who.User.ID, tokenID)
		if err != nil {
			return err
		}
		if found {
			s.audit(ctx, loginEnded, who.User.ID, from.attrs()...)
			s.tellEnded(ctx, who.User.ID, func(ended string) bool { return ended == tokenID })
			return nil
		}
	}
	return parley.ErrNoSuchLogin
}

// UpdateProfile changes the nickname or the avatar.
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
	user, err := s.Store.UpdateProfile(ctx, who.User.ID, in.Nickname, in.Avatar)
	return user.Info(), err
}

// ChangePassword sets a new password and ends every other login.
func (s *Service) ChangePassword(ctx context.Context, who Identity, in parley.PasswordInput, from Caller) error {
	if err := s.changePassword(ctx, who, in, from); err != nil {
		s.auditRefusal(ctx, passwordNotProved, who.User.ID, from, err)
		return err
	}
	s.audit(ctx, passwordChanged, who.User.ID, from.attrs()...)
	s.tellEnded(ctx, who.User.ID, func(tokenID string) bool { return tokenID != who.TokenID })
	return nil
}

func (s *Service) changePassword(ctx context.Context, who Identity, in parley.PasswordInput, from Caller) error {
	former, err := s.confirm(ctx, who, in.OldPassword, from)
	if err != nil {
		return err
	}
	hash, err := s.passwords.hash(ctx, in.NewPassword)
	if err != nil {
		return err
	}
	return s.Store.SetPassword(ctx, who.User.ID, former, hash, who.hash)
}

// Delete removes the account and all it owns.
func (s *Service) Delete(ctx context.Context, who Identity, in parley.DeleteUserInput, from Caller) error {
	if _, err := s.confirm(ctx, who, in.Password, from); err != nil {
		s.auditRefusal(ctx, notDeleted, who.User.ID, from, err)
		return err
	}
	if err := s.Store.DeleteUser(ctx, who.User.ID); err != nil {
		return err
	}
	s.audit(ctx, deleted, who.User.ID, from.attrs()...)
	s.endAll(ctx, who.User.ID)
	return nil
}

// Tidy forgets logins that have expired, now and every hour, until ctx ends.
func (s *Service) Tidy(ctx context.Context) {
	ticker := time.NewTicker(time.Hour)
	defer ticker.Stop()
	for {
		if err := s.Store.DeleteExpiredTokens(ctx, s.Now()); err != nil && ctx.Err() == nil {
			s.Log.Error("forget expired logins", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// confirm checks the password of a user who is logged in, and returns its hash.
func (s *Service) confirm(ctx context.Context, who Identity, password string, from Caller) (string, error) {
	user, hash, err := s.Store.UserByID(ctx, who.User.ID)
	if errors.Is(err, parley.ErrNoSuchUser) {
		return "", parley.ErrBadToken // the account was deleted meanwhile
	}
	if err != nil {
		return "", err
	}
	return hash, s.checkPassword(ctx, user.ID, password, hash, from)
}

// checkPassword compares a password with its hash, and slows down guessing.
func (s *Service) checkPassword(ctx context.Context, userID int64, password, hash string, from Caller) error {
	// All within one slot, so that guesses which waited for it see this one counted.
	if err := s.passwords.enter(ctx); err != nil {
		return fmt.Errorf("wait to check a password: %w", err)
	}
	defer s.passwords.leave()
	key := guessKey{userID: userID, network: Network(from.Address)}
	if wait := s.guesses.wait(key, s.Now()); wait > 0 {
		return parley.ErrTooManyAttempts.After(wait)
	}
	ok, err := matches(password, hash)
	if err != nil {
		return err
	}
	if !ok {
		s.guesses.failed(key, s.Now())
		return parley.ErrWrongPassword
	}
	s.guesses.forgive(key)
	return nil
}

func (s *Service) newToken(from Caller) (string, store.NewToken) {
	const maxClient = 256
	token := newSecret()
	hash, _ := hashToken(token)
	now := s.Now()
	client := strings.ToValidUTF8(from.Client, "")
	if len(client) > maxClient {
		client = strings.ToValidUTF8(client[:maxClient], "")
	}
	return token, store.NewToken{ID: id.New(), Hash: hash, Client: client, Now: now, Expires: now.Add(s.TokenTTL)}
}
