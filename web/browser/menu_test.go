package browser

import (
	"testing"

	"github.com/chromedp/cdproto/input"
)

func TestAMenuIsUsedFromTheKeyboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(button("More actions"))
	b.eval(button("More actions") + `.focus()`)
	b.enter()
	at := func(name string) {
		t.Helper()
		b.until(`document.activeElement.textContent.trim() === ` + quoted(name))
	}
	at("Rename")
	b.key(input.DispatchKeyEventParams{Key: "End", Code: "End", WindowsVirtualKeyCode: 35})
	at("Delete")
	b.key(input.DispatchKeyEventParams{Key: "Home", Code: "Home", WindowsVirtualKeyCode: 36})
	at("Rename")
	b.key(input.DispatchKeyEventParams{Key: "c", Code: "KeyC", Text: "c", WindowsVirtualKeyCode: 67})
	at("Clear messages")
	b.escape()
	b.until(`!document.querySelector(":popover-open") && document.activeElement === ` + button("More actions"))
	b.checkQuiet(w.url)
}
