package store

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/id"
)

// long returns a long text. Two of them fit a batch, and three do not.
func long(name string) string { return strings.Repeat(name+" ", MaxBatch*2/5/(len(name)+1)) }

func TestMessagesAreReadInBatches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		w.say(user, session, "a", long("b"))
		w.say(user, session, long("c"), long("d"))
		w.say(user, session, strings.Repeat("e", MaxBatch+1), "f")
		first, total, err := w.Messages(t.Context(), user, session, parley.Page{Number: 1, Size: 200})
		w.must(err)
		if total != 6 || len(first) != 3 {
			t.Fatalf("the first batch has %d of %d messages", len(first), total)
		}
		after, previous := int64(3), first[2].ID
		for _, want := range []int{1, 1, 1} { // d, then e, which fits no batch, then f
			batch, total, err := w.MessagesAfter(t.Context(), user, session, after, 200, previous)
			w.must(err)
			if total != 6 || len(batch) != want {
				t.Fatalf("after %d there are %d of %d messages, want %d", after, len(batch), total, want)
			}
			after, previous = after+int64(len(batch)), batch[len(batch)-1].ID
		}
		w.must(w.ClearSession(t.Context(), user, session))
		for range 4 {
			w.say(user, session, "new", "new")
		}
		_, _, err = w.MessagesAfter(t.Context(), user, session, 3, 200, first[2].ID)
		if !errors.Is(err, parley.ErrNoSuchSession) {
			t.Errorf("after the session was cleared and written again: %v", err)
		}
	})
}

func TestFavoritesAreReadInBatches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		var want []string
		for _, name := range []string{"ferry 1", "tram", "ferry 2", "ferry 3", "ferry 4", "ferry 5"} {
			reply := w.say(user, session, "q", long(name))
			_, err := w.AddFavorite(t.Context(), user, session, reply, id.New(), w.tick())
			w.must(err)
			want = append([]string{long(name)}, want...)
		}
		page := parley.Page{Number: 1, Size: 200}
		all := w.batches(func() ([]parley.Favorite, int64, error) { return w.Favorites(t.Context(), user, page) },
			func(previous parley.Favorite) ([]parley.Favorite, error) {
				batch, _, err := w.FavoritesAfter(t.Context(), user, previous, 200)
				return batch, err
			})
		if !slices.Equal(contents(all), want) {
			t.Errorf("got %d favorites", len(all))
		}
		ferries := w.batches(func() ([]parley.Favorite, int64, error) {
			return w.FindFavorites(t.Context(), user, "ferry", page)
		}, func(previous parley.Favorite) ([]parley.Favorite, error) {
			return w.FindFavoritesAfter(t.Context(), user, "ferry", previous, 200)
		})
		if !slices.Equal(contents(ferries), slices.Delete(want, 4, 5)) {
			t.Errorf("found %d favorites", len(ferries))
		}
		w.must(w.RemoveFavorite(t.Context(), user, all[1].MessageID))
		if _, _, err := w.FavoritesAfter(t.Context(), user, all[1], 200); !errors.Is(err, parley.ErrNoSuchFavorite) {
			t.Errorf("after one that was removed: %v", err)
		}
		_, err := w.FindFavoritesAfter(t.Context(), user, "ferry", all[1], 200)
		if !errors.Is(err, parley.ErrNoSuchFavorite) {
			t.Errorf("after one that was removed: %v", err)
		}
	})
}

// batches reads favorites to the end. Each batch may have two.
func (w *world) batches(
	first func() ([]parley.Favorite, int64, error), after func(parley.Favorite) ([]parley.Favorite, error),
) []parley.Favorite {
	w.t.Helper()
	batch, total, err := first()
	w.must(err)
	all := batch
	for int64(len(all)) < total && len(batch) > 0 {
		if len(batch) > 2 {
			w.t.Errorf("a batch has %d favorites", len(batch))
		}
		batch, err = after(all[len(all)-1])
		w.must(err)
		all = append(all, batch...)
	}
	return all
}

func contents(favorites []parley.Favorite) (all []string) {
	for _, f := range favorites {
		all = append(all, f.Content)
	}
	return all
}
