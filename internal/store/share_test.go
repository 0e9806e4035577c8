package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

// share stores a share of a session and returns its id. A zero end means no end.
func (w *world) share(userID int64, sessionID string, expires time.Time) string {
	w.t.Helper()
	share := NewShare{
		ID: id.New(), UserID: userID, SessionID: sessionID, Title: "Ferries", Messages: 2,
		Parts: [][]byte{[]byte("first"), []byte("second")}, Now: w.tick(), Expires: expires, MaxShares: 100,
	}
	w.must(w.AddShare(w.t.Context(), share))
	return share.ID
}

// links counts the links and the ended shares.
func (w *world) links() string {
	w.t.Helper()
	return fmt.Sprint(number(w.t, w.Store, `SELECT count(*) FROM share_links`),
		number(w.t, w.Store, `SELECT count(*) FROM ended_shares`))
}

func TestAShareEndsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ends := map[string]func(userID int64, sessionID, shareID string) error{
			"withdrawn": func(userID int64, _, shareID string) error { return w.DeleteShare(ctx, userID, shareID) },
			"session deleted": func(userID int64, sessionID, _ string) error {
				return w.DeleteSession(ctx, userID, sessionID)
			},
			"account deleted": func(userID int64, _, _ string) error { return w.remove(userID) },
			"disabled":        func(userID int64, _, _ string) error { return w.DisableUser(ctx, 0, userID, w.now) },
		}
		for name, end := range ends {
			user := w.user()
			session := w.session(user, "Ferries")
			share := w.share(user, session, time.Time{})
			w.must(w.ClearSession(ctx, user, session)) // a share is a snapshot
			found, err := w.FindShare(ctx, share, w.now)
			w.must(err)
			if found.UserID != user || found.Parts != 2 || found.Title != "Ferries" || found.ExpiresAt != 0 {
				t.Errorf("the share is %+v", found)
			}
			part, err := w.SharePart(ctx, user, share, 1)
			w.must(err)
			if string(part) != "second" {
				t.Errorf("the part is %q", part)
			}
			w.must(end(user, session, share))
			if _, err := w.FindShare(ctx, share, w.now); !errors.Is(err, parley.ErrNoSuchShare) {
				t.Errorf("%s: %v", name, err)
			}
			_, err = w.SharePart(ctx, user, share, 1)
			if name != "disabled" && !errors.Is(err, parley.ErrNoSuchShare) {
				t.Errorf("%s: the part: %v", name, err)
			}
		}
		if got := w.links(); got != "4 3" {
			t.Errorf("links and ended shares: %s", got)
		}
		audit(t, w.Store)
		more, err := w.SweepShares(ctx, w.now, 2)
		w.must(err)
		if got := w.links(); !more || got != "2 1" {
			t.Errorf("after a batch: %v, %s", more, got)
		}
		more, err = w.SweepShares(ctx, w.now, 2)
		w.must(err)
		if got := w.links(); more || got != "1 0" {
			t.Errorf("after all: %v, %s", more, got)
		}
	})
}

func TestAShareExpires(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		user := w.user()
		session := w.session(user, "Ferries")
		end := w.now.Add(time.Hour)
		share := w.share(user, session, end)
		endless := w.share(user, session, time.Time{})
		_, err := w.FindShare(ctx, share, end.Add(-time.Second))
		w.must(err)
		if _, err := w.FindShare(ctx, share, end); !errors.Is(err, parley.ErrNoSuchShare) {
			t.Errorf("an expired share: %v", err)
		}
		shares, err := w.Shares(ctx, user, end)
		w.must(err)
		if len(shares) != 1 || shares[0].ShareID != endless || shares[0].SessionID != session {
			t.Errorf("the shares are %+v", shares)
		}
		_, err = w.SweepShares(ctx, end, 10)
		w.must(err)
		if rows := number(t, w.Store, `SELECT count(*) FROM share_parts`); rows != 2 || w.links() != "1 0" {
			t.Errorf("%d parts, links %s", rows, w.links())
		}
		_, err = w.FindShare(ctx, endless, end.Add(100*365*24*time.Hour))
		w.must(err)
	})
}

func TestAUserHasALimitedNumberOfShares(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Ferries")
		w.share(user, session, w.now.Add(time.Minute))
		w.share(user, session, time.Time{})
		share := NewShare{ID: id.New(), UserID: user, SessionID: session, Now: w.now, MaxShares: 2}
		if err := w.AddShare(t.Context(), share); !errors.Is(err, parley.ErrTooManyShares) {
			t.Errorf("a third: %v", err)
		}
		share.Now = w.now.Add(time.Hour) // one has expired
		w.must(w.AddShare(t.Context(), share))
		share.SessionID = id.New()
		if err := w.AddShare(t.Context(), share); !errors.Is(err, parley.ErrNoSuchSession) {
			t.Errorf("of an unknown session: %v", err)
		}
	})
}

// TestASnapshotHasOneVersion checks that messages that are set aside are not read.
func TestASnapshotHasOneVersion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		user := w.user()
		session := w.session(user, "Ferries")
		w.lease("owner", time.Hour)
		for i := range shareMessages {
			w.say(user, session, fmt.Sprint("question ", i), fmt.Sprint("reply ", i))
		}
		redo, err := w.BeginTurn(ctx, NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
		w.must(err)
		w.must(w.FinishTurn(ctx, redo, "another reply", parley.Details{Thinking: "hm"}))
		w.begin(user, session, "in progress")
		var all []string
		var head SessionHead
		w.must(w.ReadSession(ctx, user, session, func(h SessionHead) error {
			head, all = h, nil
			return nil
		}, func(m parley.Message) error {
			all = append(all, m.Content+m.Thinking)
			return nil
		}))
		if len(all) != 2*shareMessages+2 || int64(len(all)) != head.MessageCount || head.Title != "Ferries" {
			t.Fatalf("%d messages of %+v", len(all), head)
		}
		if got := strings.Join(all[len(all)-4:], "|"); got != fmt.Sprintf("question %d|another replyhm|in progress|",
			shareMessages-1) {
			t.Errorf("the end is %s", got)
		}
		err = w.ReadSession(ctx, w.user(), session, func(SessionHead) error { return nil },
			func(parley.Message) error { return nil })
		if !errors.Is(err, parley.ErrNoSuchSession) {
			t.Errorf("another's session: %v", err)
		}
	})
}
