package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// newKey creates a key with the given scopes and returns it with its identity.
func newKey(t *testing.T, s *Service, who *Identity, expiresIn int64, scopes ...parley.Scope) (string, *Identity) {
	t.Helper()
	in := parley.KeyInput{Name: " My script ", Scopes: scopes, ExpiresIn: expiresIn}
	out, err := s.CreateKey(t.Context(), who, in, here)
	if err != nil {
		t.Fatal(err)
	}
	return out.Key, identify(t, s, out.Key)
}

func wantBad(t *testing.T, s *Service, secret string) {
	t.Helper()
	if _, err := s.Identify(t.Context(), secret); !errors.Is(err, parley.ErrBadToken) {
		t.Errorf("it is still good: %v", err)
	}
}

func TestAKeyIsAnIdentityWithScopes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		token, who := register(t, s, "ada@example.com")
		files, chat := parley.ScopeFiles, parley.ScopeChat
		key, identity := newKey(t, s, who, 0, files, parley.ScopeRead, files)
		if !strings.HasPrefix(key, "pk-1.") || identity.User != who.User || identity.TokenID != "" || !identity.IsKey() {
			t.Errorf("%q is %+v", key, identity)
		}
		if err := identity.RequireScope(parley.ScopeRead); err != nil {
			t.Error(err)
		}
		if err := identity.RequireScope(files); err != nil {
			t.Error(err)
		}
		if err := identity.RequireScope(chat); err == nil || !strings.Contains(err.Error(), "the scope chat") {
			t.Errorf("chat: %v", err)
		}
		if err := errors.Join(who.RequireLogin(), who.RequireScope(chat)); err != nil {
			t.Errorf("a login: %v", err)
		}
		if err := identity.RequireLogin(); !errors.Is(err, parley.ErrNeedsLogin) {
			t.Errorf("a key is a login: %v", err)
		}
		keys, err := s.Keys(t.Context(), who.User.ID)
		if err != nil || len(keys) != 1 || keys[0].Name != "My script" ||
			!slices.Equal(keys[0].Scopes, []parley.Scope{parley.ScopeRead, files}) {
			t.Errorf("keys are %+v, %v", keys, err)
		}
		wantBad(t, s, "pk-"+token)
		wantBad(t, s, strings.TrimPrefix(key, "pk-"))
		wantBad(t, s, "pk-"+key)
		wantBad(t, s, strings.Replace(key, "pk-1.", "pk-2.", 1))
	})
}

func TestTheRulesOfKeys(t *testing.T) {
	s, _ := service(t, "")
	_, who := register(t, s, "ada@example.com")
	read := []parley.Scope{parley.ScopeRead}
	for _, in := range []parley.KeyInput{
		{Name: " \t", Scopes: read},
		{Name: "a\nb", Scopes: read},
		{Name: "a"},
		{Name: "a", Scopes: []parley.Scope{"admin"}},
		{Name: "a", Scopes: read, ExpiresIn: 59},
		{Name: "a", Scopes: read, ExpiresIn: -1},
		{Name: "a", Scopes: read, ExpiresIn: 315_360_001},
	} {
		_, err := s.CreateKey(t.Context(), who, in, here)
		var refused *parley.Error
		if !errors.As(err, &refused) || refused.Code != parley.CodeInvalidParameter {
			t.Errorf("%+v: %v", in, err)
		}
	}
	for range parley.MaxKeys {
		newKey(t, s, who, 0, parley.ScopeRead)
	}
	_, err := s.CreateKey(t.Context(), who, parley.KeyInput{Name: "one more", Scopes: read}, here)
	if !errors.Is(err, parley.ErrTooManyKeys) || !strings.Contains(err.Error(), fmt.Sprint(parley.MaxKeys)) {
		t.Errorf("one more: %v", err)
	}
	for _, unknown := range []string{"", "nonsense", id.New(), who.TokenID} {
		if err := s.DeleteKey(t.Context(), who, unknown, here); !errors.Is(err, parley.ErrNoSuchKey) {
			t.Errorf("%q: %v", unknown, err)
		}
	}
}

func TestAKeyEnds(t *testing.T) {
	s, clock := service(t, "")
	_, who := register(t, s, "ada@example.com")
	short, _ := newKey(t, s, who, 60, parley.ScopeRead)
	clock.now = clock.now.Add(59 * time.Second)
	identify(t, s, short)
	clock.now = clock.now.Add(time.Second)
	wantBad(t, s, short)

	removed, identity := newKey(t, s, who, 0, parley.ScopeRead)
	if err := s.DeleteKey(t.Context(), who, identity.KeyID, here); err != nil {
		t.Fatal(err)
	}
	wantBad(t, s, removed)

	kept, _ := newKey(t, s, who, 0, parley.ScopeRead)
	change := parley.PasswordInput{OldPassword: password, NewPassword: password}
	if err := s.ChangePassword(t.Context(), who, change, here); err != nil {
		t.Fatal(err)
	}
	identify(t, s, kept)
	if err := s.Disable(t.Context(), Shell(), who.User.ID); err != nil {
		t.Fatal(err)
	}
	wantBad(t, s, kept)
}

func TestAStreamEndsWithItsKeyOnly(t *testing.T) {
	s, clock := service(t, "")
	_, who := register(t, s, "ada@example.com")
	_, first := newKey(t, s, who, 0, parley.ScopeChat)
	_, second := newKey(t, s, who, 0, parley.ScopeChat)
	watch := func(who *Identity) context.Context {
		t.Helper()
		watched, release, err := s.Watch(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(release)
		return watched
	}
	ended, kept, mine := watch(first), watch(second), watch(who)
	if err := s.DeleteKey(t.Context(), who, first.KeyID, here); err != nil {
		t.Fatal(err)
	}
	<-ended.Done()
	change := parley.PasswordInput{OldPassword: password, NewPassword: password}
	if err := s.ChangePassword(t.Context(), who, change, here); err != nil {
		t.Fatal(err)
	}
	s.HandleSignal(t.Context(), store.Signal{Kind: store.Missed})
	if kept.Err() != nil || mine.Err() != nil {
		t.Errorf("other streams ended: %v, %v", kept.Err(), mine.Err())
	}
	if _, _, err := s.Watch(t.Context(), first); !errors.Is(err, parley.ErrBadToken) {
		t.Errorf("a stream of a key that has ended: %v", err)
	}
	if _, err := s.store.DeleteAPIKey(t.Context(), who.User.ID, second.KeyID); err != nil { // as another replica does
		t.Fatal(err)
	}
	s.HandleSignal(t.Context(), store.Signal{Kind: store.LoginEnded, ID: "1"})
	<-kept.Done()

	_, short := newKey(t, s, who, 60, parley.ScopeChat)
	clock.now = clock.now.Add(60*time.Second - time.Millisecond)
	expired := watch(short)
	<-expired.Done()
	if !errors.Is(context.Cause(expired), parley.ErrBadToken) {
		t.Errorf("the stream ended because of %v", context.Cause(expired))
	}
}

func TestKeysAreAudited(t *testing.T) {
	s, _ := service(t, "")
	_, who := register(t, s, "ada@example.com")
	log := captureAudit(s)
	_, key := newKey(t, s, who, 0, parley.ScopeChat)
	if err := s.DeleteKey(t.Context(), who, key.KeyID, here); err != nil {
		t.Fatal(err)
	}
	const line, adas = "level=INFO msg=audit audit=", " user=1 address=192.0.2.1 request=r id="
	want := line + "key-create" + adas + key.KeyID + "\n" + line + "key-delete" + adas + key.KeyID + "\n"
	if log.String() != want {
		t.Errorf("got %s, want %s", log, want)
	}
}

func TestTheUseOfAKeyIsStoredOnceInAWhile(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, clock := service(t, url)
		_, who := register(t, s, "ada@example.com")
		out, err := s.CreateKey(t.Context(), who,
			parley.KeyInput{Name: "a", Scopes: []parley.Scope{parley.ScopeRead}}, here)
		if err != nil {
			t.Fatal(err)
		}
		lastUsed := func() int64 {
			t.Helper()
			keys, err := s.Keys(t.Context(), who.User.ID)
			if err != nil || len(keys) != 1 {
				t.Fatalf("keys are %+v, %v", keys, err)
			}
			return keys[0].LastUsed
		}
		if used := lastUsed(); used != 0 {
			t.Errorf("a new key was used at %d", used)
		}
		first := clock.now
		identify(t, s, out.Key)
		if used := lastUsed(); used != first.Unix() {
			t.Errorf("the key was used at %d, not %d", used, first.Unix())
		}
		if err := s.saveUses(t.Context()); err != nil || len(s.keyUses.waiting()) != 0 {
			t.Fatalf("%d uses wait, %v", len(s.keyUses.waiting()), err)
		}
		clock.now = clock.now.Add(keyUsePrecision - time.Second)
		identify(t, s, out.Key)
		if used := lastUsed(); used != first.Unix() || len(s.keyUses.waiting()) != 0 {
			t.Errorf("the key was used at %d, not %d; %d uses wait", used, first.Unix(), len(s.keyUses.waiting()))
		}
		clock.now = clock.now.Add(time.Second)
		identify(t, s, out.Key)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		s.Run(ended) // stores it before it ends
		if used := lastUsed(); used != clock.now.Unix() || len(s.keyUses.waiting()) != 0 {
			t.Errorf("the key was used at %d, not %d", used, clock.now.Unix())
		}
	})
}

func TestAnAuthorizationHeaderHasATokenOrAKey(t *testing.T) {
	s, _ := service(t, "")
	token, who := register(t, s, "ada@example.com")
	key, _ := newKey(t, s, who, 0, parley.ScopeRead)
	for _, header := range []string{"Bearer " + token, "bearer  " + token, "Bearer " + key} {
		if got, err := s.Authenticate(t.Context(), []string{header}); err != nil || got.User != who.User {
			t.Errorf("%q: %v", header, err)
		}
	}
	for _, headers := range [][]string{nil, {""}, {token}, {"Basic " + token}, {"Bearer " + token, "Bearer " + key}} {
		if _, err := s.Authenticate(t.Context(), headers); !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("%q: %v", headers, err)
		}
	}
}
