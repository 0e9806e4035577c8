package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/internal/ai/aitest"
)

// TestEscStopsTheReplyOnlyFromTheConversation presses Esc in other places while a reply is
// being written.
func TestEscStopsTheReplyOnlyFromTheConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Script(aitest.Text("One moment"), aitest.Hang())
	b := signedIn(t, w, token, "#/", 1280)
	b.until(`document.querySelector("#composer")`)
	b.ask("Tell me more")
	b.shows("One moment")

	// In the search field it closes the palette.
	b.control("k")
	b.write("#palette", "more")
	b.escape()
	b.until(`!document.querySelector("dialog")`)
	// In a menu it closes the menu.
	b.press("More actions")
	b.until(`document.querySelector(":popover-open")`)
	b.escape()
	b.until(`!document.querySelector(":popover-open")`)
	// In the title it keeps the old title.
	b.press("More actions")
	b.press("Rename")
	b.write(`input[aria-label="Title"]`, "Another")
	b.escape()
	b.until(`!document.querySelector('input[aria-label="Title"]')`)
	b.until(button("Stop"))
	if value[bool](b, `!!document.querySelector("article[data-state=stopped]")`) {
		t.Error("the reply was stopped")
	}

	b.eval(`document.querySelector("#composer").focus()`)
	b.escape()
	b.until(`document.querySelector("article[data-state=stopped]")`)
	b.checkQuiet(w.url)
}

// TestEnterBeginsALineOnATouchScreen presses Enter on an emulated phone. Its keyboard has no other way to begin a line.
func TestEnterBeginsALineOnATouchScreen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "#/", 390)
	b.do(chromedp.EmulateViewport(390, 800, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.until(`document.querySelector("#composer") && matchMedia("(hover: none) and (pointer: coarse)").matches`)
	b.write("#composer", "First")
	b.enter()
	b.until(`document.querySelector("#composer").value === "First\n"`)
	b.press("Send")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.checkQuiet(w.url)
}

// TestTheEnterOfAnInputMethodDoesNotSend presses Enter as Safari reports it at the end of a composition.
func TestTheEnterOfAnInputMethodDoesNotSend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "#/", 1280)
	b.write("#composer", "去 Capri")
	for _, event := range []string{`keyCode: 229`, `isComposing: true`} {
		b.eval(`document.querySelector("#composer").dispatchEvent(
			new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true, ` + event + `}))`)
	}
	b.composerHas("去 Capri")
	b.enter()
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.checkQuiet(w.url)
}

// TestTouchTargetsAreLargeEnough measures the buttons of the frame on an emulated phone.
func TestTouchTargetsAreLargeEnough(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/chat/"+session, 390)
	b.do(chromedp.EmulateViewport(390, 800, chromedp.EmulateMobile, chromedp.EmulateTouch))
	const small = `[...document.querySelectorAll("%s")].filter(e => e.checkVisibility())
		.filter(e => e.offsetHeight < 44 || e.offsetWidth < 44).map(e => e.outerHTML.slice(0, 120))`
	check := func(places string) {
		t.Helper()
		for _, target := range value[[]string](b, fmt.Sprintf(small, places)) {
			t.Errorf("smaller than 44 px: %s", target)
		}
	}
	b.until(button("More actions"))
	check("header button, header a")
	b.press("More actions")
	b.until(`document.querySelector(":popover-open")`)
	check(":popover-open button")
	b.escape()
	b.press("Open the sidebar")
	b.until(`document.querySelector("nav li")`)
	check("nav header button, nav .line, nav li a, nav li button, nav footer button")
	b.eval(`location.hash = "#/settings"`)
	b.until(button("Change password"))
	check("main header button, fieldset label, form button, #settings-account button")
	// A switch keeps its form within its target.
	if height := value[int](b, `document.querySelector("#settings-notices [role=switch] i").offsetHeight`); height != 26 {
		t.Errorf("the switch is %d px high", height)
	}
}
