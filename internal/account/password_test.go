package account

import (
	"context"
	"encoding/base64"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/argon2"

	"parley"
)

func TestOnlyTheSamePasswordMatches(t *testing.T) {
	shared := strings.Repeat("x", 72)
	stored, err := newHasher().hash(t.Context(), shared+"a")
	if err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]bool{
		shared + "a": true, shared + "b": false, shared: false, "": false, shared + "a\x00": false,
		strings.ToUpper(shared + "a"): false,
	} {
		if ok, err := verifyPassword(password, stored); err != nil || ok != want {
			t.Errorf("%q: %v, %v", password, ok, err)
		}
	}
}

func TestAHashSaysHowItWasMadeAndNeverTwiceTheSame(t *testing.T) {
	h := newHasher()
	first, err := h.hash(t.Context(), "correct horse 渡船")
	if err != nil {
		t.Fatal(err)
	}
	second, err := h.hash(t.Context(), "correct horse 渡船")
	if err != nil {
		t.Fatal(err)
	}
	if first == second {
		t.Error("two hashes are the same")
	}
	if !strings.HasPrefix(first, "$argon2id$v=19$m=19456,t=2,p=1$") || strings.Contains(first, "horse") {
		t.Errorf("the hash is %s", first)
	}
}

func TestAHashMadeAtOtherCostsStillMatches(t *testing.T) {
	key := argon2.IDKey([]byte("password"), []byte("somesalt"), 1, 64, 2, 24)
	stored := "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$" + base64.RawStdEncoding.EncodeToString(key)
	if ok, err := verifyPassword("password", stored); err != nil || !ok {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestABrokenHashIsAnErrorAndNoMatch(t *testing.T) {
	for _, broken := range []string{
		"", "x", "$2a$10$abc", "$argon2id$v=19$m=64,t=1,p=1$", "$argon2id$v=19$m=64,t=1,p=1$!!$!!",
		"$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ", "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$",
	} {
		if ok, err := verifyPassword("password", broken); err == nil || ok {
			t.Errorf("%q: %v, %v", broken, ok, err)
		}
	}
}

func TestFewHashesAreMadeAtATime(t *testing.T) {
	h := newHasher()
	if most := runtime.GOMAXPROCS(0); cap(h.slots) != most {
		t.Errorf("%d are made at a time, want one for each of %d processors", cap(h.slots), most)
	}
	for range cap(h.slots) {
		if err := h.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.hash(ctx, "password"); !errors.Is(err, context.Canceled) {
		t.Errorf("one more: %v", err)
	}
	h.release()
	if _, err := h.hash(t.Context(), "password"); err != nil {
		t.Error(err)
	}
}

func TestAFloodOfPasswordsIsTurnedAway(t *testing.T) {
	h := &hasher{slots: make(chan struct{}, 1)}
	if err := h.acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	var waiting sync.WaitGroup
	defer waiting.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range maxWaitersPerSlot {
		waiting.Go(func() {
			if err := h.acquire(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("one of those who may wait gets %v", err)
			}
		})
	}
	for h.waiting.Load() < maxWaitersPerSlot {
		runtime.Gosched()
	}
	if err := h.acquire(ctx); !errors.Is(err, parley.ErrOverloaded) {
		t.Errorf("got %v", err)
	}
}
