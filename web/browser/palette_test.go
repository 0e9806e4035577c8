package browser

import (
	"testing"

	"github.com/chromedp/cdproto/input"

	"parley"
)

func TestThePaletteFindsChatsAndCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.talk(t, "Notes", "Nothing here")
	session := w.talk(t, "Ferries", "The hydrofoil to Capri")
	b := signedIn(t, w, token, "#/", 1280)
	b.until(`document.querySelectorAll("nav li").length === 2`)

	// It lists the latest chats first, and a word in the text finds its messages:
	// the question and the reply that repeats it.
	b.control("k")
	const options = `[...document.querySelectorAll("[role=option] .label")].map(e => e.textContent.trim())`
	b.until(options + `.slice(0, 2).join() === "Ferries,Notes"`)
	b.write("#palette", "HYDROFOIL")
	b.until(options + `.join() === "Ferries,Ferries"`)
	b.until(`document.querySelector("[role=option] mark").textContent === "hydrofoil"`)
	b.enter()
	b.until(`location.hash.startsWith(` + quoted("#/chat/"+session+"?message=") + `) && !document.querySelector("dialog")`)

	// A hit says if its chat is archived.
	archived := true
	if err := w.api.UpdateSession(t.Context(), session, parley.UpdateSessionInput{Archived: &archived}); err != nil {
		t.Fatal(err)
	}
	const hints = `[...document.querySelectorAll("[role=option] .hint")].map(e => e.textContent)`
	b.control("k")
	b.write("#palette", "Ferries")
	b.until(options + `.join() === "Ferries" && ` + hints + `[0].startsWith("Archived · ")`)
	b.control("k")
	b.until(`!document.querySelector("dialog")`)
	b.control("k")
	b.write("#palette", "Notes")
	b.until(options + `[0] === "Notes" && !` + hints + `[0].includes("Archived")`)
	b.control("k")
	b.until(`!document.querySelector("dialog")`)

	// A command, chosen with the arrow keys.
	b.control("k")
	b.write("#palette", "theme")
	b.until(options + `.join() === "Use the dark theme"`)
	b.key(input.DispatchKeyEventParams{Key: "ArrowDown", Code: "ArrowDown", WindowsVirtualKeyCode: 40})
	b.until(`document.activeElement.getAttribute("aria-activedescendant") ===
		document.querySelector("[aria-selected=true]").id`)
	b.enter()
	b.until(`document.documentElement.dataset.theme === "dark" && !document.querySelector("dialog")`)

	// The same key closes it, and the focus returns.
	b.eval(`document.querySelector("#composer").focus()`)
	b.control("k")
	b.until(`document.activeElement.id === "palette"`)
	b.control("k")
	b.until(`!document.querySelector("dialog") && document.activeElement.id === "composer"`)
	b.checkQuiet(w.url)
}
