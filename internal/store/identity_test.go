package store

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

// secret returns a hash that nothing else has.
func secret() TokenHash { return TokenHash([]byte(id.New()[4:])) }

// signIn stores a sign-in of an identity and returns it.
func (w *world) signIn(identity Identity) SignIn {
	w.t.Helper()
	in := SignIn{
		Code: secret(), Identity: identity, Email: "ada@example.com", Nickname: "Ada", Expires: w.tick().Add(time.Minute),
	}
	w.must(w.AddSignIn(w.t.Context(), in))
	return in
}

func identity() Identity {
	return Identity{Hash: secret(), Issuer: "https://accounts.example.com", Subject: id.New()}
}

// signedOn creates an account by a sign-in and returns its id.
func (w *world) signedOn(identity Identity) int64 {
	w.t.Helper()
	in := w.signIn(identity)
	email := id.New() + "@example.com"
	user := NewUser{Email: email, EmailKey: email, Nickname: "Ada", SignIn: &in}
	userID, err := w.CreateUser(w.t.Context(), user, w.login())
	w.must(err)
	return userID
}

// useIdentities calls each method for sign-ins and identities.
func (w *world) useIdentities(userID int64) {
	w.t.Helper()
	ctx := w.t.Context()
	begun := BegunSignIn{State: secret(), Browser: secret(), Nonce: "n", Verifier: "v", Expires: w.now.Add(time.Minute)}
	w.must(w.AddBegunSignIn(ctx, begun, 100_000))
	_, err := w.TakeBegunSignIn(ctx, begun.State, begun.Browser, w.now)
	w.must(err)
	in := w.signIn(identity())
	_, err = w.FindSignIn(ctx, in.Code, w.now)
	w.must(err)
	w.must(w.LinkIdentity(ctx, userID, Link{SignIn: in, PasswordHash: usersHash, Token: w.login()}))
	_, err = w.UserByIdentity(ctx, in.Identity.Hash)
	w.must(err)
	w.must(w.LogInByIdentity(ctx, userID, w.signIn(in.Identity), w.login()))
	other := w.signedOn(identity())
	w.must(w.LinkIdentity(ctx, other, Link{SignIn: w.signIn(identity()), Token: w.login()}))
	w.must(w.remove(other))
	w.must(w.DeleteExpiredSignIns(ctx, time.Unix(0, 0)))
}

func TestAnIdentityFindsItsAccount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		own := identity()
		if _, err := w.UserByIdentity(ctx, own.Hash); !errors.Is(err, parley.ErrNoSuchUser) {
			t.Errorf("before: %v", err)
		}
		ada := w.signedOn(own)
		user, err := w.UserByIdentity(ctx, own.Hash)
		w.must(err)
		if user.ID != ada || !user.SignOn || !user.Passwordless {
			t.Errorf("the account is %+v", user)
		}
		bea := w.user()
		if user, _, err := w.UserByID(ctx, bea); err != nil || user.SignOn || user.Passwordless {
			t.Errorf("an account with a password is %+v, %v", user, err)
		}
		// Another account does not get it, and the attempt leaves nothing behind.
		in := w.signIn(own)
		err = w.LinkIdentity(ctx, bea, Link{SignIn: in, PasswordHash: usersHash, Token: w.login()})
		if !errors.Is(err, parley.ErrBadSignIn) {
			t.Errorf("linked to another: %v", err)
		}
		if err := w.LogInByIdentity(ctx, bea, in, w.login()); !errors.Is(err, parley.ErrNoSuchUser) {
			t.Errorf("log in as another: %v", err)
		}
		err = w.LinkIdentity(ctx, bea, Link{SignIn: w.signIn(identity()), PasswordHash: "y", Token: w.login()})
		if !errors.Is(err, parley.ErrWrongPassword) {
			t.Errorf("linked with another password: %v", err)
		}
		if user, _, err := w.UserByID(ctx, bea); err != nil || user.SignOn {
			t.Errorf("the other account is %+v, %v", user, err)
		}
		w.must(w.DisableUser(ctx, 0, ada, w.now))
		if err := w.LogInByIdentity(ctx, ada, in, w.login()); !errors.Is(err, parley.ErrDisabled) {
			t.Errorf("disabled: %v", err)
		}
		w.must(w.remove(ada))
		if _, err := w.UserByIdentity(ctx, own.Hash); !errors.Is(err, parley.ErrNoSuchUser) {
			t.Errorf("after its deletion: %v", err)
		}
		w.signedOn(own) // it is free again
	})
}

// TestALinkNeedsTheSecondFactor links an account that has one by its password.
func TestALinkNeedsTheSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.secondFactor(user, "secret")
		link := func(proof Proof) error {
			token := w.login()
			token.Proof = proof
			return w.LinkIdentity(t.Context(), user, Link{SignIn: w.signIn(identity()), PasswordHash: usersHash, Token: token})
		}
		for _, proof := range []Proof{{}, {Secret: "secret", Step: 100}, {Recovery: &TokenHash{1}}} {
			if err := link(proof); !errors.Is(err, parley.ErrWrongCode) {
				t.Errorf("with %+v: %v", proof, err)
			}
		}
		if who, _, err := w.UserByID(t.Context(), user); err != nil || who.SignOn {
			t.Errorf("the account is %+v, %v", who, err)
		}
		w.must(link(Proof{Secret: "secret", Step: 101}))
		if err := w.enter(user, Proof{Secret: "secret", Step: 101}); !errors.Is(err, parley.ErrWrongCode) {
			t.Errorf("the same code again: %v", err)
		}
	})
}

// TestACodeIsUsedOnce has many logins use one code.
func TestACodeIsUsedOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		own := identity()
		ada := w.signedOn(own)
		in := w.signIn(own)
		var all sync.WaitGroup
		errs := make(chan error, 8)
		for range cap(errs) {
			token := w.login()
			all.Go(func() { errs <- w.LogInByIdentity(t.Context(), ada, in, token) })
		}
		all.Wait()
		close(errs)
		used := 0
		for err := range errs {
			switch {
			case err == nil:
				used++
			case !errors.Is(err, parley.ErrBadSignIn):
				t.Error(err)
			}
		}
		if used != 1 {
			t.Errorf("it was used %d times", used)
		}
	})
}

func TestBegunSignInsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		var all []BegunSignIn
		for i := range 5 {
			begun := BegunSignIn{
				State: secret(), Browser: secret(), Nonce: fmt.Sprint("n", i), Verifier: "v", Expires: w.tick().Add(time.Minute),
			}
			w.must(w.AddBegunSignIn(ctx, begun, 3))
			all = append(all, begun)
		}
		for i, begun := range all {
			_, err := w.TakeBegunSignIn(ctx, begun.State, secret(), w.now)
			if !errors.Is(err, parley.ErrBadSignIn) {
				t.Errorf("%d in another browser: %v", i, err)
			}
			got, err := w.TakeBegunSignIn(ctx, begun.State, begun.Browser, w.now)
			if i < 2 != errors.Is(err, parley.ErrBadSignIn) || err == nil && (got.Nonce != begun.Nonce || got.Verifier != "v") {
				t.Errorf("%d: %+v, %v", i, got, err)
			}
		}
	})
}

func TestSignInsEnd(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		in := w.signIn(identity())
		begun := BegunSignIn{State: secret(), Browser: secret(), Expires: in.Expires}
		w.must(w.AddBegunSignIn(ctx, begun, 10))
		if _, err := w.FindSignIn(ctx, in.Code, in.Expires.Add(-time.Second)); err != nil {
			t.Errorf("before its end: %v", err)
		}
		if _, err := w.FindSignIn(ctx, in.Code, in.Expires); !errors.Is(err, parley.ErrBadSignIn) {
			t.Errorf("at its end: %v", err)
		}
		if _, err := w.TakeBegunSignIn(ctx, begun.State, begun.Browser, in.Expires); !errors.Is(err, parley.ErrBadSignIn) {
			t.Errorf("begun, at its end: %v", err)
		}
		w.must(w.DeleteExpiredSignIns(ctx, in.Expires))
		left := number(t, w.Store, `SELECT (SELECT count(*) FROM sign_ins) + (SELECT count(*) FROM sign_in_codes)`)
		if left != 0 {
			t.Errorf("%d are left", left)
		}
	})
}

// TestALinkWithoutAPasswordEndsEverythingElse checks what a link by the address leaves.
func TestALinkWithoutAPasswordEndsEverythingElse(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		user := w.user()
		w.key(user)
		token := w.login()
		w.must(w.LinkIdentity(ctx, user, Link{SignIn: w.signIn(identity()), Token: token}))
		_, hash, err := w.UserByID(ctx, user)
		w.must(err)
		tokens, err := w.Tokens(ctx, user, w.now)
		w.must(err)
		if hash != "" || len(tokens) != 1 || tokens[0].ID != token.ID {
			t.Errorf("the hash is %q, the logins are %+v", hash, tokens)
		}
		if keys := number(t, w.Store, `SELECT count(*) FROM api_keys`); keys != 0 {
			t.Errorf("%d keys are left", keys)
		}
	})
}
