package store

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley"
)

// TestARecoveryEndsWhatCouldBeUsedBefore checks both ways to recover an account.
func TestARecoveryEndsWhatCouldBeUsedBefore(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		for name, recover := range map[string]func(Recovery) error{
			"a link": func(r Recovery) error {
				w.reset(r.UserID, 1, w.now)
				return w.UseReset(ctx, TokenHash{1}, w.now.Add(-time.Hour), r)
			},
			"an operator": func(r Recovery) error { return w.ResetPassword(ctx, 0, r) },
		} {
			own := identity()
			user, other := w.signedOn(own), w.user()
			w.key(user)
			bobs := w.key(other)
			w.must(w.BeginSecondFactor(ctx, user, "secret", Proof{}))
			byIdentity, byAddress, foreign := w.signIn(own), w.signIn(identity()), identity()
			foreignSignIn := SignIn{Code: secret(), Identity: foreign, Email: "bea@example.com", Expires: byAddress.Expires}
			w.must(w.AddSignIn(ctx, foreignSignIn))
			codes, err := w.PendingSignIns(ctx, user, w.now, func(email string) bool {
				return strings.EqualFold(email, "Ada@Example.com")
			})
			w.must(err)
			w.must(recover(Recovery{UserID: user, PasswordHash: "new hash", SignIns: codes}))

			for _, ended := range []SignIn{byIdentity, byAddress} {
				if err := w.LogInByIdentity(ctx, user, ended, w.login()); !errors.Is(err, parley.ErrBadSignIn) {
					t.Errorf("%s: a sign-in under way: %v", name, err)
				}
			}
			if _, err := w.FindSignIn(ctx, foreignSignIn.Code, w.now); err != nil {
				t.Errorf("%s: a sign-in of somebody else: %v", name, err)
			}
			if left, err := w.Credentials(ctx, user, w.now); err != nil || len(left) != 0 {
				t.Errorf("%s: logins and keys are %v, %v", name, left, err)
			}
			if _, _, err := w.UserByAPIKey(ctx, other, bobs.Hash, w.now); err != nil {
				t.Errorf("%s: a key of somebody else: %v", name, err)
			}
			if f, err := w.SecondFactor(ctx, user); err != nil || f != (SecondFactor{}) {
				t.Errorf("%s: the set-up of a second factor is %+v, %v", name, f, err)
			}
			if _, err := w.FindReset(ctx, user, TokenHash{1}); !errors.Is(err, parley.ErrBadReset) {
				t.Errorf("%s: a link: %v", name, err)
			}
			if _, hash, err := w.UserByID(ctx, user); err != nil || hash != "new hash" {
				t.Errorf("%s: the hash is %q, %v", name, hash, err)
			}
		}
		if err := w.ResetPassword(ctx, 0, Recovery{UserID: -1}); !errors.Is(err, parley.ErrNoSuchAccount) {
			t.Errorf("nobody: %v", err)
		}
	})
}
