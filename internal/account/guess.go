package account

import (
	"context"
	"errors"
	"fmt"

	"parley"
)

// guess runs check, which returns an error with code 1003 if a password or a code is wrong. It limits how often that
// may happen for a key.
func (s *Service) guess(ctx context.Context, key attemptKey, check func() error) error {
	if wait := s.attempts.retryAfter(key, s.now()); wait > 0 {
		return parley.ErrTooManyAttempts.WithRetryAfter(wait)
	}
	// One at a time: those who wait must see the failures of those before them.
	if err := s.guesses.Acquire(ctx, key); err != nil {
		return fmt.Errorf("wait to check a password: %w", err)
	}
	defer s.guesses.Release(key)
	if wait := s.attempts.retryAfter(key, s.now()); wait > 0 {
		return parley.ErrTooManyAttempts.WithRetryAfter(wait)
	}
	err := check()
	switch {
	case err == nil:
		s.attempts.reset(key)
	case isWrong(err):
		s.attempts.addFailure(key, s.now())
	}
	return err
}

// isWrong reports whether an error says that a password or a code of the second factor is wrong.
func isWrong(err error) bool {
	var e *parley.Error
	return errors.As(err, &e) && e.Code == parley.CodeWrongPassword
}

// checkPassword compares a password with its hash. It limits failed attempts.
func (s *Service) checkPassword(ctx context.Context, userID int64, password, hash string, from Caller) error {
	return s.guess(ctx, guessKey(userID, from), func() error {
		return s.passwords.check(ctx, password, hash, Network(from.Address))
	})
}
