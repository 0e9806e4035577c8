package account

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"unicode"

	"parley"
	"parley/internal/store"
	"parley/internal/totp"
)

// issuer names this service in authenticator apps.
const issuer = "Parley"

// A recovery code is 80 random bits in Base32, in four groups of four. People can type it.
const (
	recoveryLength = 16
	recoveryGroup  = 4
)

// SetUpSecondFactor makes the secret of a new second factor. It requires the password, and a code of the former one: a
// stolen token must not lock its owner out. The former one stays until the new one is confirmed.
func (s *Service) SetUpSecondFactor(
	ctx context.Context, who *Identity, in parley.SecondFactorInput, from Caller,
) (parley.SecondFactorOutput, error) {
	secret := totp.NewSecret()
	if err := s.beginSecondFactor(ctx, who, secret, in, from); err != nil {
		s.auditRefusal(ctx, eventSecondFactorFailed, who.User.ID, from, err)
		return parley.SecondFactorOutput{}, err
	}
	return parley.SecondFactorOutput{Secret: secret, URI: totp.URI(issuer, who.User.Email, secret)}, nil
}

func (s *Service) beginSecondFactor(
	ctx context.Context, who *Identity, secret string, in parley.SecondFactorInput, from Caller,
) error {
	if err := s.confirmOwner(ctx, who, in.Password, from); err != nil {
		return err
	}
	key := attemptKey{userID: who.User.ID, code: codeOfSetUp}
	return s.prove(ctx, who.User, in.Code, key, from, func(proof store.Proof) error {
		return s.store.BeginSecondFactor(ctx, who.User.ID, secret, proof)
	})
}

// ConfirmSecondFactor turns on the second factor that was set up, if the code is right, and returns new recovery codes.
func (s *Service) ConfirmSecondFactor(
	ctx context.Context, who *Identity, in parley.ConfirmSecondFactorInput, from Caller,
) (parley.RecoveryCodesOutput, error) {
	var codes []string
	key := attemptKey{userID: who.User.ID, code: codeOfConfirmation}
	err := s.guess(ctx, key, func() (err error) {
		codes, err = s.confirmSecondFactor(ctx, who.User.ID, in.Code)
		return err
	})
	if err != nil {
		s.auditRefusal(ctx, eventSecondFactorFailed, who.User.ID, from, err)
		return parley.RecoveryCodesOutput{}, err
	}
	s.audit(ctx, eventSecondFactor, who.User.ID, from.attrs()...)
	return parley.RecoveryCodesOutput{RecoveryCodes: codes}, nil
}

func (s *Service) confirmSecondFactor(ctx context.Context, userID int64, code string) ([]string, error) {
	factor, err := s.store.SecondFactor(ctx, userID)
	switch {
	case errors.Is(err, parley.ErrNoSuchUser):
		return nil, parley.ErrBadToken // the account has been deleted since the token was checked
	case err != nil:
		return nil, err
	case factor.Pending == "":
		return nil, parley.ErrNoSetUp
	}
	step, found, err := totp.Match(factor.Pending, compact(code), s.now())
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, parley.ErrWrongCode
	}
	codes, hashes := newRecoveryCodes()
	return codes, s.store.ConfirmSecondFactor(ctx, userID, factor.Pending, step, hashes)
}

// RemoveSecondFactor turns the second factor off, if the password is right. A user without one must have signed in a
// moment ago.
func (s *Service) RemoveSecondFactor(
	ctx context.Context, who *Identity, in parley.RemoveSecondFactorInput, from Caller,
) error {
	if err := s.confirmOwner(ctx, who, in.Password, from); err != nil {
		s.auditRefusal(ctx, eventSecondFactorOffFailed, who.User.ID, from, err)
		return err
	}
	if err := s.store.RemoveSecondFactor(ctx, who.User.ID); err != nil {
		return err
	}
	s.audit(ctx, eventSecondFactorOff, who.User.ID, from.attrs()...)
	return nil
}

// prove checks a code of the user's second factor and calls use with the proof, which is empty without a second factor.
// All wrong codes of a key count together, wherever they come from: there are only a million codes.
func (s *Service) prove(
	ctx context.Context, user parley.User, code string, key attemptKey, from Caller, use func(store.Proof) error,
) error {
	if !user.TOTP {
		return use(store.Proof{})
	}
	if compact(code) == "" {
		return parley.ErrCodeNeeded
	}
	var proof store.Proof
	err := s.guess(ctx, key, func() (err error) {
		if proof, err = s.proof(ctx, user.ID, code); err != nil {
			return err
		}
		return use(proof)
	})
	if err == nil && proof.Recovery != nil {
		s.audit(ctx, eventRecoveryCode, user.ID, from.attrs()...)
	}
	return err
}

// proveLogin is prove for a user whose password was right. Nobody can lock an account by wrong codes without it.
func (s *Service) proveLogin(
	ctx context.Context, user parley.User, code string, from Caller, use func(store.Proof) error,
) error {
	if user.DisabledAt != 0 {
		return parley.ErrDisabled
	}
	return s.prove(ctx, user, code, attemptKey{userID: user.ID, code: codeOfLogin}, from, use)
}

// proof returns what a code proves. If the code belongs to no step, it may be a recovery code, which the store checks.
func (s *Service) proof(ctx context.Context, userID int64, code string) (store.Proof, error) {
	factor, err := s.store.SecondFactor(ctx, userID)
	if err != nil || factor.Secret == "" { // it was turned off meanwhile
		return store.Proof{}, err
	}
	code = compact(code)
	step, found, err := totp.Match(factor.Secret, code, s.now())
	if err != nil {
		return store.Proof{}, err
	}
	if found {
		return store.Proof{Secret: factor.Secret, Step: step}, nil
	}
	hash := hashSecret(code)
	return store.Proof{Recovery: &hash}, nil
}

// newRecoveryCodes returns recovery codes, and what is stored of them.
func newRecoveryCodes() (codes []string, hashes []store.TokenHash) {
	for range parley.RecoveryCodes {
		code := strings.ToLower(rand.Text()[:recoveryLength])
		hashes = append(hashes, hashSecret(code))
		var groups []string
		for at := 0; at < len(code); at += recoveryGroup {
			groups = append(groups, code[at:at+recoveryGroup])
		}
		codes = append(codes, strings.Join(groups, "-"))
	}
	return codes, hashes
}

// compact returns a code as it is compared: without white space and hyphens, in lower case.
func compact(code string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '-':
			return -1
		case r >= '０' && r <= '９': // as Chinese and Japanese keyboards may type them
			return r - '０' + '0'
		default:
			return r
		}
	}, code))
}
