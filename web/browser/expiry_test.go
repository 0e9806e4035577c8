package browser

import (
	"testing"
	"time"

	"parley"
)

func TestATemporaryChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := signedIn(t, w, w.register(t), "#/", 1280)
	b.press("Temporary chat")
	b.press("Delete after 1 day")
	b.write("#composer", "Hello")
	b.press("Send")
	b.shows("You said: Hello")
	b.until(`document.querySelector("main header").innerText.includes("Deleted ")`)
	list, err := w.api.Sessions(t.Context(), "", parley.Page{})
	if err != nil || len(list.Sessions) != 1 {
		t.Fatalf("got %+v, %v", list, err)
	}
	if left := time.Until(time.Unix(list.Sessions[0].ExpiresAt, 0)); left <= 0 || left > 24*time.Hour {
		t.Errorf("it ends in %v", left)
	}
	b.press("More actions")
	b.press("Temporary chat")
	b.press("Keep the chat")
	b.until(`!document.querySelector("main header").innerText.includes("Deleted ")`)
	b.checkQuiet(w.url)
}
