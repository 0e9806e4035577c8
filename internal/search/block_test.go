package search_test

import (
	"fmt"
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

// Blocks of the release before have other grams. A replica of it may still add some.
func TestBlocksOfAnOlderFormAreIndexedAnew(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for name, use := range map[string]func(user int64){
			"a search": func(user int64) { w.found(user, "ferry", parley.Page{Number: 1, Size: 1}) },
			"a search of hits": func(user int64) {
				query := search.Query{Keyword: search.Keyword{Key: "ferry"}, Titles: true}
				_, err := w.index.Search(t.Context(), user, query, parley.Page{Number: 1, Size: 1}, search.Documents{})
				w.must(err)
			},
			"a new text": func(user int64) { w.session(user, "a train") },
		} {
			user := w.user()
			w.session(user, "the ferry")
			w.update()
			w.run(fmt.Sprintf(`DELETE FROM search_pages WHERE user_id = %d`, user),
				fmt.Sprintf(`UPDATE search_blocks SET pages = -1 WHERE user_id = %d`, user))
			if wrong, _, err := w.index.Check(t.Context(), 10); err != nil || wrong != 0 {
				t.Errorf("%s: before, %d entries are wrong, %v", name, wrong, err)
			}
			use(user)
			w.update()
			if _, total := w.found(user, "ferry", parley.Page{Number: 1, Size: 1}); total != 1 {
				t.Errorf("%s: %d are found", name, total)
			}
			if n := w.count(`SELECT count(*) FROM search_blocks WHERE pages < 0`); n != 0 {
				t.Errorf("%s: %d blocks are of the older form", name, n)
			}
		}
	})
}
