package browser

import (
	"testing"

	"parley"
)

// TestAReplyIsRated presses the thumb of a reply, and takes the rating back after a reload.
func TestAReplyIsRated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Which ferry?")
	rated := func(want int64) {
		t.Helper()
		messages, err := w.api.Messages(t.Context(), session, parley.Page{})
		if err != nil || messages.Messages[1].Rating != want {
			t.Errorf("the rating is %d, want %d (%v)", messages.Messages[1].Rating, want, err)
		}
	}
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	settled := func(pressed string) {
		t.Helper()
		b.until(button("Good reply") + `.getAttribute("aria-pressed") === "` + pressed + `"`)
	}
	settled("false")
	b.eval(`window.answered = 0
		window.fetch = (real => (url, options) => real(url, options).finally(() => window.answered++))(window.fetch)`)
	b.press("Good reply")
	settled("true")
	b.until(`window.answered > 0`)
	rated(1)
	b.reload()
	settled("true")
	b.eval(`window.answered = 0
		window.fetch = (real => (url, options) => real(url, options).finally(() => window.answered++))(window.fetch)`)
	b.press("Good reply")
	settled("false")
	b.until(`window.answered > 0`)
	rated(0)
	b.checkQuiet(w.url)
}
