package account

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// entries returns the newest entries of the audit log in the database, without storing those that wait.
func entries(t *testing.T, s *Service) []parley.AuditEntry {
	t.Helper()
	stored, err := s.store.AuditEntries(t.Context(), parley.AuditInput{Limit: 5000})
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func TestTheDatabaseHasTheAuditLog(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, c := service(t, url)
		ctx := t.Context()
		_, ada := register(t, s, "ada@example.com")
		_, _ = s.Login(ctx, parley.LoginInput{Email: "ada@example.com", Password: "wrong one"}, here)
		_, _ = s.Login(ctx, parley.LoginInput{Email: "bob@example.com", Password: "wrong one"}, here)
		s.AuditDeletion(ctx, SessionDeleted, ada, "the session", here)
		out, err := s.AuditLog(ctx, parley.AuditInput{})
		if err != nil {
			t.Fatal(err)
		}
		common := parley.AuditEntry{At: c.now.Unix(), UserID: ada.User.ID, Address: here.Address, RequestID: here.RequestID}
		with := func(change func(*parley.AuditEntry)) parley.AuditEntry {
			entry := common
			change(&entry)
			return entry
		}
		want := []parley.AuditEntry{
			with(func(e *parley.AuditEntry) { e.Event, e.Object = "session-delete", "the session" }),
			with(func(e *parley.AuditEntry) { e.Event, e.Code, e.UserID = "login-failed", parley.CodeNoSuchUser, 0 }),
			with(func(e *parley.AuditEntry) { e.Event, e.Code = "login-failed", parley.CodeWrongPassword }),
			with(func(e *parley.AuditEntry) { e.Event = "register" }),
		}
		if len(out.Entries) != len(want) || out.More {
			t.Fatalf("the entries are %+v", out)
		}
		for i, entry := range out.Entries {
			if !id.Valid(entry.ID) {
				t.Errorf("the id of an entry is %q", entry.ID)
			}
			entry.ID = ""
			if entry != want[i] {
				t.Errorf("entry %d is %+v, want %+v", i, entry, want[i])
			}
		}
		page, err := s.AuditLog(ctx, parley.AuditInput{Limit: 3})
		if err != nil || len(page.Entries) != 3 || !page.More {
			t.Errorf("a page is %+v, %v", page, err)
		}
		rest, err := s.AuditLog(ctx, parley.AuditInput{Limit: 3, Before: page.Entries[2].ID})
		if err != nil || len(rest.Entries) != 1 || rest.More || rest.Entries[0] != out.Entries[3] {
			t.Errorf("the rest is %+v, %v", rest, err)
		}
	})
}

func TestTheInputOfTheAuditLogIsChecked(t *testing.T) {
	s, _ := service(t, "")
	register(t, s, "ada@example.com")
	for _, bad := range []parley.AuditInput{{Before: "nonsense"}, {From: 2, To: 1}} {
		if _, err := s.AuditLog(t.Context(), bad); !errors.Is(err, parley.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for _, none := range []string{"tea", "\x00", "Register", "%"} {
		out, err := s.AuditLog(t.Context(), parley.AuditInput{Event: none})
		if err != nil || out.Entries == nil || len(out.Entries) != 0 {
			t.Errorf("%q: %+v, %v", none, out, err)
		}
	}
}

// TestAnOperatorsActionIsStoredWithIt reads the database without storing what waits, as after a crash.
func TestAnOperatorsActionIsStoredWithIt(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		ctx := t.Context()
		_, ada := register(t, s, "ada@example.com")
		_, bob := register(t, s, "bob@example.com")
		user := bob.User.ID
		shell, admin := Shell(), Administrator(ada, here)
		_, err := s.SetQuota(ctx, shell, user, "messages=3/d")
		err = errors.Join(err, s.Promote(ctx, shell, ada.User.ID), s.Disable(ctx, admin, user), s.Enable(ctx, admin, user),
			s.ResetPassword(ctx, admin, user, "another horse"), s.Remove(ctx, admin, user))
		if err != nil {
			t.Fatal(err)
		}
		stored := entries(t, s)
		want := []struct {
			event string
			user  int64
			actor int64
		}{
			{"operator-delete", user, ada.User.ID},
			{"operator-reset-password", user, ada.User.ID},
			{"operator-enable", user, ada.User.ID},
			{"operator-disable", user, ada.User.ID},
			{"operator-promote", ada.User.ID, parley.ActorShell},
			{"operator-quota", user, parley.ActorShell},
		}
		if len(stored) != len(want) {
			t.Fatalf("the entries are %+v", stored)
		}
		for i, entry := range stored {
			if entry.Event != want[i].event || entry.UserID != want[i].user || entry.ActorID != want[i].actor {
				t.Errorf("entry %d is %+v, want %+v", i, entry, want[i])
			}
		}
		if stored[0].Address != here.Address || stored[0].RequestID != here.RequestID {
			t.Errorf("an administrator's request is %+v", stored[0])
		}
		if object := stored[5].Object; object != "quota=messages=3/d" {
			t.Errorf("the object of the quota is %q", object)
		}
	})
}

// Other packages audit changes of administrators without a transaction of their own.
func TestWhatAnAdministratorDoesIsStoredBeforeTheResponse(t *testing.T) {
	s, _ := service(t, "")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	s.audit(gone, "settings", 1, slog.Int64("actor", 1), slog.String("registration", "closed"))
	s.audit(gone, eventShare, 1)
	stored := entries(t, s)
	if len(stored) != 1 || stored[0].ActorID != 1 || stored[0].Object != "registration=closed" {
		t.Errorf("the entries are %+v", stored)
	}
}

func TestEntriesWaitWhileTheDatabaseFails(t *testing.T) {
	s, _ := service(t, "")
	_, ada := register(t, s, "ada@example.com")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.saveAudit(canceled); err == nil || len(entries(t, s)) != 0 {
		t.Fatalf("a database that fails: %v, %+v", err, entries(t, s))
	}
	s.AuditDeletion(t.Context(), FileDeleted, ada, "f", here)
	for range 2 {
		if err := s.saveAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if stored := entries(t, s); len(stored) != 2 || stored[0].Event != "file-delete" || stored[1].Event != "register" {
		t.Errorf("the entries are %+v", stored)
	}
}

func TestAGuesserCanNotFillTheAuditLog(t *testing.T) {
	s, c := service(t, "")
	guess := func(times int) {
		for i := range times {
			if i%2 == 1 {
				s.auditSignInFailure(t.Context(), 0, here, SignInExpired)
				continue
			}
			_, _ = s.Login(t.Context(), parley.LoginInput{Email: "nobody@example.com", Password: "guess"}, here)
		}
		if err := s.saveAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	guess(maxRefusals + 50)
	// Each entry is a microsecond after the one before, which is next to nothing.
	if stored := entries(t, s); len(stored) != maxRefusals {
		t.Errorf("%d entries are stored", len(stored))
	}
	c.now = c.now.Add(3*refusalInterval + time.Second)
	guess(50)
	if stored := entries(t, s); len(stored) != maxRefusals+3 {
		t.Errorf("a little later %d entries are stored", len(stored))
	}
	register(t, s, "ada@example.com")
	guess(0)
	if stored := entries(t, s); stored[0].Event != "register" {
		t.Errorf("the last entry is %+v", stored[0])
	}
}

func TestTheQueueOfEntriesIsBounded(t *testing.T) {
	var q auditQueue
	for range maxAuditQueue + 5 {
		q.add(store.NewAuditEntry{})
	}
	taken, leftOut := q.take()
	if len(taken) != maxAuditQueue || leftOut != 5 {
		t.Errorf("%d entries wait, %d are left out", len(taken), leftOut)
	}
	q.add(store.NewAuditEntry{})
	q.putBack(taken)
	if taken, leftOut = q.take(); len(taken) != maxAuditQueue || leftOut != 1 {
		t.Errorf("after they were put back %d entries wait, %d are left out", len(taken), leftOut)
	}
}

func TestEntriesAreKeptForTheirTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, c := service(t, url)
		s.auditKeep = 24 * time.Hour
		_, ada := register(t, s, "ada@example.com")
		c.now = c.now.Add(time.Hour)
		s.AuditDeletion(t.Context(), FileDeleted, ada, "f", here)
		if err := s.saveAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.now = c.now.Add(23*time.Hour + time.Second)
		if more, err := s.sweepAudit(t.Context()); more || err != nil {
			t.Errorf("the sweep: %v, %v", more, err)
		}
		if stored := entries(t, s); len(stored) != 1 || stored[0].Event != "file-delete" {
			t.Errorf("after a day the entries are %+v", stored)
		}
	})
}

// TestTheLastEntriesAreStoredAtTheEnd ends the service.
func TestTheLastEntriesAreStoredAtTheEnd(t *testing.T) {
	s, _ := service(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		s.Run(ctx)
		close(ended)
	}()
	register(t, s, "ada@example.com")
	cancel()
	<-ended
	if stored := entries(t, s); len(stored) != 1 || stored[0].Event != "register" {
		t.Errorf("the entries are %+v", stored)
	}
}

func TestAnEntryCanAlwaysBeStored(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s, _ := service(t, url)
		for object, want := range map[string]string{
			"a\x00b":                       "ab",
			"not \xff b":                   "not  b",
			strings.Repeat("ä", maxObject): strings.Repeat("ä", maxObject/2),
		} {
			s.audit(t.Context(), eventShare, 1, slog.String("id", object))
			if err := s.saveAudit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if stored := entries(t, s); stored[0].Object != want {
				t.Errorf("%q is stored as %q", object, stored[0].Object)
			}
		}
	})
}

func TestTheAuditLogIsFilteredByAddress(t *testing.T) {
	s, _ := service(t, "")
	register(t, s, ada)
	elsewhere := here
	elsewhere.Address = "2001:db8::1"
	wantRefusal(t, "a wrong password", enter(t, s, "wrong", "", elsewhere), parley.ErrWrongPassword)
	for address, want := range map[string]int{
		"192.0.2.1": 1, "::ffff:192.0.2.1": 1, " 2001:DB8:0::1 ": 1, "192.0.2.2": 0, "nowhere": 0, "a\x00b": 0, "": 2,
	} {
		out, err := s.AuditLog(t.Context(), parley.AuditInput{Address: address})
		if err != nil || len(out.Entries) != want {
			t.Errorf("%q: %d entries, %v", address, len(out.Entries), err)
		}
	}
}
