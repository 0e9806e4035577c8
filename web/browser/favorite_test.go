package browser

import (
	"fmt"
	"slices"
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

func TestNoFavoriteIsSkippedAfterARemoval(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Respond(func(r aitest.Request) []aitest.Step { return aitest.Say("Answer to " + r.Question()) })
	questions := make([]string, 11)
	for i := range questions {
		questions[i] = fmt.Sprintf("Question %d.", i+1)
	}
	session := w.talk(t, "Long", questions...)
	messages, err := w.api.Messages(t.Context(), session, parley.Page{Number: 1, Size: 50})
	if err != nil {
		t.Fatal(err)
	}
	var want []string // newest first
	for _, m := range messages.Messages {
		w.favorite(t, session, m.ID)
		want = slices.Insert(want, 0, m.Content)
	}

	b := signedIn(t, w, token, "#/favorites", 1280)
	b.until(`document.querySelectorAll("section li").length === 20`)
	b.eval(`document.querySelectorAll("section li")[2].querySelector("button").click()`)
	b.until(`document.querySelectorAll("section li").length === 19`)
	b.press("Load more")
	b.until(`!` + button("Load more"))
	got := value[[]string](b, `[...document.querySelectorAll("section li .excerpt")].map(e => e.innerText.trim())`)
	if want = slices.Delete(want, 2, 3); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	b.checkQuiet(w.url)
}
