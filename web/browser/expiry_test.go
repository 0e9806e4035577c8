package browser

import (
	"testing"
	"time"

	"parley"
)

func TestAChatThatIsDeletedAutomatically(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := signedIn(t, w, w.register(t), "#/", 1280)
	b.press("Delete automatically")
	b.press("Cancel")
	b.press("Delete automatically")
	b.press("Delete after 1 day")
	b.press("Delete automatically")
	b.until(`document.querySelector("dialog [aria-pressed=true]")?.innerText.includes("Delete after 1 day")`)
	b.press("Cancel")
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
	b.press("Delete automatically")
	b.press("Keep the chat")
	b.until(`!document.querySelector("main header").innerText.includes("Deleted ")`)
	b.checkQuiet(w.url)
}

func TestATemporaryChatIsInNoListAndSurvivesAReload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := signedIn(t, w, w.register(t), "#/", 1280)
	b.press("Temporary chat")
	b.shows("It is gone an hour after its last message.")
	b.write("#composer", "Hello")
	b.press("Send")
	b.shows("You said: Hello")
	b.until(`document.querySelector("main header").innerText.includes("Temporary chat")`)
	b.reload()
	b.shows("You said: Hello")
	b.shows("It is gone an hour after its last message.")
	b.until(`document.querySelector("main header").innerText.includes("Temporary chat")`)
	b.until(`!document.querySelector("nav").innerText.includes("Hello")`)
	list, err := w.api.Sessions(t.Context(), "", parley.Page{})
	if err != nil || len(list.Sessions) != 0 {
		t.Errorf("got %+v, %v", list, err)
	}
	b.checkQuiet(w.url)
}
