package store

import (
	"errors"
	"testing"
	"time"

	"parley"
)

// reset stores a link to set a new password and reports whether it may be sent.
func (w *world) reset(userID int64, hash byte, now time.Time) bool {
	w.t.Helper()
	sent, err := w.AddReset(w.t.Context(), NewReset{
		UserID: userID, Hash: TokenHash{hash}, Now: now, Within: time.Hour,
	})
	w.must(err)
	return sent
}

// find returns a link that is good.
func (w *world) find(userID int64, hash byte) ResetLink {
	w.t.Helper()
	link, err := w.FindReset(w.t.Context(), userID, TokenHash{hash})
	w.must(err)
	return link
}

// useReset runs every statement of links to set a new password.
func (w *world) useReset(userID int64) {
	w.t.Helper()
	w.reset(userID, 1, w.now)
	w.find(userID, 1)
	in := w.signIn(identity())
	found, err := w.PendingSignIns(w.t.Context(), userID, w.now, func(email string) bool { return email == in.Email })
	w.must(err)
	recovery := Recovery{UserID: userID, PasswordHash: usersHash, SignIns: found}
	w.must(w.UseReset(w.t.Context(), TokenHash{1}, w.now.Add(-time.Hour), recovery))
	w.must(w.ResetPassword(w.t.Context(), 0, recovery))
	w.must(w.DeleteOldResets(w.t.Context(), time.Unix(1, 0)))
}

func TestALinkSetsOnePassword(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		user, other := w.user(), w.user()
		w.must(w.AddToken(ctx, user, usersHash, w.login()))
		w.must(w.AddAPIKey(ctx, w.newKey(user)))
		sent := w.now
		w.reset(user, 1, sent)
		use := func(userID int64, hash byte, since time.Time) error {
			link, found := w.FindReset(ctx, userID, TokenHash{hash})
			err := w.UseReset(ctx, TokenHash{hash}, since, Recovery{UserID: userID, PasswordHash: "new hash"})
			if (found == nil && link.SentAt.After(since)) != (err == nil) {
				t.Errorf("the link is %+v, %v, and using it %v", link, found, err)
			}
			return err
		}
		before := sent.Add(-time.Second)
		for name, err := range map[string]error{
			"another link":   use(user, 2, before),
			"another user":   use(other, 1, before),
			"nobody":         use(-1, 1, before),
			"an expired one": use(user, 1, sent),
		} {
			if !errors.Is(err, parley.ErrBadReset) || errors.Is(err, parley.ErrBadToken) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, hash, _ := w.UserByID(ctx, user); hash != usersHash {
			t.Errorf("a bad link has set the hash %s", hash)
		}
		w.must(use(user, 1, before))
		if _, hash, _ := w.UserByID(ctx, user); hash != "new hash" {
			t.Errorf("the hash is %s", hash)
		}
		if tokens, err := w.Tokens(ctx, user, w.now); err != nil || len(tokens) != 0 {
			t.Errorf("logins are %v, %v", tokens, err)
		}
		if keys, err := w.APIKeys(ctx, user, w.now); err != nil || len(keys) != 0 {
			t.Errorf("keys are %v, %v", keys, err)
		}
		if tokens, err := w.Tokens(ctx, other, w.now); err != nil || len(tokens) != 1 {
			t.Errorf("another user's logins are %v, %v", tokens, err)
		}
		if err := use(user, 1, before); !errors.Is(err, parley.ErrBadReset) {
			t.Errorf("again: %v", err)
		}
	})
}

func TestALinkEndsByANewerOneANewPasswordAndByDisabling(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		for name, end := range map[string]func(userID int64) error{
			"a newer link": func(userID int64) error {
				w.reset(userID, 2, w.now)
				return nil
			},
			"a new password": func(userID int64) error {
				return w.SetPassword(ctx, userID, usersHash, "own hash", TokenHash{})
			},
			"disabling":   func(userID int64) error { return w.DisableUser(ctx, 0, userID, w.now) },
			"the account": w.remove,
		} {
			user := w.user()
			w.reset(user, 1, w.now)
			w.must(end(user))
			err := w.UseReset(ctx, TokenHash{1}, w.now.Add(-time.Hour), Recovery{UserID: user, PasswordHash: "new hash"})
			if !errors.Is(err, parley.ErrBadReset) {
				t.Errorf("after %s: %v", name, err)
			}
		}
	})
}

func TestAUserGetsThreeLinksAnHour(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user, start := w.user(), w.now
		for _, c := range []struct {
			minutes int
			sent    bool
		}{
			{0, true},
			{1, true},
			{2, true},
			{3, false},
			{59, false},
			{60, true},
			{60, false},
			{61, true},
			{62, true},
			{62, false},
			{119, false},
			{120, true},
		} {
			if got := w.reset(user, 9, start.Add(time.Duration(c.minutes)*time.Minute)); got != c.sent {
				t.Errorf("after %d minutes: %t", c.minutes, got)
			}
		}
		if link := w.find(user, 9); !link.SentAt.After(start) || link.Invited {
			t.Errorf("the link is %+v", link)
		}
		w.must(w.DisableUser(t.Context(), 0, user, w.now))
		if w.reset(user, 9, start.Add(1000*time.Hour)) || w.reset(-1, 9, start) {
			t.Error("a disabled user or nobody gets a link")
		}
		w.must(w.DeleteOldResets(t.Context(), start.Add(120*time.Minute)))
		if n := number(t, w.Store, `SELECT count(*) FROM password_resets`); n != 0 {
			t.Errorf("%d old links", n)
		}
	})
}

func TestALinkWorksOnceForManyAtATime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		recovery := Recovery{UserID: user, PasswordHash: "new hash"}
		w.reset(user, 1, w.now)
		errs := parallel(8, func(int) error {
			return w.UseReset(t.Context(), TokenHash{1}, w.now.Add(-time.Hour), recovery)
		})
		if count(errs) != 1 {
			t.Errorf("it worked %d times", count(errs))
		}
	})
}
