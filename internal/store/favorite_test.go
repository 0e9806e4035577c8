package store

import (
	"errors"
	"slices"
	"testing"

	"parley"
	"parley/internal/id"
)

func (w *world) favorites(userID int64, page parley.Page) ([]string, int64) {
	w.t.Helper()
	favorites, total, err := w.Favorites(w.t.Context(), userID, page)
	w.must(err)
	contents := []string{}
	for _, f := range favorites {
		contents = append(contents, f.Content)
	}
	return contents, total
}

func TestAFavoriteAddedTwiceIsOne(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Ferries")
		message := w.say(user, session, "q", "r")
		first, err := w.AddFavorite(t.Context(), user, session, message, id.New(), w.tick())
		w.must(err)
		marked := w.now
		again, err := w.AddFavorite(t.Context(), user, session, message, id.New(), w.tick())
		w.must(err)
		if again != first {
			t.Errorf("the favorite is %s, then %s", first, again)
		}
		favorites, total, err := w.Favorites(t.Context(), user, parley.Page{Number: 1, Size: 10})
		w.must(err)
		want := parley.Favorite{
			ID: first, MessageID: message, Content: "r", SessionTitle: "Ferries",
			CreatedAt: marked.Unix(), SessionID: session, Number: 2,
		}
		if total != 1 || !slices.Equal(favorites, []parley.Favorite{want}) {
			t.Errorf("favorites are %+v of %d", favorites, total)
		}
		messages, _, err := w.Messages(t.Context(), user, session, parley.Page{Number: 1, Size: 10})
		w.must(err)
		if messages[0].IsFavorited || !messages[1].IsFavorited {
			t.Errorf("messages are %+v", messages)
		}
	})
}

func TestFavoritesOfOneMomentComeByTheirIDs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Ferries")
		const count = 4
		moment := w.now
		var ids []string
		for range count {
			message := w.say(user, session, "q", "same")
			added, err := w.AddFavorite(t.Context(), user, session, message, id.New(), moment)
			w.must(err)
			ids = append(ids, added)
		}
		slices.Reverse(ids)
		for name, read := range map[string]func(page parley.Page) ([]parley.Favorite, int64, error){
			"list": func(page parley.Page) ([]parley.Favorite, int64, error) {
				return w.Favorites(t.Context(), user, page)
			},
			"keyword": func(page parley.Page) ([]parley.Favorite, int64, error) {
				return w.FindFavorites(t.Context(), user, "same", page)
			},
		} {
			for _, size := range []int64{1, count} {
				var got []string
				for number := range count / size {
					page, _, err := read(parley.Page{Number: number + 1, Size: size})
					w.must(err)
					for _, favorite := range page {
						got = append(got, favorite.ID)
					}
				}
				if !slices.Equal(got, ids) {
					t.Errorf("%s in pages of %d: %v, want %v", name, size, got, ids)
				}
			}
		}
	})
}

func TestOnlyAMessageOfTheSessionCanBeAFavorite(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		session, other, bobs := w.session(ada, ""), w.session(ada, ""), w.session(bob, "")
		message := w.say(ada, session, "q", "r")
		for _, c := range []struct {
			user             int64
			session, message string
			want             error
		}{
			{ada, other, message, parley.ErrNotInSession},
			{ada, session, id.New(), parley.ErrNotInSession},
			{bob, bobs, message, parley.ErrNotInSession},
			{bob, session, message, parley.ErrNoSuchSession},
		} {
			if _, err := w.AddFavorite(t.Context(), c.user, c.session, c.message, id.New(), w.now); !errors.Is(err, c.want) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		_, err := w.AddFavorite(t.Context(), ada, session, message, id.New(), w.now)
		w.must(err)
		for _, c := range []struct {
			user    int64
			message string
		}{{bob, message}, {ada, id.New()}} {
			if err := w.RemoveFavorite(t.Context(), c.user, c.message); !errors.Is(err, parley.ErrNoSuchFavorite) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		w.must(w.RemoveFavorite(t.Context(), ada, message))
		if err := w.RemoveFavorite(t.Context(), ada, message); !errors.Is(err, parley.ErrNoSuchFavorite) {
			t.Errorf("a second time: %v", err)
		}
	})
}

func TestFavoritesComeNewestFirstAndGoWithTheirMessages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		sessions := []string{w.session(user, ""), w.session(user, ""), w.session(user, "")}
		for i, session := range sessions {
			message := w.say(user, session, "q", numbered("r", i))
			_, err := w.AddFavorite(t.Context(), user, session, message, id.New(), w.tick())
			w.must(err)
		}
		expect := func(page parley.Page, wantTotal int64, want ...string) {
			t.Helper()
			if contents, total := w.favorites(user, page); !slices.Equal(contents, want) || total != wantTotal {
				t.Errorf("%+v: %v of %d, want %v of %d", page, contents, total, want, wantTotal)
			}
		}
		all := parley.Page{Number: 1, Size: 10}
		expect(all, 3, "r 2", "r 1", "r 0")
		expect(parley.Page{Number: 2, Size: 2}, 3, "r 0")
		expect(parley.Page{Number: 3, Size: 2}, 3, []string{}...)
		w.must(w.ClearSession(t.Context(), user, sessions[1]))
		expect(all, 2, "r 2", "r 0")
		w.must(w.DeleteSession(t.Context(), user, sessions[2]))
		expect(all, 1, "r 0")
		if contents, total := w.favorites(user+1, all); len(contents) != 0 || total != 0 {
			t.Errorf("a user that is not: %v of %d", contents, total)
		}
	})
}

func TestFavoritesAreFoundByAWord(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		for _, text := range []string{"The FERRY to Capri", "去卡普里岛的渡船", "100% sure_thing", "ferry again"} {
			_, err := w.AddFavorite(t.Context(), user, session, w.say(user, session, "q", text), id.New(), w.tick())
			w.must(err)
		}
		for _, c := range []struct {
			key   string
			page  parley.Page
			total int64
			want  []string
		}{
			{"ferry", parley.Page{Number: 1, Size: 10}, 2, []string{"ferry again", "The FERRY to Capri"}},
			{"ferry", parley.Page{Number: 2, Size: 1}, 2, []string{"The FERRY to Capri"}},
			{"船", parley.Page{Number: 1, Size: 10}, 1, []string{"去卡普里岛的渡船"}},
			{"0% s", parley.Page{Number: 1, Size: 10}, 1, []string{"100% sure_thing"}},
			{"%", parley.Page{Number: 1, Size: 10}, 1, []string{"100% sure_thing"}},
			{"absent", parley.Page{Number: 1, Size: 10}, 0, []string{}},
		} {
			favorites, total, err := w.FindFavorites(t.Context(), user, c.key, c.page)
			w.must(err)
			contents := []string{}
			for _, f := range favorites {
				contents = append(contents, f.Content)
			}
			if !slices.Equal(contents, c.want) || total != c.total {
				t.Errorf("%q: %v of %d", c.key, contents, total)
			}
		}
	})
}
