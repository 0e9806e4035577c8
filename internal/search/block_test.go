package search_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
)

func TestAUsersBlocksStayFew(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		const rounds = 3 * search.BlockFanout * search.BlockFanout
		for i := range rounds {
			w.session(user, numbered("ferry", i))
			w.update()
		}
		if n := w.count(`SELECT count(*) FROM search_blocks`); n > 3+2*search.BlockFanout {
			t.Errorf("%d texts are in %d blocks", rounds, n)
		}
		if _, total := w.found(user, "ferry", parley.Page{Number: 1, Size: 1}); total != rounds {
			t.Errorf("%d are found", total)
		}
		if wrong, looked, err := w.index.Check(t.Context(), 10*rounds); err != nil || wrong != 0 || looked != rounds {
			t.Errorf("%d of %d are wrong, %v", wrong, looked, err)
		}
	})
}

func TestWhatIsDeletedLeavesTheIndex(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		var sessions []string
		for i := range 40 {
			sessions = append(sessions, w.session(user, numbered("ferry", i)))
			w.say(user, sessions[i], "Which one?", strings.Repeat("This one. ", i))
		}
		w.update()
		for _, session := range sessions[:39] {
			w.must(w.DeleteSession(t.Context(), user, session))
		}
		w.update()
		if n := w.indexed(); n != 3 {
			t.Errorf("%d texts are in the index", n)
		}
		w.must(w.ClearSession(t.Context(), user, sessions[39]))
		w.update()
		if n := w.indexed(); n != 1 {
			t.Errorf("%d texts are in the index once the session is cleared", n)
		}
		w.must(w.DeleteSession(t.Context(), user, sessions[39]))
		w.update()
		if n := w.count(`SELECT count(*) FROM search_pages`); n != 0 || w.indexed() != 0 {
			t.Errorf("%d pages and %d texts are left of nothing", n, w.indexed())
		}
		w.session(user, "another ferry")
		w.update()
		if _, total := w.found(user, "ferry", parley.Page{Number: 1, Size: 1}); total != 1 {
			t.Errorf("%d are found", total)
		}
	})
}

// A merge that began before a text changed must not restore the old text.
func TestAMergeThatIsOvertakenDoesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		var sessions []string
		for i := range search.BlockFanout - 1 {
			sessions = append(sessions, w.session(user, numbered("ferry", i)))
			w.update()
		}
		sessions = append(sessions, w.session(user, "ferry, the last"))
		w.must(w.index.IndexOne(t.Context(), user))
		blocks, finish, err := w.index.BeginMerge(t.Context(), user)
		w.must(err)
		if blocks != search.BlockFanout {
			t.Fatalf("%d blocks would be merged", blocks)
		}
		w.must(w.UpdateSession(t.Context(), user, sessions[3], store.SessionChange{Title: new("a train")}))
		w.update()
		if done, err := finish(); done || err != nil {
			t.Errorf("the old blocks were put in place of the new: %v, %v", done, err)
		}
		if _, total := w.found(user, "ferry", parley.Page{Number: 1, Size: 1}); total != search.BlockFanout-1 {
			t.Errorf("%d are found", total)
		}
	})
}
