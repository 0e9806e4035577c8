package account

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/store/storetest"
)

// offered has the process of an owner offer a claim, and returns its code.
func offered(t *testing.T, s *Service, owner string) string {
	t.Helper()
	if _, err := s.store.RenewLease(t.Context(), owner, time.Minute); err != nil {
		t.Fatal(err)
	}
	offer, err := s.OfferClaim(t.Context(), owner)
	if err != nil || !offer.Needed || !s.Info(parley.User{}).Claimable {
		t.Fatalf("the offer is %+v, %v", offer, err)
	}
	return offer.Code
}

// claim claims a server for a user.
func claim(t *testing.T, s *Service, who *Identity, code string) error {
	t.Helper()
	info, err := s.Claim(t.Context(), who, parley.ClaimInput{Code: code}, here)
	if err == nil && (!info.Admin || info.Claimable || info.UserID != who.User.ID) {
		t.Errorf("the administrator is %+v", info)
	}
	return err
}

func TestTheFirstAdministratorHasTheCode(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		token, ada := register(t, s, "ada@example.com")
		_, bob := register(t, s, "bob@example.com")
		code := offered(t, s, "one")
		for _, wrong := range []string{"wrong", code + "x", code[1:], ""} {
			if err := claim(t, s, ada, wrong); !errors.Is(err, parley.ErrWrongClaim) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		if err := claim(t, s, ada, " "+strings.ToUpper(code)+"\n"); err != nil {
			t.Fatal(err)
		}
		if who := identify(t, s, token); !who.IsAdmin() || s.Info(who.User).Claimable {
			t.Errorf("she is %+v", who)
		}
		for name, who := range map[string]*Identity{"herself": ada, "another": bob} {
			if err := claim(t, s, who, code); !errors.Is(err, parley.ErrWrongClaim) {
				t.Errorf("the code is used again by %s: %v", name, err)
			}
		}
		if offer, err := s.OfferClaim(t.Context(), "two"); err != nil || offer != (Offer{}) {
			t.Errorf("a further offer is %+v, %v", offer, err)
		}
	})
}

func TestAWrongCodeIsAGuess(t *testing.T) {
	s, _ := service(t, "")
	_, ada := register(t, s, "ada@example.com")
	_, bob := register(t, s, "bob@example.com")
	log := captureAudit(s)
	code := offered(t, s, "one")
	for range maxAttempts {
		if err := claim(t, s, ada, "wrong"); !errors.Is(err, parley.ErrWrongClaim) {
			t.Fatal(err)
		}
	}
	if err := claim(t, s, ada, code); !errors.Is(err, parley.ErrTooManyAttempts) {
		t.Errorf("after %d wrong codes: %v", maxAttempts, err)
	}
	in := parley.LoginInput{Email: "ada@example.com", Password: password}
	if _, err := s.Login(t.Context(), in, here); !errors.Is(err, parley.ErrTooManyAttempts) {
		t.Errorf("a login: %v", err)
	}
	if err := claim(t, s, bob, code); err != nil {
		t.Errorf("another user: %v", err)
	}
	for _, want := range []string{
		"audit=admin-claim-failed user=1 address=192.0.2.1 request=r code=1003\n",
		"audit=admin-claim-failed user=1 address=192.0.2.1 request=r code=1006\n",
		"audit=admin-claim user=2 address=192.0.2.1 request=r\n",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s%s", want, log)
		}
	}
	if strings.Contains(log.String(), code) {
		t.Errorf("the log contains the code:\n%s", log)
	}
}

func TestACodeEnds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, clock := service(t, url)
		_, ada := register(t, s, "ada@example.com")
		_, bob := register(t, s, "bob@example.com")
		gone := func(name, code string) {
			t.Helper()
			if err := claim(t, s, ada, code); !errors.Is(err, parley.ErrWrongClaim) {
				t.Errorf("%s: %v", name, err)
			}
		}
		code := offered(t, s, "one")
		clock.now = clock.now.Add(claimTTL)
		gone("after an hour", code)

		code = offered(t, s, "one")
		if err := s.Promote(t.Context(), Shell(), bob.User.ID); err != nil || s.Info(ada.User).Claimable {
			t.Fatalf("claimable is %v, %v", s.Info(ada.User).Claimable, err)
		}
		gone("after another became administrator", code)
		if err := s.Demote(t.Context(), Shell(), bob.User.ID); err != nil || !s.Info(ada.User).Claimable {
			t.Fatalf("claimable is %v, %v", s.Info(ada.User).Claimable, err)
		}
		gone("after there was another administrator", code)

		before := offered(t, s, "one")
		if err := s.store.DropLease(t.Context(), "one"); err != nil {
			t.Fatal(err)
		}
		code = offered(t, s, "restarted")
		gone("after a restart", before)
		if err := claim(t, s, ada, code); err != nil {
			t.Errorf("the code of the restarted server: %v", err)
		}
	})
}

func TestReplicasShareOneCode(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, clock := service(t, url)
		_, ada := register(t, s, "ada@example.com")
		code := offered(t, s, "one")
		if other := offered(t, s, "two"); code == "" || other != "" {
			t.Errorf("the codes are %q and %q", code, other)
		}
		clock.now = clock.now.Add(claimTTL - time.Second)
		if err := claim(t, s, ada, code); err != nil {
			t.Error(err)
		}
	})
}

func TestOneOfManyClaimsWins(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		const count = 8
		s, _ := service(t, url)
		users := make([]*Identity, count)
		for i := range users {
			_, users[i] = register(t, s, fmt.Sprintf("user%d@example.com", i))
		}
		code := offered(t, s, "one")
		errs := make([]error, count)
		var all sync.WaitGroup
		for i, who := range users {
			all.Go(func() { _, errs[i] = s.Claim(t.Context(), who, parley.ClaimInput{Code: code}, here) })
		}
		all.Wait()
		won, admins := 0, 0
		for i, err := range errs {
			if err == nil {
				won++
			} else if !errors.Is(err, parley.ErrWrongClaim) {
				t.Error(err)
			}
			user, err := s.managed(t.Context(), users[i].User.ID)
			if err != nil {
				t.Fatal(err)
			}
			if user.Admin {
				admins++
			}
		}
		if won != 1 || admins != 1 {
			t.Errorf("%d claims won, and there are %d administrators", won, admins)
		}
	})
}

// TestAServerCanBeClaimedAgain: the last administrator may delete the own account.
func TestAServerCanBeClaimedAgain(t *testing.T) {
	s, _ := service(t, "")
	token, ada := register(t, s, "ada@example.com")
	if err := claim(t, s, ada, offered(t, s, "one")); err != nil {
		t.Fatal(err)
	}
	err := s.Delete(t.Context(), identify(t, s, token), parley.DeleteUserInput{Password: password}, here)
	if err != nil || !s.Info(parley.User{}).Claimable {
		t.Errorf("claimable is %v, %v", s.Info(parley.User{}).Claimable, err)
	}
	_, bob := register(t, s, "bob@example.com")
	if err := claim(t, s, bob, offered(t, s, "one")); err != nil {
		t.Error(err)
	}
}
