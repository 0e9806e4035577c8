package browser

import (
	"testing"

	"github.com/chromedp/cdproto/input"
)

// choose opens the menu of the account and presses one of its items.
func (b *tab) choose(item string) {
	b.Helper()
	b.until(`document.querySelector("nav .user")`)
	b.eval(`document.querySelector("nav .user").click()`)
	b.press(item)
}

// TestTheMenuOfTheAccount is used from the keyboard, and in the drawer of a narrow screen.
func TestTheMenuOfTheAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := signedIn(t, w, w.register(t), "#/", 1440)
	b.until(`document.querySelector("nav .user")?.textContent.includes("Ada")`)
	b.eval(`document.querySelector("nav .user").focus()`)
	b.enter()
	at := func(name string) {
		t.Helper()
		b.until(`document.activeElement.textContent.trim() === ` + quoted(name))
	}
	at("Settings")
	if items := value[string](b, `[...document.querySelectorAll(":popover-open [role=menuitem]")]
		.map(e => e.textContent.trim()).join()`); items !=
		"Settings,Archived chats,Keyboard shortcuts,API reference,Log out" {
		t.Errorf("the menu has %s", items)
	}
	b.key(input.DispatchKeyEventParams{Key: "ArrowDown", Code: "ArrowDown", WindowsVirtualKeyCode: 40})
	at("Archived chats")
	b.enter()
	b.until(`document.querySelector("main h1")?.innerText === "Archived chats"`)

	b.resize(390)
	b.press("Open the sidebar")
	b.choose("Settings")
	b.until(`location.hash === "#/settings" && !document.querySelector("nav .user")`)
	b.until(`document.activeElement.id === "main"`)
	b.press("Open the sidebar")
	b.choose("Keyboard shortcuts")
	b.until(`document.querySelector("dialog[open]")`)
	b.escape()
	b.choose("Log out")
	b.shows("Welcome back")
	b.checkQuiet(w.url)
}
