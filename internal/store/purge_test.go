package store

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/db"
	"parley/internal/id"
	"parley/internal/testtier"
)

// traces returns which files of a folder contain a text.
func traces(t testing.TB, dir, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			files = append(files, entry.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestNothingIsLeftOfADeletedSession looks for its texts in the files of the database, as strings would.
func TestNothingIsLeftOfADeletedSession(t *testing.T) {
	const marker = "Wackelpudding"
	w := newWorld(t, "")
	user := w.user()
	kept := w.session(user, "Ferries")
	for i := range 60 { // pages of the tables have messages of both sessions
		w.say(user, kept, "question", strings.Repeat("kept ", 1+i*7))
	}
	session := w.session(user, marker+" in the title")
	for i := range 60 {
		text := fmt.Sprintf("%s %d %s", marker, i, strings.Repeat("and more ", i*i%700))
		open := w.begin(user, session, text)
		w.must(w.FinishTurn(t.Context(), open, text, parley.Details{Thinking: marker}))
	}
	reply := w.say(user, session, "question", marker)
	_, err := w.AddFavorite(t.Context(), user, session, reply, id.New(), w.tick())
	w.must(err)
	redo, err := w.BeginTurn(t.Context(), NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
	w.must(err)
	_, err = w.SaveProgress(t.Context(), "owner", []Progress{{Turn: &redo, Content: marker, Fresh: true}})
	w.must(err)
	w.must(w.FinishTurn(t.Context(), redo, marker+" again", parley.Details{}))
	w.must(w.UpdateSession(t.Context(), user, session, SessionChange{Title: new("The last " + marker)}))
	w.index()
	if len(traces(t, w.dir, marker)) == 0 {
		t.Fatal("the text of a session is not found in the files")
	}

	w.must(w.DeleteSession(t.Context(), user, session))
	w.index()
	w.must(w.Purge(t.Context()))
	if left := traces(t, w.dir, marker); len(left) > 0 {
		t.Errorf("the text of a deleted session is in %v", left)
	}
	if got := len(strings.Fields(w.text(user, kept))); got == 0 {
		t.Error("the other session has no text")
	}
}

// TestThePurgeWaitsForReaders has a reader that still needs the log.
func TestThePurgeWaitsForReaders(t *testing.T) {
	testtier.Slow(t)
	const marker = "Wackelpudding"
	w := newWorld(t, "")
	user := w.user()
	session := w.session(user, marker)
	err := w.db.Snapshot(t.Context(), func(ctx context.Context, q db.Querier) error {
		if _, err := db.List(ctx, q, db.ScanOne[string], `SELECT title FROM sessions`); err != nil {
			return err
		}
		w.must(w.DeleteSession(ctx, user, session))
		return w.Purge(ctx)
	})
	w.must(err)
	if len(traces(t, w.dir, marker)) == 0 {
		t.Error("the log was truncated while a reader needed it")
	}
	w.must(w.Purge(t.Context()))
	if left := traces(t, w.dir, marker); len(left) > 0 {
		t.Errorf("the text of a deleted session is in %v", left)
	}
}
