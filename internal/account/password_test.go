package account

import (
	"context"
	"encoding/base64"
	"errors"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/argon2"

	"parley"
)

func TestOnlyTheSamePasswordMatches(t *testing.T) {
	shared := strings.Repeat("x", 72)
	stored, err := hashPassword(shared+"a", hashMemory)
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
	first, err := hashPassword("correct horse 渡船", hashMemory)
	if err != nil {
		t.Fatal(err)
	}
	second, err := hashPassword("correct horse 渡船", hashMemory)
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

func TestPasswordsCostEnoughByDefault(t *testing.T) {
	stored, err := New(Config{}).passwords.hash(t.Context(), "correct horse", Network(here.Address))
	if err != nil || !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("got %s, %v", stored, err)
	}
}

func TestABrokenHashIsAnErrorAndNoMatch(t *testing.T) {
	for _, broken := range []string{
		"x", "$2a$10$abc", "$argon2id$v=19$m=64,t=1,p=1$", "$argon2id$v=19$m=64,t=1,p=1$!!$!!",
		"$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ", "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$",
	} {
		if ok, err := verifyPassword("password", broken); err == nil || ok {
			t.Errorf("%q: %v, %v", broken, ok, err)
		}
	}
}

func TestNothingMatchesTheHashOfAnAccountWithoutAPassword(t *testing.T) {
	for _, password := range []string{"", "password"} {
		if ok, err := verifyPassword(password, ""); err != nil || ok {
			t.Errorf("%q: %v, %v", password, ok, err)
		}
	}
}

func TestFewHashesAreMadeAtATime(t *testing.T) {
	s, _ := service(t, "")
	h, network := s.passwords, Network(here.Address)
	for range runtime.GOMAXPROCS(0) { // one for each processor
		if err := h.acquire(t.Context(), network); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := h.hash(ctx, "password", network); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one more: %v", err)
	}
	h.release(network)
	if _, err := h.hash(t.Context(), "password", network); err != nil {
		t.Error(err)
	}
}

// TestALoginWaitsForNoRegistration has registrations of another network and of its own wait for a hash.
func TestALoginWaitsForNoRegistration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher(1, hashMemory)
		own, other := Network("192.0.2.1"), Network("192.0.2.2")
		if err := h.acquire(t.Context(), own); err != nil {
			t.Fatal(err)
		}
		var order []string
		wait := func(name string, network netip.Addr, acquire func(context.Context, netip.Addr) error) {
			go func() {
				if err := acquire(t.Context(), network); err == nil {
					order = append(order, name) // one at a time
					h.release(network)
				}
			}()
			synctest.Wait()
		}
		for range maxWaitersPerSlot + 10 {
			wait("registration", other, h.acquireLow)
		}
		wait("registration", own, h.acquireLow)
		wait("login", own, h.acquire)
		h.release(own)
		synctest.Wait()
		if len(order) != maxWaitersPerSlot || order[0] != "login" || order[2] != "registration" {
			t.Errorf("%d were served, %v first", len(order), order[:min(len(order), 3)])
		}
	})
}

func TestAFloodOfPasswordsIsTurnedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, network := newHasher(1, hashMemory), Network(here.Address)
		if err := h.acquire(t.Context(), network); err != nil {
			t.Fatal(err)
		}
		var waiting sync.WaitGroup
		defer waiting.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for range maxWaitersPerSlot {
			waiting.Go(func() {
				if err := h.acquire(ctx, network); !errors.Is(err, context.Canceled) {
					t.Errorf("one of those who may wait gets %v", err)
				}
			})
		}
		synctest.Wait()
		if err := h.acquire(ctx, network); !errors.Is(err, parley.ErrOverloaded) {
			t.Errorf("got %v", err)
		}
	})
}
