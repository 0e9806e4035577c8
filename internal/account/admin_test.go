package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// administrator registers an administrator.
func administrator(t *testing.T, s *Service, email string) Operator {
	t.Helper()
	token, who := register(t, s, email)
	if err := s.Promote(t.Context(), Shell(), who.User.ID); err != nil {
		t.Fatal(err)
	}
	return Administrator(identify(t, s, token), here)
}

func TestAnAdministratorCantLeaveByAccident(t *testing.T) {
	s, _ := service(t, "")
	ada := administrator(t, s, "ada@example.com")
	_, bob := register(t, s, "bob@example.com")
	for name, do := range map[string]func(context.Context, Operator, int64) error{
		"disable": s.Disable, "demote": s.Demote, "delete": s.Remove,
		"reset the password of": func(ctx context.Context, by Operator, userID int64) error {
			return s.ResetPassword(ctx, by, userID, "a new password")
		},
	} {
		if err := do(t.Context(), ada, ada.adminID); !errors.Is(err, parley.ErrOwnAccount) {
			t.Errorf("%s: %v", name, err)
		}
		if err := do(t.Context(), ada, 99); !errors.Is(err, parley.ErrNoSuchAccount) {
			t.Errorf("%s an account that does not exist: %v", name, err)
		}
		stranger := Administrator(bob, here)
		if err := do(t.Context(), stranger, ada.adminID); !errors.Is(err, ErrNotAdmin) {
			t.Errorf("%s by a user: %v", name, err)
		}
	}
	login(t, s, "ada@example.com")
	if user, err := s.managed(t.Context(), ada.adminID); err != nil || !user.Admin || user.DisabledAt != 0 {
		t.Errorf("she is %+v, %v", user, err)
	}
	if err := s.Demote(t.Context(), Shell(), ada.adminID); err != nil {
		t.Errorf("a command: %v", err)
	}
}

// TestOneAdministratorRemains has two administrators remove each other at the same time.
func TestOneAdministratorRemains(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		for name, remove := range map[string]func(context.Context, Operator, int64) error{
			"disable": s.Disable, "demote": s.Demote, "delete": s.Remove,
		} {
			for round := range 40 {
				ada := administrator(t, s, fmt.Sprintf("ada%d@%s.example.com", round, name))
				bob := administrator(t, s, fmt.Sprintf("bob%d@%s.example.com", round, name))
				var errs [2]error
				var both sync.WaitGroup
				both.Go(func() { errs[0] = remove(t.Context(), ada, bob.adminID) })
				both.Go(func() { errs[1] = remove(t.Context(), bob, ada.adminID) })
				both.Wait()
				left := 0
				for _, id := range []int64{ada.adminID, bob.adminID} {
					user, err := s.managed(t.Context(), id)
					if err == nil && user.Admin && user.DisabledAt == 0 {
						left++
					}
				}
				if left != 1 || (errs[0] == nil) == (errs[1] == nil) {
					t.Fatalf("%s: %d administrators remain, %v", name, left, errs)
				}
			}
		}
	})
}

func TestWhatAnAdministratorDoesIsAudited(t *testing.T) {
	s, _ := service(t, "")
	ada := administrator(t, s, "ada@example.com")
	_, bob := register(t, s, "bob@example.com")
	log := captureAudit(s)
	ctx, id := t.Context(), bob.User.ID
	_, err := s.SetQuota(ctx, ada, id, "messages=3/d")
	err = errors.Join(err, s.Disable(ctx, ada, id), s.Enable(ctx, ada, id), s.ResetPassword(ctx, ada, id, NewPassword()),
		s.Promote(ctx, ada, id), s.Demote(ctx, ada, id), s.Remove(ctx, ada, id))
	if err != nil {
		t.Fatal(err)
	}
	const from = " user=2 address=192.0.2.1 request=r"
	want := []string{
		"operator-quota" + from + " quota=messages=3/d actor=1", "operator-disable" + from + " actor=1",
		"operator-enable" + from + " actor=1", "operator-reset-password" + from + " actor=1",
		"operator-promote" + from + " actor=1", "operator-demote" + from + " actor=1", "operator-delete" + from + " actor=1",
	}
	var got []string
	for line := range strings.Lines(log.String()) {
		_, entry, _ := strings.Cut(strings.TrimSpace(line), "audit=")
		got = append(got, strings.ReplaceAll(entry, `"`, ""))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the log is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// emails returns the addresses of a page of accounts.
func emails(out parley.UsersOutput) string {
	var names []string
	for _, user := range out.Users {
		name, _, _ := strings.Cut(user.Email, "@")
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

func TestAccountsAreFoundByAddressOrNickname(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		for _, user := range [][2]string{
			{"ada", "Ren\u00e9e"}, {"bob", "渡船先生"}, {"cy", "STRASSE"}, {"dora", "100%_"},
		} {
			in := parley.RegisterInput{Email: user[0] + "@Example.com", Nickname: user[1], Password: password}
			if _, err := s.Register(t.Context(), in, here); err != nil {
				t.Fatal(err)
			}
		}
		for keyword, want := range map[string]string{
			"": "dora cy bob ada", " ": "dora cy bob ada", "@EXAMPLE": "dora cy bob ada", "ADA@": "ada", "rene\u0301E": "ada",
			"船": "bob", "渡船": "bob", "straße": "cy", "%": "dora", "_": "dora", "o": "dora cy bob ada", "nobody": "",
		} {
			out, err := s.Users(t.Context(), keyword, parley.Page{Number: 1, Size: 20})
			if err != nil || emails(out) != want || int(out.Total) != len(strings.Fields(want)) {
				t.Errorf("%q finds %s, %d in all, %v; want %s", keyword, emails(out), out.Total, err, want)
			}
		}
		for _, keyword := range []string{"", "example"} {
			for number, want := range map[int64]string{1: "dora cy", 2: "bob ada", 3: ""} {
				out, err := s.Users(t.Context(), keyword, parley.Page{Number: number, Size: 2})
				if err != nil || emails(out) != want || out.Total != 4 {
					t.Errorf("page %d of %q is %s, %d in all, %v", number, keyword, emails(out), out.Total, err)
				}
			}
		}
	})
}

func TestAnAccountIsShownWithWhatItUses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, clock := service(t, url)
		ada := administrator(t, s, "ada@example.com")
		ctx := t.Context()
		old := store.Spent{Model: "m", Messages: 9, At: clock.now.Add(-31 * 24 * time.Hour)}
		spent := store.Spent{
			Model: "m", Messages: 1, Cost: 500_000, Currency: "USD", At: clock.now,
			Usage: parley.Usage{InputTokens: 3, OutputTokens: 2},
		}
		_, err := s.SetQuota(ctx, ada, ada.adminID, "none")
		err = errors.Join(err, s.store.AddUsage(ctx, ada.adminID, old), s.store.AddUsage(ctx, ada.adminID, spent))
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Users(ctx, "", parley.Page{Number: 1, Size: 20})
		want := parley.Account{
			UserID: 1, Email: "ada@example.com", Nickname: "ada", Admin: true, CreatedAt: clock.now.Unix(),
			LastSeenAt: clock.now.Unix(), Quota: "none",
			Usage: parley.AccountUsage{Messages: 1, InputTokens: 3, OutputTokens: 2, Cost: 0.5, Currency: "USD"},
		}
		if err != nil || len(out.Users) != 1 || out.Users[0] != want {
			t.Errorf("the accounts are %+v, %v\nwant %+v", out, err, want)
		}
	})
}

func TestAnAccountIsSeenOnceAnHour(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, clock := service(t, url)
		s.tokenTTL = 24 * time.Hour
		token, ada := register(t, s, "ada@example.com")
		seen := func() int64 {
			t.Helper()
			user, err := s.managed(t.Context(), ada.User.ID)
			if err != nil {
				t.Fatal(err)
			}
			return user.SeenAt
		}
		save := func(want time.Time) {
			t.Helper()
			if err := s.saveUses(t.Context()); err != nil || seen() != want.Unix() {
				t.Errorf("seen at %d, %v; want %d", seen(), err, want.Unix())
			}
		}
		if seen() != 0 {
			t.Errorf("it was seen at %d before it is stored", seen())
		}
		first := clock.now
		save(first)
		clock.now = first.Add(sightingPrecision - time.Second)
		identify(t, s, token)
		if waiting := len(s.sightings.waiting()); waiting != 0 {
			t.Errorf("%d wait to be stored within the hour", waiting)
		}
		save(first)
		clock.now = first.Add(sightingPrecision)
		identify(t, s, token)
		save(clock.now)
	})
}
