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

// upload stores the intent of a file for an import.
func (w *world) upload(userID int64) NewImport {
	w.t.Helper()
	i := NewImport{ID: id.New(), UserID: userID, FileID: id.New(), Size: 1000, Now: w.tick()}
	w.must(w.AddFileIntent(w.t.Context(), userID, i.FileID, i.Now))
	return i
}

func noneRuns(string) bool { return false }

// claim begins an import and claims it.
func (w *world) claim(userID int64, owner string) OpenImport {
	w.t.Helper()
	w.must(w.AddImport(w.t.Context(), w.upload(userID)))
	i, found, err := w.ClaimImport(w.t.Context(), owner, noneRuns)
	w.must(err)
	if !found || i.UserID != userID {
		w.t.Fatalf("claimed %+v, %v", i, found)
	}
	return i
}

// imported returns a session with one turn.
func (w *world) imported(name string) ImportedSession {
	at := w.tick()
	return ImportedSession{
		ID: id.New(), Title: name, CreatedAt: at, Digest: "digest of " + name,
		Messages: []ImportedMessage{
			{ID: id.New(), Role: parley.RoleUser, Content: "a question of " + name, At: at},
			{
				ID: id.New(), Role: parley.RoleAssistant, Content: "a reply of " + name, At: at.Add(time.Second),
				Status: parley.StatusStopped, Details: parley.Details{Thinking: "hm"},
			},
		},
	}
}

// importOne runs a whole import.
func (w *world) importOne(userID int64) error {
	ctx := w.t.Context()
	i := w.claim(userID, "owner")
	session := w.imported("Capri")
	_, err := w.HasOpenImport(ctx, userID)
	w.must(err)
	_, err = w.HasImported(ctx, userID, session.Digest)
	w.must(err)
	w.must(w.AddImported(ctx, &i, ImportProgress{Position: 1}, session))
	skips := []parley.Skipped{{Title: "empty", Reason: "it is empty"}}
	w.must(w.SaveImport(ctx, &i, ImportProgress{Position: 2, Skips: skips}))
	_, err = w.IsIndexing(ctx, userID, 10)
	w.must(err)
	w.must(w.EndImport(ctx, i, ImportProgress{Position: 2, Percent: 100}, "", w.tick()))
	_, err = w.Import(ctx, userID, i.ID)
	return err
}

func TestAnImportIsStored(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		i := w.claim(user, "owner")
		session := w.imported("Ferries")
		skip := parley.Skipped{Title: "empty", Reason: "it is empty"}
		w.must(w.AddImported(ctx, &i, ImportProgress{Position: 2, Percent: 40, Skips: []parley.Skipped{skip}}, session))
		got, err := w.Import(ctx, user, i.ID)
		w.must(err)
		if fmt.Sprint(got) != "{running 40 1 2 [{empty it is empty}] 0 }" {
			t.Errorf("while it runs: %+v", got)
		}
		head, err := w.Session(ctx, user, session.ID)
		w.must(err)
		if head.Title != "Ferries" || head.MessageCount != 2 || head.CreatedAt != session.CreatedAt.Unix() ||
			head.LastMessageAt != session.Messages[1].At.Unix() {
			t.Errorf("the session is %+v", head)
		}
		w.expectText(user, session.ID, "user: a question of Ferries\nassistant: a reply of Ferries (stopped)")
		w.index()
		found, total, err := w.FindSessions(ctx, user, Keyword{Key: "reply of fer"}, parley.Page{Number: 1, Size: 10})
		w.must(err)
		if total != 1 || found[0].ID != session.ID {
			t.Errorf("a search finds %+v", found)
		}
		w.say(user, session.ID, "And back?", "Yes.")
		w.must(w.EndImport(ctx, i, ImportProgress{Position: 2, Percent: 100}, "broken", w.tick()))
		got, err = w.Import(ctx, user, i.ID)
		w.must(err)
		if got.State != parley.ImportFailed || got.Error != "broken" || got.Percent != 100 {
			t.Errorf("at its end: %+v", got)
		}
		if stale := w.stale(w.now); len(stale) != 1 || stale[0] != i.FileID {
			t.Errorf("the stale bytes are %v", stale)
		}
		if _, err := w.Import(ctx, w.user(), i.ID); !errors.Is(err, parley.ErrNoSuchImport) {
			t.Errorf("another user: %v", err)
		}
	})
}

func TestAUserHasOneImportAtATime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		uploads := make([]NewImport, 4)
		for n := range uploads {
			uploads[n] = w.upload(user)
		}
		errs := parallel(len(uploads), func(n int) error { return w.AddImport(ctx, uploads[n]) })
		if count(errs) != 1 {
			t.Errorf("%d imports were added", count(errs))
		}
		for _, err := range errs {
			if err != nil && !errors.Is(err, parley.ErrImportOpen) {
				t.Error(err)
			}
		}
		if open, err := w.HasOpenImport(ctx, user); err != nil || !open {
			t.Errorf("open is %v, %v", open, err)
		}
		w.must(w.AddImport(ctx, w.upload(w.user()))) // another user can
		cleaned := w.upload(user)
		w.must(w.DropFileIntent(ctx, user, cleaned.FileID))
		if err := w.AddImport(ctx, cleaned); !errors.Is(err, parley.ErrFileNotStored) {
			t.Errorf("without its bytes: %v", err)
		}
	})
}

func TestTheLastImportsAreKept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		var ids []string
		for range keptImports + 3 {
			i := w.claim(user, "owner")
			w.must(w.EndImport(ctx, i, ImportProgress{}, "", w.tick()))
			ids = append(ids, i.ID)
		}
		for n, importID := range ids {
			_, err := w.Import(ctx, user, importID)
			if gone := errors.Is(err, parley.ErrNoSuchImport); gone != (n < 3) {
				t.Errorf("import %d: %v", n, err)
			}
		}
	})
}

func TestAConversationIsImportedOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		session, again := w.imported("Ferries"), w.imported("Ferries")
		has := func(session ImportedSession) bool {
			t.Helper()
			found, err := w.HasImported(ctx, user, session.Digest)
			w.must(err)
			return found
		}
		i := w.claim(user, "owner")
		w.must(w.AddImported(ctx, &i, ImportProgress{Position: 1}, session))
		before := w.dump()
		err := w.AddImported(ctx, &i, ImportProgress{Position: 2}, again)
		if !errors.Is(err, parley.ErrImportedBefore) || w.dump() != before {
			t.Errorf("again: %v", err)
		}
		if !has(again) || has(ImportedSession{}) {
			t.Error("it is not known what was imported")
		}
		w.must(w.ClearSession(ctx, user, session.ID))
		if has(again) {
			t.Error("a cleared session is known as imported")
		}
		w.must(w.AddImported(ctx, &i, ImportProgress{Position: 2}, again))
		w.must(w.DeleteSession(ctx, user, again.ID))
		if has(again) {
			t.Error("a deleted session is known as imported")
		}
	})
}

func TestAnImportIsTakenOver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		w.lease("first", time.Hour)
		w.lease("second", time.Hour)
		first := w.claim(user, "first")
		w.must(w.AddImported(ctx, &first, ImportProgress{Position: 1}, w.imported("one")))
		if _, found, err := w.ClaimImport(ctx, "second", noneRuns); found || err != nil {
			t.Fatalf("it is taken from a living process: %v", err)
		}
		if _, found, err := w.ClaimImport(ctx, "first", func(id string) bool { return id == first.ID }); found || err != nil {
			t.Fatalf("it is claimed while it runs: %v", err)
		}
		again, found, err := w.ClaimImport(ctx, "first", noneRuns)
		w.must(err)
		if !found || again.Attempts != 1 || again.Position != 1 {
			t.Errorf("its own process goes on with %+v", again)
		}
		w.must(w.DropLease(ctx, "first"))
		second, found, err := w.ClaimImport(ctx, "second", noneRuns)
		w.must(err)
		if !found || second.Attempts != 2 || second.Position != 1 || second.ID != first.ID {
			t.Errorf("the second goes on with %+v", second)
		}
		before := w.dump()
		for name, err := range map[string]error{
			"add":  w.AddImported(ctx, &first, ImportProgress{Position: 2}, w.imported("two")),
			"save": w.SaveImport(ctx, &first, ImportProgress{Position: 2}),
			"end":  w.EndImport(ctx, first, ImportProgress{Position: 2}, "", w.tick()),
		} {
			if !errors.Is(err, ErrImportLost) || w.dump() != before {
				t.Errorf("%s by the first: %v", name, err)
			}
		}
		w.must(w.AddImported(ctx, &second, ImportProgress{Position: 2}, w.imported("two")))
		stale := second
		stale.Position = 1
		err = w.AddImported(ctx, &stale, ImportProgress{Position: 2}, w.imported("three"))
		if !errors.Is(err, ErrImportLost) {
			t.Errorf("an old position: %v", err)
		}
	})
}

func TestADeletedAccountEndsItsImport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		i := w.claim(user, "owner")
		w.must(w.AddImported(ctx, &i, ImportProgress{Position: 1}, w.imported("one")))
		w.must(w.remove(user))
		err := w.AddImported(ctx, &i, ImportProgress{Position: 2}, w.imported("two"))
		if !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("another session: %v", err)
		}
		if err := w.SaveImport(ctx, &i, ImportProgress{Position: 2}); !errors.Is(err, ErrImportLost) {
			t.Errorf("progress: %v", err)
		}
		if stale := w.stale(w.now); len(stale) != 1 || stale[0] != i.FileID {
			t.Errorf("the stale bytes are %v", stale)
		}
	})
}

func TestTheListOfSkippedConversationsIsBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		i := w.claim(user, "owner")
		for range 4 {
			skips := make([]parley.Skipped, 300)
			for n := range skips {
				skips[n] = parley.Skipped{Title: fmt.Sprint(i.Position + int64(n)), Reason: "odd"}
			}
			w.must(w.SaveImport(ctx, &i, ImportProgress{Position: i.Position + 300, Skips: skips}))
		}
		got, err := w.Import(ctx, user, i.ID)
		w.must(err)
		if len(got.Skipped) != parley.MaxSkipped || got.More != 200 || got.Skipped[999].Title != "999" {
			t.Errorf("%d are listed, and %d more", len(got.Skipped), got.More)
		}
	})
}

func TestBytesOfAnImportAreKnown(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		i := w.claim(user, "owner")
		file, intent, err := w.FileKnown(ctx, i.FileID)
		w.must(err)
		given, err := w.GiveUpFileIntent(ctx, user, i.FileID)
		w.must(err)
		if file || !intent || given || strings.Join(w.stale(w.now), "") != "" {
			t.Errorf("known as a file %v, as an intent %v, given up %v", file, intent, given)
		}
	})
}
