package browser

import (
	"testing"

	"parley"
)

func TestAChatIsForkedFromAReply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := signedIn(t, w, w.register(t), "#/", 1280)
	b.ask("First")
	b.shows("You said: First")
	b.ask("Second")
	b.shows("You said: Second")
	b.eval(`window.before = location.hash; document.querySelector("article button[aria-label='Fork from here']").click()`)
	b.until(`location.hash.startsWith("#/c") && location.hash !== window.before`)
	b.until(`document.querySelector("main").innerText.includes("You said: First")`)
	b.until(`!document.querySelector("main").innerText.includes("You said: Second")`)
	b.ask("Third")
	b.shows("You said: Third")
	list, err := w.api.Sessions(t.Context(), "", parley.Page{})
	if err != nil || len(list.Sessions) != 2 || list.Sessions[0].MessageCount != 4 || list.Sessions[1].MessageCount != 4 {
		t.Errorf("got %+v, %v", list, err)
	}
	b.checkQuiet(w.url)
}
