package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
)

func TestFavorites(t *testing.T) {
	shared(t, []part{
		{"favorites come newest first", favoritesComeNewestFirst},
		{"adding a favorite again changes nothing", addingAFavoriteAgainChangesNothing},
		{"favorite inputs", favoriteInputs},
		{"favorites with a word", favoritesWithAWord},
	})
}

// favorites reads a page of the favorites.
func (w *world) favorites(c *client.Client, keyword string, page parley.Page) parley.FavoritesOutput {
	w.Helper()
	out, err := c.Favorites(w.Context(), keyword, page)
	w.must(err)
	return out
}

func favoritesComeNewestFirst(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "")
	var ids []string
	for i := range 12 {
		sent := w.say(ada, session, fmt.Sprintf("Question %d", i))
		ids = append(ids, sent.UserMessageID, sent.AIResponse.ID)
	}
	w.must(ada.RenameSession(ctx, session, parley.RenameSessionInput{Title: "Holiday plans"}))
	marked := map[string]string{}
	for i := len(ids) - 1; i >= 0; i-- { // in reverse order of the messages
		w.clock.forward(time.Millisecond)
		added, err := ada.AddFavorite(ctx, parley.AddFavoriteInput{MessageID: ids[i], SessionID: session})
		w.must(err)
		marked[ids[i]] = added.FavoriteID
	}
	for _, test := range []struct {
		query       string
		first, size int
	}{
		{"", 0, 20},
		{"?page=2", 20, 4},
		{"?page=3", 0, 0},
		{"?page_size=5&page=2", 5, 5},
		{"?page_size=1000", 0, 24},
		{"?page=9223372036854775807", 0, 0},
	} {
		var out parley.FavoritesOutput
		w.request("GET", "/api/favorites/list"+test.query, "", as(ada)).body(w, &out)
		if len(out.Favorites) != test.size || out.Total != 24 {
			w.Errorf("%q: got %d of %d, want %d of 24", test.query, len(out.Favorites), out.Total, test.size)
		}
		for i, f := range out.Favorites {
			n := test.first + i
			want := parley.Favorite{
				ID: marked[ids[n]], MessageID: ids[n], SessionTitle: "Holiday plans", SessionID: session, Number: int64(n + 1),
				Content: fmt.Sprintf("Question %d", n/2), CreatedAt: f.CreatedAt,
			}
			if n%2 == 1 {
				want.Content = "You said: " + want.Content
			}
			if f != want {
				w.Errorf("%q: entry %d is %+v, want %+v", test.query, i, f, want)
			}
		}
	}
	for i, m := range w.messages(ada, session) {
		if !m.IsFavorited {
			w.Errorf("message %d does not say that it is a favorite", i)
		}
	}
	w.must(ada.ClearSession(ctx, session))
	if list := w.favorites(ada, "", parley.Page{}); list.Total != 0 || len(list.Favorites) != 0 {
		w.Errorf("after clear: %+v", list)
	}
}

func addingAFavoriteAgainChangesNothing(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "")
	sent := w.say(ada, session, "A question")
	mark := parley.AddFavoriteInput{MessageID: sent.AIResponse.ID, SessionID: session}
	first, err := ada.AddFavorite(ctx, mark)
	w.must(err)
	before := w.favorites(ada, "", parley.Page{})
	w.clock.forward(time.Hour)
	again, err := ada.AddFavorite(ctx, mark)
	w.must(err)
	after := w.favorites(ada, "", parley.Page{})
	if again != first || fmt.Sprint(after) != fmt.Sprint(before) || after.Total != 1 {
		w.Errorf("got %+v and %+v, want %+v and %+v", again, after, first, before)
	}
	w.must(ada.RemoveFavorite(ctx, sent.AIResponse.ID))
	w.wants(ada.RemoveFavorite(ctx, sent.AIResponse.ID), parley.CodeNoSuchFavorite, 404)
	if list := w.favorites(ada, "", parley.Page{}); list.Total != 0 || w.messages(ada, session)[1].IsFavorited {
		w.Errorf("after remove: %+v", list)
	}
	anew, err := ada.AddFavorite(ctx, mark)
	w.must(err)
	if anew == first {
		w.Error("a favorite that was removed came back")
	}
}

func favoriteInputs(w *world) {
	ada := w.user("ada")
	session, other := w.session(ada, ""), w.session(ada, "")
	sent := w.say(ada, session, "A question")
	const unknown = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"
	message, endless := sent.AIResponse.ID, strings.Repeat("x", 100_000)
	add := func(session, message string) string {
		return fmt.Sprintf(`{"session_id":%q,"message_id":%q}`, session, message)
	}
	const path, remove = "/api/favorites/add", "/api/favorites/remove"
	w.play(ada, []scenario{
		{
			name: "no message", path: path, body: `{"session_id":"` + session + `"}`, status: 400, code: 1001,
			says: "message_id is required",
		},
		{
			name: "no session", path: path, body: `{"message_id":"` + message + `"}`, status: 400, code: 1001,
			says: "session_id is required",
		},
		{name: "an unknown session", path: path, body: add(unknown, message), status: 404, code: 2001},
		{name: "a malformed session", path: path, body: add("x", message), status: 404, code: 2001},
		{name: "an endless session", path: path, body: add(endless, message), status: 404, code: 2001},
		{name: "an unknown message", path: path, body: add(session, unknown), status: 404, code: 3001},
		{name: "a malformed message", path: path, body: add(session, "x"), status: 404, code: 3001},
		{name: "an endless message", path: path, body: add(session, endless), status: 404, code: 3001},
		{name: "a message of another session", path: path, body: add(other, message), status: 404, code: 3001},
		{name: "a session for a message", path: path, body: add(session, session), status: 404, code: 3001},

		{
			name: "remove what is no favorite", method: "DELETE", path: remove + "?message_id=" + message, status: 404,
			code: 3002,
		},
		{
			name: "remove an unknown message", method: "DELETE", path: remove + "?message_id=" + unknown, status: 404,
			code: 3002,
		},
		{
			name: "remove an endless message", method: "DELETE", path: remove, body: `{"message_id":"` + endless + `"}`,
			status: 404, code: 3002,
		},
		{name: "remove nothing", method: "DELETE", path: remove, status: 400, code: 1001, says: "message_id is required"},
		{
			name: "remove null", method: "DELETE", path: remove, body: `{"message_id":null}`, status: 400, code: 1001,
			says: "message_id is required",
		},

		{name: "add", path: path, body: add(session, message), status: 200},
		{name: "query and body differ", method: "DELETE", path: remove + "?message_id=" + message, body: `{"message_id":"` +
			sent.UserMessageID + `"}`, status: 400, code: 1001, says: "message_id differs"},
		{name: "remove by the query", method: "DELETE", path: remove + "?message_id=" + message, status: 200},
		{name: "add again", path: path, body: add(session, message), status: 200},
		{name: "remove by the body", method: "DELETE", path: remove, body: `{"message_id":"` + message + `"}`, status: 200},
		{name: "add a third time", path: path, body: add(session, message), status: 200},
		{name: "remove by both", method: "DELETE", path: remove + "?message_id=" + message, body: `{"message_id":"` +
			message + `"}`, status: 200},
		{
			name: "it is gone", method: "DELETE", path: remove, body: `{"message_id":"` + message + `"}`, status: 404,
			code: 3002,
		},
	})
}

func favoritesWithAWord(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "ferries") // a search ignores the title
	for _, text := range []string{"The FERRY at nine", "a train", "100% 渡船", "another ferry"} {
		sent := w.say(ada, session, text)
		_, err := ada.AddFavorite(ctx, parley.AddFavoriteInput{MessageID: sent.UserMessageID, SessionID: session})
		w.must(err)
	}
	for keyword, want := range map[string]int64{
		"ferry": 2, "Ferry": 2, "船": 1, "%": 1, "_": 0, "ferries": 0, " ": 4,
		"\t\u3000": 4, "a": 3,
	} {
		list := w.favorites(ada, keyword, parley.Page{})
		if list.Total != want || int64(len(list.Favorites)) != want {
			w.Errorf("%q: got %d of %d, want %d", keyword, len(list.Favorites), list.Total, want)
		}
	}
	second := w.favorites(ada, "ferry", parley.Page{Number: 2, Size: 1})
	if second.Total != 2 || len(second.Favorites) != 1 || !strings.HasPrefix(second.Favorites[0].Content, "The FERRY") {
		w.Errorf("got %+v", second)
	}
}
