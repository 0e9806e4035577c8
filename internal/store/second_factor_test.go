package store

import (
	"errors"
	"fmt"
	"testing"

	"parley"
)

// secondFactor turns on the second factor of a user, with the step 100 used.
func (w *world) secondFactor(userID int64, secret string, recovery ...TokenHash) {
	w.t.Helper()
	w.must(w.BeginSecondFactor(w.t.Context(), userID, secret, Proof{}))
	w.must(w.ConfirmSecondFactor(w.t.Context(), userID, secret, 100, recovery))
}

// enter logs a user in with a proof.
func (w *world) enter(userID int64, proof Proof) error {
	token := w.login()
	token.Proof = proof
	return w.AddToken(w.t.Context(), userID, usersHash, token)
}

// useSecondFactor runs every statement of second factors.
func (w *world) useSecondFactor(userID int64) {
	w.t.Helper()
	w.secondFactor(userID, "secret", TokenHash{1})
	_, err := w.SecondFactor(w.t.Context(), userID)
	w.must(err)
	w.must(w.enter(userID, Proof{Secret: "secret", Step: 101}))
	w.must(w.enter(userID, Proof{Recovery: &TokenHash{1}}))
	w.must(w.RemoveSecondFactor(w.t.Context(), userID))
}

func TestALoginNeedsTheSecondFactorOnceItIsConfirmed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user, other := w.user(), w.user()
		w.must(w.BeginSecondFactor(t.Context(), user, "secret", Proof{}))
		w.must(w.enter(user, Proof{}))
		w.must(w.ConfirmSecondFactor(t.Context(), user, "secret", 100, []TokenHash{{1}, {2}}))
		w.secondFactor(other, "other's", TokenHash{3})
		for _, c := range []struct {
			name  string
			proof Proof
			want  string
		}{
			{"nothing", Proof{}, parley.ErrCodeNeeded.Message},
			{"the confirming code", Proof{Secret: "secret", Step: 100}, parley.ErrWrongCode.Message},
			{"an older code", Proof{Secret: "secret", Step: 99}, parley.ErrWrongCode.Message},
			{"a code of another secret", Proof{Secret: "other's", Step: 101}, parley.ErrWrongCode.Message},
			{"a new code", Proof{Secret: "secret", Step: 101}, ""},
			{"the same code", Proof{Secret: "secret", Step: 101}, parley.ErrWrongCode.Message},
			{"the next code", Proof{Secret: "secret", Step: 102}, ""},
			{"a recovery code", Proof{Recovery: &TokenHash{1}}, ""},
			{"the same recovery code", Proof{Recovery: &TokenHash{1}}, parley.ErrWrongCode.Message},
			{"another user's recovery code", Proof{Recovery: &TokenHash{3}}, parley.ErrWrongCode.Message},
			{"a code after a recovery code", Proof{Secret: "secret", Step: 103}, ""},
		} {
			err := w.enter(user, c.proof)
			var refused *parley.Error
			if errors.As(err, &refused); (err == nil) != (c.want == "") || err != nil && refused.Message != c.want {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if n := number(t, w.Store, fmt.Sprintf(`SELECT count(*) FROM tokens WHERE user_id = %d`, user)); n != 6 {
			t.Errorf("%d logins", n)
		}
		if who, _, err := w.UserByID(t.Context(), user); err != nil || !who.TOTP {
			t.Errorf("the user is %+v, %v", who, err)
		}
		w.must(w.RemoveSecondFactor(t.Context(), user))
		w.must(w.enter(user, Proof{}))
		if who, err := w.UpdateProfile(t.Context(), user, parley.ProfileInput{}); err != nil || who.TOTP {
			t.Errorf("without a second factor the user is %+v, %v", who, err)
		}
		if n := number(t, w.Store, `SELECT count(*) FROM recovery_codes`); n != 1 {
			t.Errorf("%d recovery codes, want the other user's", n)
		}
		w.must(w.remove(other))
		if n := number(t, w.Store, `SELECT count(*) FROM recovery_codes`); n != 0 {
			t.Errorf("%d recovery codes of deleted users", n)
		}
	})
}

func TestANewSetUpLeavesTheOldOneUntilItIsConfirmed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		err := w.ConfirmSecondFactor(t.Context(), user, "secret", 100, nil)
		if !errors.Is(err, parley.ErrNoSetUp) {
			t.Errorf("without a set-up: %v", err)
		}
		w.secondFactor(user, "old", TokenHash{1}, TokenHash{2}, TokenHash{4})
		begin := func(secret string, proof Proof) error {
			return w.BeginSecondFactor(t.Context(), user, secret, proof)
		}
		for _, proof := range []Proof{{}, {Secret: "old", Step: 100}, {Recovery: &TokenHash{9}}} {
			if err := begin("stolen", proof); !errors.Is(err, parley.ErrWrongCode) {
				t.Errorf("a set-up with %+v: %v", proof, err)
			}
		}
		if factor, err := w.SecondFactor(t.Context(), user); err != nil || factor.Pending != "" {
			t.Errorf("after refused set-ups it is %+v, %v", factor, err)
		}
		w.must(begin("first", Proof{Secret: "old", Step: 101}))
		w.must(begin("second", Proof{Recovery: &TokenHash{4}}))
		w.must(w.enter(user, Proof{Secret: "old", Step: 200}))
		w.must(w.enter(user, Proof{Recovery: &TokenHash{1}}))
		if err := w.ConfirmSecondFactor(t.Context(), user, "first", 150, nil); !errors.Is(err, parley.ErrNoSetUp) {
			t.Errorf("a set-up that was replaced: %v", err)
		}
		w.must(w.ConfirmSecondFactor(t.Context(), user, "second", 150, []TokenHash{{3}}))
		factor, err := w.SecondFactor(t.Context(), user)
		if err != nil || factor != (SecondFactor{Secret: "second"}) {
			t.Errorf("the second factor is %+v, %v", factor, err)
		}
		w.must(w.enter(user, Proof{Secret: "second", Step: 151}))
		for _, proof := range []Proof{{Secret: "old", Step: 201}, {Recovery: &TokenHash{2}}} {
			if err := w.enter(user, proof); !errors.Is(err, parley.ErrWrongCode) {
				t.Errorf("the old one: %v", err)
			}
		}
		w.must(w.enter(user, Proof{Recovery: &TokenHash{3}}))
		if _, err := w.SecondFactor(t.Context(), -1); !errors.Is(err, parley.ErrNoSuchUser) {
			t.Errorf("nobody's: %v", err)
		}
		if err := w.BeginSecondFactor(t.Context(), -1, "x", Proof{}); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("nobody's set-up: %v", err)
		}
	})
}

func TestOfManyLoginsWithOneCodeOneSucceeds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.secondFactor(user, "secret", TokenHash{1})
		for _, proof := range []Proof{{Secret: "secret", Step: 101}, {Recovery: &TokenHash{1}}} {
			tokens := make([]NewToken, 8)
			for i := range tokens {
				tokens[i] = w.login()
				tokens[i].Proof = proof
			}
			errs := parallel(len(tokens), func(i int) error {
				return w.AddToken(t.Context(), user, usersHash, tokens[i])
			})
			if count(errs) != 1 {
				t.Errorf("%d logins with %+v", count(errs), proof)
			}
			for _, err := range errs {
				if err != nil && !errors.Is(err, parley.ErrWrongCode) {
					t.Error(err)
				}
			}
		}
	})
}
