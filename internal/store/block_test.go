package store

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley"
)

func TestBlocksOfASizeAreMerged(t *testing.T) {
	sizes := func(heads []head) (all []int) {
		for _, h := range heads {
			all = append(all, h.size)
		}
		return all
	}
	for name, c := range map[string]struct{ size, gone, want []int }{
		"few":                         {size: []int{2, 2, 2, 2, 2, 2, 2}},
		"many of the least":           {size: []int{2, 1, 2, 7, 2, 2, 2, 2}, want: []int{1, 2, 2, 2, 2, 2, 2, 7}},
		"many of the next size":       {size: []int{8, 8, 8, 63, 8, 8, 2, 8, 8}, want: []int{8, 8, 8, 8, 8, 8, 8, 63}},
		"as many as fit":              {size: []int{1600, 1600, 1600, 1600, 1600, 1600, 1600, 1600}, want: []int{1600, 1600}},
		"full ones stay":              {size: []int{2049, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096}},
		"one with many that are gone": {size: []int{100, 100}, gone: []int{24, 25}, want: []int{100}},
		"one with none left":          {size: []int{3}, gone: []int{3}, want: []int{3}},
		"an empty one":                {size: []int{0, 3}, want: []int{0}},
		"an empty one at the end":     {size: []int{3, 0}},
	} {
		var heads []head
		for i, size := range c.size {
			h := head{block: int64(i + 1), size: size}
			if i < len(c.gone) {
				h.gone = c.gone[i]
			}
			heads = append(heads, h)
		}
		if got := sizes(mergeable(heads)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestAUsersBlocksStayFew(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		const rounds = 3 * blockFanout * blockFanout
		for i := range rounds {
			w.session(user, numbered("ferry", i))
			w.index()
		}
		if n := number(t, w.Store, `SELECT count(*) FROM search_blocks`); n > 3+2*blockFanout {
			t.Errorf("%d texts are in %d blocks", rounds, n)
		}
		if _, total := w.found(user, "ferry", parley.Page{Number: 1, Size: 1}); total != rounds {
			t.Errorf("%d are found", total)
		}
		if wrong, looked, err := w.CheckIndex(t.Context(), 10*rounds); err != nil || wrong != 0 || looked != rounds {
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
		w.index()
		for _, session := range sessions[:39] {
			w.must(w.DeleteSession(t.Context(), user, session))
		}
		w.index()
		if n := w.indexed(); n != 3 {
			t.Errorf("%d texts are in the index", n)
		}
		w.must(w.ClearSession(t.Context(), user, sessions[39]))
		w.index()
		if n := w.indexed(); n != 1 {
			t.Errorf("%d texts are in the index once the session is cleared", n)
		}
		w.must(w.DeleteSession(t.Context(), user, sessions[39]))
		w.index()
		if n := number(t, w.Store, `SELECT count(*) FROM search_pages`); n != 0 || w.indexed() != 0 {
			t.Errorf("%d pages and %d texts are left of nothing", n, w.indexed())
		}
		w.session(user, "another ferry")
		w.index()
		if _, total := w.found(user, "ferry", parley.Page{Number: 1, Size: 1}); total != 1 {
			t.Errorf("%d are found", total)
		}
	})
}

// A merge that was begun before a text changed must not bring the old one back.
func TestAMergeThatIsOvertakenDoesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		var sessions []string
		for i := range blockFanout - 1 {
			sessions = append(sessions, w.session(user, numbered("ferry", i)))
			w.index()
		}
		// The last one comes by hand, so that the merge is due but not done.
		sessions = append(sessions, w.session(user, "ferry, the last"))
		w.must(w.writeAlone(t.Context(), func(ctx context.Context, q querier) error {
			b := batch{Store: w.Store, bytes: indexBytes}
			return b.indexUser(ctx, q, user, 1)
		}))
		var m merge
		w.must(w.snapshot(t.Context(), func(ctx context.Context, q querier) error {
			m = merge{}
			return m.read(ctx, q, user)
		}))
		if len(m.heads) != blockFanout {
			t.Fatalf("%d blocks would be merged", len(m.heads))
		}
		w.must(w.RenameSession(t.Context(), user, sessions[3], "a train"))
		w.index()
		w.must(w.writeAlone(t.Context(), func(ctx context.Context, q querier) error {
			done, err := w.replace(ctx, q, user, m, nil)
			if done {
				t.Error("the old blocks were put in place of the new")
			}
			return err
		}))
		if _, total := w.found(user, "ferry", parley.Page{Number: 1, Size: 1}); total != blockFanout-1 {
			t.Errorf("%d are found", total)
		}
	})
}
