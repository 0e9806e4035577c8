package store

import (
	"errors"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

// login returns a new token.
func (w *world) login() NewToken {
	unique := id.New()
	return NewToken{
		ID: unique, Hash: TokenHash([]byte(unique[4:])), Client: "test",
		Now: w.tick(), Expires: w.now.Add(time.Hour),
	}
}

func TestOfManyRegistrationsOfOneAddressOneIsMade(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := NewUser{Email: "Ada@example.com", EmailKey: "ada@example.com", Nickname: "Ada", PasswordHash: "hash"}
		tokens := make([]NewToken, 20)
		for i := range tokens {
			tokens[i] = w.login()
		}
		errs := parallel(len(tokens), func(i int) error {
			_, err := w.CreateUser(t.Context(), user, tokens[i])
			return err
		})
		if count(errs) != 1 {
			t.Errorf("%d accounts were made", count(errs))
		}
		for _, err := range errs {
			if err != nil && !errors.Is(err, parley.ErrEmailTaken) {
				t.Error(err)
			}
		}
		if n := number(t, w.Store, `SELECT count(*) FROM tokens`); n != 1 {
			t.Errorf("%d tokens", n)
		}
		found, hash, err := w.UserByEmail(t.Context(), "ada@example.com")
		w.must(err)
		if found.Email != "Ada@example.com" || found.Nickname != "Ada" || hash != "hash" || found.Avatar != "" {
			t.Errorf("the account is %+v, %s", found, hash)
		}
	})
}

func TestATokenIsGoodUntilItEnds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		token := w.login()
		w.must(w.AddToken(t.Context(), ada, usersHash, token))
		who, tokenID, err := w.UserByToken(t.Context(), ada, token.Hash, token.Expires.Add(-time.Microsecond))
		if err != nil || who.ID != ada || tokenID != token.ID {
			t.Errorf("the token is %v's, %s, %v", who.ID, tokenID, err)
		}
		if _, _, err := w.UserByToken(t.Context(), ada, token.Hash, token.Expires); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("at its end: %v", err)
		}
		if _, _, err := w.UserByToken(t.Context(), ada, TokenHash{}, w.now); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("an unknown one: %v", err)
		}
		if _, _, err := w.UserByToken(t.Context(), bob, token.Hash, w.now); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("with bob's name: %v", err)
		}
		if found, err := w.DeleteToken(t.Context(), bob, token.ID); err != nil || found {
			t.Errorf("bob ends it: %v, %v", found, err)
		}
		if found, err := w.DeleteToken(t.Context(), ada, token.ID); err != nil || !found {
			t.Errorf("ada ends it: %v, %v", found, err)
		}
		if _, _, err := w.UserByToken(t.Context(), ada, token.Hash, w.now); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("after its end: %v", err)
		}
	})
}

func TestLoginsAreListedNewestFirstAndForgottenWhenOver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		first, second := w.login(), w.login()
		first.Expires = second.Now
		w.must(w.AddToken(t.Context(), user, usersHash, first))
		w.must(w.AddToken(t.Context(), user, usersHash, second))
		tokens, err := w.Tokens(t.Context(), user, first.Now)
		w.must(err)
		if len(tokens) != 3 || tokens[0].ID != second.ID || tokens[1].ID != first.ID ||
			tokens[0].ExpiresAt != second.Expires.Unix() {
			t.Errorf("logins are %+v", tokens)
		}
		if tokens, err = w.Tokens(t.Context(), user, second.Now); err != nil || len(tokens) != 2 {
			t.Errorf("logins are %+v, %v", tokens, err)
		}
		w.must(w.DeleteExpiredTokens(t.Context(), second.Now))
		if n := number(t, w.Store, `SELECT count(*) FROM tokens`); n != 2 {
			t.Errorf("%d tokens are kept", n)
		}
	})
}

func TestANewPasswordEndsEveryOtherLogin(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user, other := w.user(), w.user()
		kept, ended := w.login(), w.login()
		w.must(w.AddToken(t.Context(), user, usersHash, kept))
		w.must(w.AddToken(t.Context(), user, usersHash, ended))
		w.must(w.SetPassword(t.Context(), user, usersHash, "new hash", kept.Hash))
		if _, hash, err := w.UserByID(t.Context(), user); err != nil || hash != "new hash" {
			t.Errorf("the hash is %s, %v", hash, err)
		}
		if tokens, err := w.Tokens(t.Context(), user, w.now); err != nil || len(tokens) != 1 || tokens[0].ID != kept.ID {
			t.Errorf("logins are %+v, %v", tokens, err)
		}
		if tokens, err := w.Tokens(t.Context(), other, w.now); err != nil || len(tokens) != 1 {
			t.Errorf("another user's logins are %+v, %v", tokens, err)
		}
	})
}

func TestAPasswordThatWasChangedMeanwhileIsNotBelieved(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.must(w.SetPassword(t.Context(), user, usersHash, "new hash", TokenHash{}))
		if err := w.AddToken(t.Context(), user, usersHash, w.login()); !errors.Is(err, parley.ErrWrongPassword) {
			t.Errorf("a login by the old one: %v", err)
		}
		kept := w.login()
		w.must(w.AddToken(t.Context(), user, "new hash", kept))
		err := w.SetPassword(t.Context(), user, usersHash, "thief's hash", TokenHash{})
		if !errors.Is(err, parley.ErrWrongPassword) {
			t.Errorf("a change by the old one: %v", err)
		}
		if _, hash, err := w.UserByID(t.Context(), user); err != nil || hash != "new hash" {
			t.Errorf("the hash is %s, %v", hash, err)
		}
		if tokens, err := w.Tokens(t.Context(), user, w.now); err != nil || len(tokens) != 1 || tokens[0].ID != kept.ID {
			t.Errorf("logins are %+v, %v", tokens, err)
		}
	})
}

func TestAProfileChangesWhereItIsGiven(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		nickname, avatar := "Lovelace", "https://example.com/a.png"
		changed, err := w.UpdateProfile(t.Context(), user, parley.ProfileInput{Nickname: &nickname})
		if err != nil || changed.Nickname != nickname || changed.Avatar != "" {
			t.Errorf("%+v, %v", changed, err)
		}
		changed, err = w.UpdateProfile(t.Context(), user, parley.ProfileInput{Avatar: &avatar})
		if err != nil || changed.Nickname != nickname || changed.Avatar != avatar ||
			changed.ID != user || changed.CreatedAt == 0 {
			t.Errorf("%+v, %v", changed, err)
		}
		changed, err = w.UpdateProfile(t.Context(), user, parley.ProfileInput{Instructions: new("Be brief.")})
		if err != nil || changed.Nickname != nickname || changed.Avatar != avatar || changed.Instructions != "Be brief." {
			t.Errorf("%+v, %v", changed, err)
		}
		_, err = w.UpdateProfile(t.Context(), user+1, parley.ProfileInput{Nickname: &nickname})
		if !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("a user that is not: %v", err)
		}
	})
}

func TestDeletingAnAccountTakesAllItOwns(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		keep := w.user()
		w.say(keep, w.session(keep, "kept"), "q", "r")
		w.index()
		before := w.dump()

		user := w.user()
		for i := range 3 {
			session := w.session(user, numbered("s", i))
			message := w.say(user, session, "q", "r")
			_, err := w.AddFavorite(t.Context(), user, session, message, id.New(), w.tick())
			w.must(err)
			w.file(user, session)
			if i == 1 {
				w.index()
			}
			question := w.question(user, session, "open")
			question.Key = numbered("key", i)
			_, err = w.BeginTurn(t.Context(), question)
			w.must(err)
		}
		failed := w.begin(user, w.session(user, ""), "fails")
		w.must(w.FailTurn(t.Context(), failed, failure, w.tick()))
		w.must(w.remove(user))
		if after := w.dump(); after != before {
			t.Errorf("before\n%s\nafter\n%s", before, after)
		}
		for _, table := range []string{"tokens", "outcomes", "files", "send_keys", "turns"} {
			if n := number(t, w.Store, `SELECT count(*) FROM `+table+` WHERE user_id = $1`, user); n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
		if _, _, err := w.UserByID(t.Context(), user); !errors.Is(err, parley.ErrNoSuchUser) {
			t.Errorf("the account: %v", err)
		}
		if again := w.user(); again == user {
			t.Error("the id of a deleted account was given again")
		}
	})
}
