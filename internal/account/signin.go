package account

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"parley"
	"parley/internal/casefold"
	"parley/internal/oidc"
	"parley/internal/store"
)

const (
	// signInTime is how long a user may take at the provider, and then to type a password for the link.
	signInTime = 10 * time.Minute
	// codeTime is how long the page may take to exchange its code.
	codeTime = time.Minute
	// maxSignIns bounds the sign-ins that have begun. They are made without a login.
	maxSignIns = 10_000
	// freshLogin is how long after a sign-in it proves its user in place of a password.
	freshLogin = 5 * time.Minute
)

// byProvider is the attribute of a login at the provider in the audit log.
var byProvider = slog.String("by", "oidc")

// SignInFailure is why a browser comes back without a login, as the page is told.
type SignInFailure string

// The failures of sign-ins. The page has a sentence for each.
const (
	SignInUnavailable SignInFailure = "unavailable" // the provider can't be reached
	SignInDenied      SignInFailure = "denied"      // by the user or the provider
	SignInExpired     SignInFailure = "expired"     // or begun in another browser
	SignInRefused     SignInFailure = "refused"     // the provider's response is not valid
	SignInUnverified  SignInFailure = "unverified"  // no verified e-mail address
	SignInClosed      SignInFailure = "closed"      // there is no account, and registration is closed
	SignInDisabled    SignInFailure = "disabled"    // the account is disabled
	SignInTooMany     SignInFailure = "too-many"    // attempts
	SignInFailed      SignInFailure = "failed"      // for another reason
)

func (f SignInFailure) Error() string { return "sign-in: " + string(f) }

// SignInReturn is what a browser comes back with from the provider.
type SignInReturn struct {
	// Browser is the cookie of the browser.
	Browser string
	State   string
	Code    string
	// Issuer is the provider's name, if it says it. Error is set if there is no code.
	Issuer string
	Error  string
}

// NewBrowser returns a secret that binds sign-ins to a browser.
func NewBrowser() string { return newSecret() }

// BeginSignIn returns the address at the provider for a browser, which is known by its cookie. The error is a
// SignInFailure, or of the database.
func (s *Service) BeginSignIn(ctx context.Context, browser string) (string, error) {
	challenge := oidc.NewChallenge()
	address, err := s.signOn.LoginURL(ctx, challenge)
	if err != nil {
		return "", fmt.Errorf("%w: %w", SignInUnavailable, err)
	}
	return address, s.store.AddBegunSignIn(ctx, store.BegunSignIn{
		State:    hashSecret(challenge.State),
		Browser:  hashSecret(browser),
		Nonce:    challenge.Nonce,
		Verifier: challenge.Verifier,
		Expires:  s.now().Add(signInTime),
	}, maxSignIns)
}

// FinishSignIn takes a browser back from the provider and returns the code that its page exchanges for a login. If link
// is set, an account with the address is there and its password is needed too. No account is made or changed. The error
// is a SignInFailure, or of the database.
func (s *Service) FinishSignIn(
	ctx context.Context, back SignInReturn, from Caller,
) (code string, link bool, err error) {
	in, found, err := s.takeBack(ctx, back)
	if err != nil {
		s.auditSignInFailure(ctx, found.user.ID, from, err)
		return "", false, err
	}
	code = newSecret()
	in.Code = hashSecret(code)
	return code, in.Link, s.store.AddSignIn(ctx, in)
}

// takeBack checks what a browser comes back with. With an error, it still returns the account if there is one.
func (s *Service) takeBack(ctx context.Context, back SignInReturn) (store.SignIn, signedIn, error) {
	begun, err := s.store.TakeBegunSignIn(ctx, hashSecret(back.State), hashSecret(back.Browser), s.now())
	switch {
	case errors.Is(err, parley.ErrBadSignIn):
		return store.SignIn{}, signedIn{}, SignInExpired
	case err != nil:
		return store.SignIn{}, signedIn{}, err
	case back.Issuer != "" && back.Issuer != s.signOn.Issuer():
		err = fmt.Errorf("%w: the browser comes from another provider", SignInRefused)
		return store.SignIn{}, signedIn{}, err
	case back.Error != "" || back.Code == "":
		return store.SignIn{}, signedIn{}, SignInDenied
	}
	user, err := s.signOn.Identify(ctx, back.Code, oidc.Challenge{Nonce: begun.Nonce, Verifier: begun.Verifier})
	if err != nil {
		return store.SignIn{}, signedIn{}, signInFailure(err)
	}
	in, found, err := s.newSignIn(ctx, user)
	if err != nil {
		return store.SignIn{}, found, signInFailure(err)
	}
	return in, found, nil
}

// newSignIn returns what is stored of a user of the provider, without its code, and the account.
func (s *Service) newSignIn(ctx context.Context, user oidc.User) (store.SignIn, signedIn, error) {
	email, err := parseEmail(user.Email)
	if err != nil {
		return store.SignIn{}, signedIn{}, fmt.Errorf("%w: %w", oidc.ErrUnverified, err)
	}
	nickname := strings.TrimSpace(user.Name)
	if nickname == "" || checkNickname(nickname) != nil {
		nickname = defaultNickname(email)
	}
	in := store.SignIn{
		Identity: store.Identity{Issuer: user.Issuer, Subject: user.Subject}, Email: email, Nickname: nickname,
		Expires: s.now().Add(codeTime),
	}
	in.Identity.Hash = hashIdentity(in.Identity)
	found, err := s.findSignedIn(ctx, in)
	if found.needsPassword {
		in.Link, in.Expires = true, s.now().Add(signInTime)
	}
	return in, found, err
}

// signInFailure returns the SignInFailure of an error, with its cause, or the error itself if it has none.
func signInFailure(err error) error {
	var failure SignInFailure
	switch {
	case errors.Is(err, oidc.ErrUnavailable):
		failure = SignInUnavailable
	case errors.Is(err, oidc.ErrRefused):
		failure = SignInRefused
	case errors.Is(err, oidc.ErrUnverified):
		failure = SignInUnverified
	case errors.Is(err, parley.ErrRegistrationClosed):
		failure = SignInClosed
	case errors.Is(err, parley.ErrDisabled):
		failure = SignInDisabled
	default:
		return err
	}
	return fmt.Errorf("%w: %w", failure, err)
}

// hashIdentity returns the hash by which an identity is found. An issuer has no line break.
func hashIdentity(identity store.Identity) store.TokenHash {
	return sha256.Sum256([]byte(identity.Issuer + "\n" + identity.Subject))
}

// signedIn is the account of a user of the provider.
type signedIn struct {
	// user is the user of the account. Its id is 0 if there is no account yet.
	user parley.User
	// linked is whether the account is linked to the identity.
	linked bool
	// passwordHash is set if the account is not linked.
	passwordHash  string
	needsPassword bool
}

// findSignedIn returns the account of a user of the provider: the linked one, or else the one with the same address. It
// returns an error if the account is disabled, or does not exist and registration is closed.
func (s *Service) findSignedIn(ctx context.Context, in store.SignIn) (found signedIn, err error) {
	found.user, err = s.store.UserByIdentity(ctx, in.Identity.Hash)
	found.linked = err == nil
	if errors.Is(err, parley.ErrNoSuchUser) {
		found.user, found.passwordHash, err = s.store.UserByEmail(ctx, casefold.Key(in.Email))
	}
	switch {
	case errors.Is(err, parley.ErrNoSuchUser) && !s.settings().Registration:
		return found, parley.ErrRegistrationClosed
	case errors.Is(err, parley.ErrNoSuchUser):
		return signedIn{}, nil
	case err != nil:
		return found, err
	case found.user.DisabledAt != 0:
		return found, parley.ErrDisabled
	}
	found.needsPassword = !found.linked && !s.byEmail
	return found, nil
}

// ExchangeSignIn logs in with the code of a sign-in, once. It makes the account if there is none, and links an account
// with the same address. It returns parley.ErrBadSignIn if the code is unknown, used or expired.
func (s *Service) ExchangeSignIn(
	ctx context.Context, in parley.SignInInput, from Caller,
) (parley.LoginOutput, error) {
	user, token, err := s.exchangeSignIn(ctx, in, from)
	if err != nil {
		s.auditRefusal(ctx, eventLoginFailed, user.ID, from, err)
		return parley.LoginOutput{}, err
	}
	s.audit(ctx, eventLogin, user.ID, append(from.attrs(), byProvider)...)
	return parley.LoginOutput{Token: token, User: user.Profile()}, nil
}

// exchangeSignIn returns the account and a new token. With an error, it still returns the account if there is one.
func (s *Service) exchangeSignIn(
	ctx context.Context, input parley.SignInInput, from Caller,
) (parley.User, string, error) {
	in, err := s.store.FindSignIn(ctx, hashSecret(input.Code), s.now())
	if err != nil {
		return parley.User{}, "", err
	}
	in.Identity.Hash = hashIdentity(in.Identity)
	found, err := s.findSignedIn(ctx, in)
	if err != nil {
		return found.user, "", err
	}
	secret, token := s.newToken(from)
	switch {
	case found.linked:
		err = s.store.LogInByIdentity(ctx, found.user.ID, in, token)
	case found.user.ID == 0:
		found.user, err = s.registerSignedIn(ctx, in, token, from)
	default:
		err = s.linkSignedIn(ctx, found, in, input, token, from)
	}
	if err != nil {
		return found.user, "", err
	}
	return found.user, tokenOf(found.user.ID, secret), nil
}

// registerSignedIn makes an account without a password.
func (s *Service) registerSignedIn(
	ctx context.Context, in store.SignIn, token store.NewToken, from Caller,
) (parley.User, error) {
	id, err := s.store.CreateUser(ctx, store.NewUser{
		Email: in.Email, EmailKey: casefold.Key(in.Email), Nickname: in.Nickname, SignIn: &in,
	}, token)
	if errors.Is(err, parley.ErrEmailTaken) {
		return parley.User{}, parley.ErrBadSignIn // the address was registered since the browser came back
	}
	if err != nil {
		return parley.User{}, err
	}
	s.audit(ctx, eventRegister, id, append(from.attrs(), byProvider)...)
	return parley.User{ID: id, Email: in.Email, Nickname: in.Nickname, SignOn: true, Passwordless: true}, nil
}

// linkSignedIn links an account to the identity, after its password and second factor unless the address is enough.
func (s *Service) linkSignedIn(
	ctx context.Context, found signedIn, in store.SignIn, input parley.SignInInput, token store.NewToken, from Caller,
) (err error) {
	link := store.Link{SignIn: in, Token: token}
	switch {
	case found.needsPassword && !in.Link:
		return parley.ErrBadSignIn // the address was registered since the browser came back
	case found.needsPassword && input.Password == "":
		return parley.Invalid("password is required")
	case found.needsPassword:
		link.PasswordHash = found.passwordHash
		err = s.linkByPassword(ctx, found.user, link, input, from)
	default:
		err = s.store.LinkIdentity(ctx, found.user.ID, link)
	}
	if err != nil {
		return err
	}
	s.audit(ctx, eventIdentityLink, found.user.ID, append(from.attrs(), byProvider)...)
	if link.PasswordHash == "" {
		s.endAllStreams(ctx, found.user.ID)
	}
	return nil
}

// linkByPassword asks for what a login asks for: whoever has only the password must not get in through the provider.
func (s *Service) linkByPassword(
	ctx context.Context, user parley.User, link store.Link, input parley.SignInInput, from Caller,
) error {
	return s.guess(ctx, guessKey(user.ID, from), func() error {
		if err := s.passwords.check(ctx, input.Password, link.PasswordHash, Network(from.Address)); err != nil {
			return err
		}
		return s.proveLogin(ctx, user, input.TOTP, from, func(proof store.Proof) error {
			link.Token.Proof = proof
			return s.store.LinkIdentity(ctx, user.ID, link)
		})
	})
}

// confirmFreshLogin returns nil if the login of a request has just begun, or else parley.ErrSignInAgain.
func (s *Service) confirmFreshLogin(ctx context.Context, who *Identity) error {
	tokens, err := s.Tokens(ctx, who)
	if err != nil {
		return err
	}
	for _, token := range tokens {
		if token.Current && s.now().Sub(time.Unix(token.CreatedAt, 0)) < freshLogin {
			return nil
		}
	}
	return parley.ErrSignInAgain
}
