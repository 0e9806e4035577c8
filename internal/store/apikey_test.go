package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

// newKey returns a key of a user without an end. The user's last login makes it, if there is one.
func (w *world) newKey(userID int64) NewAPIKey {
	w.t.Helper()
	tokens, err := w.Tokens(w.t.Context(), userID, w.now)
	w.must(err)
	login := ""
	if len(tokens) > 0 {
		login = tokens[0].ID
	}
	unique := id.New()
	return NewAPIKey{
		UserID: userID, TokenID: login, ID: unique, Hash: TokenHash([]byte(unique[4:])), Name: "key " + unique,
		Scopes: []parley.Scope{parley.ScopeChat, parley.ScopeFiles}, Now: w.tick(), MaxKeys: 3,
	}
}

// key adds a key without an end.
func (w *world) key(userID int64) NewAPIKey {
	w.t.Helper()
	key := w.newKey(userID)
	w.must(w.AddAPIKey(w.t.Context(), key))
	return key
}

// useAPIKey runs every statement about keys.
func (w *world) useAPIKey(userID int64) {
	w.t.Helper()
	ctx := w.t.Context()
	key := w.key(userID)
	_, _, err := w.UserByAPIKey(ctx, userID, key.Hash, w.now)
	w.must(err)
	_, err = w.APIKeys(ctx, userID, w.now)
	w.must(err)
	_, err = w.Credentials(ctx, userID, w.now)
	w.must(err)
	w.must(w.SetAPIKeyUsed(ctx, userID, key.ID, w.now))
	_, err = w.DeleteAPIKey(ctx, userID, key.ID)
	w.must(err)
	w.must(w.DeleteExpiredAPIKeys(ctx, time.Unix(1, 0)))
}

func (w *world) wantBadKey(key NewAPIKey, now time.Time) {
	w.t.Helper()
	if _, _, err := w.UserByAPIKey(w.t.Context(), key.UserID, key.Hash, now); !errors.Is(err, parley.ErrBadToken) {
		w.t.Errorf("the key finds its user: %v", err)
	}
}

func TestAKeyFindsItsUser(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		made := w.key(ada)
		user, key, err := w.UserByAPIKey(t.Context(), ada, made.Hash, w.now)
		w.must(err)
		want := parley.Key{KeyID: made.ID, Name: made.Name, Scopes: made.Scopes, CreatedAt: made.Now.Unix()}
		if user.ID != ada || !slices.Equal(key.Scopes, want.Scopes) || key.KeyID != want.KeyID || key.Name != want.Name ||
			key.CreatedAt != want.CreatedAt || key.LastUsed != 0 || key.ExpiresAt != 0 {
			t.Errorf("got %+v of user %d, want %+v of %d", key, user.ID, want, ada)
		}
		w.wantBadKey(NewAPIKey{UserID: bob, Hash: made.Hash}, w.now)
		if found, err := w.DeleteAPIKey(t.Context(), bob, made.ID); err != nil || found {
			t.Errorf("another user deletes it: %v, %v", found, err)
		}
		if found, err := w.DeleteAPIKey(t.Context(), ada, made.ID); err != nil || !found {
			t.Errorf("delete: %v, %v", found, err)
		}
		w.wantBadKey(made, w.now)
	})
}

func TestKeysAreListedNewestFirstAndDeletedWhenExpired(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		forever, short := w.newKey(user), w.newKey(user)
		short.Expires = short.Now.Add(time.Minute)
		w.must(w.AddAPIKey(t.Context(), forever))
		w.must(w.AddAPIKey(t.Context(), short))
		keys, err := w.APIKeys(t.Context(), user, short.Now)
		w.must(err)
		if len(keys) != 2 || keys[0].KeyID != short.ID || keys[0].ExpiresAt != short.Expires.Unix() ||
			keys[1].KeyID != forever.ID {
			t.Errorf("keys are %+v", keys)
		}
		if keys, err = w.APIKeys(t.Context(), user, short.Expires); err != nil || len(keys) != 1 {
			t.Errorf("after its end: %+v, %v", keys, err)
		}
		if ids, err := w.Credentials(t.Context(), user, short.Expires); err != nil || len(ids) != 2 {
			t.Errorf("credentials are %v, %v; want a login and a key", ids, err)
		}
		w.wantBadKey(short, short.Expires)
		w.must(w.DeleteExpiredAPIKeys(t.Context(), short.Expires))
		if n := number(t, w.Store, `SELECT count(*) FROM api_keys`); n != 1 {
			t.Errorf("%d keys are stored", n)
		}
	})
}

func TestAUserHasSoManyKeysAndNoMore(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user, other := w.user(), w.user()
		keys := make([]NewAPIKey, 10)
		for i := range keys {
			keys[i] = w.newKey(user)
		}
		made := 0
		for _, err := range parallel(len(keys), func(i int) error { return w.AddAPIKey(t.Context(), keys[i]) }) {
			switch {
			case err == nil:
				made++
			case !errors.Is(err, parley.ErrTooManyKeys):
				t.Error(err)
			}
		}
		if made != 3 {
			t.Errorf("%d keys were made, not 3", made)
		}
		w.key(other)
		one := w.newKey(user)
		one.Now = one.Now.Add(time.Hour)
		w.run(`UPDATE api_keys SET expires_at = 1`)
		w.must(w.AddAPIKey(t.Context(), one)) // expired keys do not count
	})
}

func TestTheUseOfAKeyIsStored(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		key := w.key(user)
		used := w.tick()
		w.must(w.SetAPIKeyUsed(t.Context(), user, key.ID, used))
		w.must(w.SetAPIKeyUsed(t.Context(), user, key.ID, used.Add(-time.Hour)))
		if keys, err := w.APIKeys(t.Context(), user, w.now); err != nil || keys[0].LastUsed != used.Unix() {
			t.Errorf("keys are %+v, %v", keys, err)
		}
	})
}

// TestALoginThatHasEndedMakesNoKey ends a login after its request to make a key was authenticated.
func TestALoginThatHasEndedMakesNoKey(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada := w.user()
		key := w.newKey(ada)
		w.must(w.ResetPassword(t.Context(), 0, Recovery{UserID: ada, PasswordHash: "new hash"}))
		if err := w.AddAPIKey(t.Context(), key); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("it makes a key: %v", err)
		}
		w.wantBadKey(key, w.now)
	})
}

func TestKeysEndWithTheirAccountAndOutliveItsPassword(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		adas, bobs := w.key(ada), w.key(bob)
		w.must(w.SetPassword(t.Context(), ada, usersHash, "new hash", TokenHash{}))
		_, _, err := w.UserByAPIKey(t.Context(), ada, adas.Hash, w.now)
		w.must(err)
		w.must(w.DisableUser(t.Context(), 0, ada, w.now))
		w.wantBadKey(adas, w.now)
		if err := w.AddAPIKey(t.Context(), w.newKey(ada)); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("a disabled account makes a key: %v", err)
		}
		w.must(w.EnableUser(t.Context(), ada))
		w.wantBadKey(adas, w.now)
		w.must(w.remove(bob))
		w.wantBadKey(bobs, w.now)
		if err := w.AddAPIKey(t.Context(), w.newKey(bob)); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("a deleted account makes a key: %v", err)
		}
		if n := number(t, w.Store, `SELECT count(*) FROM api_keys`); n != 0 {
			t.Errorf("%d keys are stored", n)
		}
	})
}
