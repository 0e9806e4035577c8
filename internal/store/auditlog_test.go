package store

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/db/dbtest"
	"parley/internal/id"
)

// entry returns an entry of the audit log.
func (w *world) entry(userID int64, event string) NewAuditEntry {
	at := w.tick()
	return NewAuditEntry{Time: at, AuditEntry: parley.AuditEntry{
		ID: id.At(at), UserID: userID, Event: event, Address: "192.0.2.1", RequestID: "r", Object: "o",
	}}
}

// note adds entries to the audit log and returns their ids.
func (w *world) note(entries ...NewAuditEntry) (ids []string) {
	w.t.Helper()
	left, err := w.AddAuditEntries(w.t.Context(), entries)
	w.must(err)
	if len(left) != 0 {
		w.t.Errorf("%d entries are left", len(left))
	}
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// noted returns the ids of the entries that an input selects.
func (w *world) noted(in parley.AuditInput) (ids []string) {
	w.t.Helper()
	if in.Limit == 0 {
		in.Limit = 100
	}
	entries, err := w.AuditEntries(w.t.Context(), in)
	w.must(err)
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestTheAuditLogIsReadByEventUserAndTime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		begun := w.now
		first := w.entry(1, "login")
		first.ActorID, first.Code = parley.ActorShell, parley.CodeWrongPassword
		ids := w.note(first, w.entry(2, "login"), w.entry(1, "logout"), w.entry(0, "login-failed"), w.entry(1, "login"))
		w.note(first) // again
		stored, err := w.AuditEntries(t.Context(), parley.AuditInput{Before: ids[1], Limit: 10})
		w.must(err)
		want := first.AuditEntry
		want.At = first.Time.Unix()
		if len(stored) != 1 || stored[0] != want {
			t.Errorf("the first entry is %+v, want %+v", stored, want)
		}
		at := func(place int) int64 { return begun.Add(time.Duration(place+1) * 1300 * time.Millisecond).Unix() }
		for name, test := range map[string]struct {
			in   parley.AuditInput
			want []int
		}{
			"all":               {parley.AuditInput{}, []int{4, 3, 2, 1, 0}},
			"a page":            {parley.AuditInput{Limit: 2}, []int{4, 3}},
			"the next page":     {parley.AuditInput{Limit: 2, Before: ids[3]}, []int{2, 1}},
			"an event":          {parley.AuditInput{Event: "login"}, []int{4, 1, 0}},
			"a user":            {parley.AuditInput{UserID: 1}, []int{4, 2, 0}},
			"a user's event":    {parley.AuditInput{UserID: 1, Event: "login"}, []int{4, 0}},
			"their next page":   {parley.AuditInput{UserID: 1, Event: "login", Before: ids[4]}, []int{0}},
			"from":              {parley.AuditInput{From: at(3)}, []int{4, 3}},
			"to":                {parley.AuditInput{To: at(1)}, []int{1, 0}},
			"from, to, before":  {parley.AuditInput{From: at(1), To: at(3), Before: ids[3]}, []int{2, 1}},
			"a late end":        {parley.AuditInput{From: 1, To: math.MaxInt64}, []int{4, 3, 2, 1, 0}},
			"an address":        {parley.AuditInput{Address: "192.0.2.1", Limit: 2}, []int{4, 3}},
			"another address":   {parley.AuditInput{Address: "192.0.2.2"}, nil},
			"an unknown event":  {parley.AuditInput{Event: "tea"}, nil},
			"another time":      {parley.AuditInput{From: at(100)}, nil},
			"an unknown user":   {parley.AuditInput{UserID: 77}, nil},
			"before everything": {parley.AuditInput{Before: ids[0]}, nil},
		} {
			var want []string
			for _, place := range test.want {
				want = append(want, ids[place])
			}
			if got := w.noted(test.in); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	})
}

func TestOldEntriesOfTheAuditLogAreSwept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var entries []NewAuditEntry
		for user := range int64(5) {
			entries = append(entries, w.entry(user, "login"))
		}
		ids := w.note(entries...)
		more, err := w.SweepAudit(t.Context(), entries[3].Time, 2)
		w.must(err)
		if left := w.noted(parley.AuditInput{}); !more || len(left) != 3 {
			t.Errorf("after a batch %d entries are left, more is %v", len(left), more)
		}
		more, err = w.SweepAudit(t.Context(), entries[3].Time, 2)
		w.must(err)
		if left := w.noted(parley.AuditInput{}); more || !slices.Equal(left, []string{ids[4], ids[3]}) {
			t.Errorf("in the end %v are left, more is %v", left, more)
		}
	})
}

// TestAChangeOfAnAccountTakesItsEntryAlong checks that an entry is stored with the change that it is about, and not
// without it.
func TestAChangeOfAnAccountTakesItsEntryAlong(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		user := w.user()
		disabled, enabled, reset := w.entry(user, "disable"), w.entry(user, "enable"), w.entry(user, "reset")
		quota, gone := w.entry(user, "quota"), w.entry(user, "delete")
		found, _, err := w.UserByID(ctx, user)
		w.must(err)
		w.must(w.DisableUser(ctx, 0, user, w.now, disabled))
		w.must(w.EnableUser(ctx, user, enabled))
		w.must(w.ResetPassword(ctx, 0, Recovery{UserID: user, PasswordHash: "hash"}, reset))
		w.must(w.SetQuota(ctx, user, "messages=3/d", quota))
		w.must(w.DeleteUser(ctx, user, found.Email, gone))
		want := []string{gone.ID, quota.ID, reset.ID, enabled.ID, disabled.ID}
		if got := w.noted(parley.AuditInput{UserID: user}); !slices.Equal(got, want) {
			t.Errorf("after the account was deleted its entries are %v, want %v", got, want)
		}
		other := w.user()
		demoted := w.user()
		err = w.ResetPassword(ctx, demoted, Recovery{UserID: other, PasswordHash: "hash"}, w.entry(other, "reset"))
		if !errors.Is(err, ErrNotAdmin) {
			t.Errorf("a change by somebody who is no administrator: %v", err)
		}
		if got := w.noted(parley.AuditInput{UserID: other}); len(got) != 0 {
			t.Errorf("a change that was refused is noted: %v", got)
		}
	})
}

// TestAPageOfTheAuditLogIsARangeOfAnIndex checks that nothing before a page is read, and nothing is sorted.
func TestAPageOfTheAuditLogIsARangeOfAnIndex(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fill()
		if w.db.Shared() {
			w.run(`INSERT INTO audit_entries (user_id, id, at, event, actor_id, address, request_id, code, object)
				SELECT 1001 + i % 10, '00000001-0000-7000-8000-' || lpad(i::text, 12, '0'), i, 'e' || i % 40, 0, '', '', 0, ''
				FROM generate_series(1, 4000) AS n (i)`, `ANALYZE audit_entries`)
		}
		for _, test := range []struct {
			in    parley.AuditInput
			index string
		}{
			{parley.AuditInput{}, "audit_entries_by_id"},
			{parley.AuditInput{Event: "e3"}, "audit_entries_by_event"},
			{parley.AuditInput{UserID: 1001}, "audit_entries_pkey|PRIMARY KEY"},
			{parley.AuditInput{UserID: 1001, Event: "e1"}, "audit_entries_pkey|audit_entries_by_event|PRIMARY KEY"},
		} {
			test.in.Before, test.in.Limit = "00000001-0000-7000-8000-000000003000", 20
			x := dbtest.Explain(t, w.db)
			_, err := w.AuditEntries(t.Context(), test.in)
			w.must(err)
			x.Stop()
			ranged := regexp.MustCompile(`(?s)SEARCH audit_entries USING (INDEX )?(` + test.index + `) \(.*id>\? AND id<\?\)|` +
				`Index Scan Backward using (` + test.index + `) on audit_entries.*Index Cond: .*id <`)
			// PostgreSQL expects few entries of one user and one event, and sorts them.
			few := w.db.Shared() && test.in.UserID != 0 && test.in.Event != ""
			for query, plan := range x.Plans {
				if few && strings.Contains(plan, "Index Cond: ") && !strings.Contains(plan, "Seq Scan") {
					continue
				}
				if !ranged.MatchString(plan) || strings.Contains(plan, "Sort") || strings.Contains(plan, "TEMP B-TREE") {
					t.Errorf("%s\n%s", query, plan)
				}
			}
		}
		w.run(deleteAll...)
	})
}
