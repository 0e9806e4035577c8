package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

func TestUsersAreListedInParts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var want, got []int64
		for range 5 {
			want = append(want, w.user())
		}
		for after := int64(0); ; after = got[len(got)-1] {
			some, err := w.Users(t.Context(), after, 2)
			w.must(err)
			for _, user := range some {
				got = append(got, user.ID)
			}
			if len(some) < 2 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("listed %v, want %v", got, want)
		}
	})
}

func TestWhatAUserOwnsIsCounted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		one, two := w.session(ada, "one"), w.session(ada, "two")
		w.say(ada, one, "Hello", "Hi")
		reply := w.say(ada, two, "Hello", "Hi")
		w.say(bob, w.session(bob, "his"), "Hello", "Hi")
		_, err := w.AddFavorite(t.Context(), ada, two, reply, id.New(), w.tick())
		w.must(err)
		w.file(ada, one)
		w.key(ada)
		got, err := w.Holdings(t.Context(), ada, w.now)
		w.must(err)
		want := Holdings{
			Logins: 1, Keys: 1, Sessions: 2, Messages: 4, Favorites: 1, Files: 1, FileBytes: got.FileBytes,
			ActiveAt: got.ActiveAt,
		}
		if got != want || got.FileBytes == 0 || got.ActiveAt == 0 || got.ActiveAt > w.now.Unix() {
			t.Errorf("got %+v", got)
		}
		if later, err := w.Holdings(t.Context(), ada, w.now.Add(10*365*24*time.Hour)); err != nil || later.Logins != 0 {
			t.Errorf("logins that have expired count: %+v, %v", later, err)
		}
		if _, err := w.Holdings(t.Context(), 1_000_000, w.now); !errors.Is(err, parley.ErrNoSuchUser) {
			t.Errorf("nobody: %v", err)
		}
	})
}

func TestADisabledUserHasNoLogins(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		token := w.login()
		w.must(w.AddToken(t.Context(), user, usersHash, token))
		w.must(w.DisableUser(t.Context(), 0, user, w.tick()))
		since := w.now.Unix()
		w.must(w.DisableUser(t.Context(), 0, user, w.tick()))
		if found, _, err := w.UserByID(t.Context(), user); err != nil || found.DisabledAt != since {
			t.Errorf("got %+v, %v", found, err)
		}
		if tokens, err := w.Tokens(t.Context(), user, w.now); err != nil || len(tokens) != 0 {
			t.Errorf("logins are %v, %v", tokens, err)
		}
		// A login that began before.
		if err := w.AddToken(t.Context(), user, usersHash, token); !errors.Is(err, parley.ErrDisabled) {
			t.Errorf("a login from before: %v", err)
		}
		w.must(w.EnableUser(t.Context(), user))
		w.must(w.AddToken(t.Context(), user, usersHash, token))
		if found, _, err := w.UserByToken(t.Context(), user, token.Hash, w.now); err != nil || found.DisabledAt != 0 {
			t.Errorf("enabled again: %+v, %v", found, err)
		}
	})
}
