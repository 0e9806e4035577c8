package browser

import (
	"testing"

	"parley"
)

// inSidebar is whether a chat is listed under a heading of the sidebar.
func inSidebar(heading, title string) string {
	return `[...document.querySelectorAll("nav h2")].some(h => h.textContent === ` + quoted(heading) +
		` && h.nextElementSibling.innerText.includes(` + quoted(title) + `))`
}

// TestChatsArePinnedAndArchived uses the menus of the list and of the chat, in two tabs.
func TestChatsArePinnedAndArchived(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	ferries := w.talk(t, "Ferries", "Hello")
	w.talk(t, "Trains", "Hello")
	b := signedIn(t, w, token, "#/chat/"+ferries, 1280)
	b.until(inSidebar("Today", "Ferries"))
	other := b.another(w.url+"/#/", 1280)
	other.until(inSidebar("Today", "Ferries"))

	b.press("Actions for “Ferries”")
	b.press("Pin")
	b.until(inSidebar("Pinned", "Ferries") + ` && !` + inSidebar("Today", "Ferries"))
	other.until(inSidebar("Pinned", "Ferries"))

	b.press("More actions")
	b.press("Archive")
	b.shows("“Ferries” was archived.")
	b.until(`location.hash === "#/" && !document.querySelector("nav").innerText.includes("Ferries")`)
	other.until(`!document.querySelector("nav").innerText.includes("Ferries")`)
	b.press("Undo")
	b.until(`location.hash === "#/chat/` + ferries + `" && ` + inSidebar("Pinned", "Ferries"))
	other.until(inSidebar("Pinned", "Ferries"))

	b.press("More actions")
	b.press("Unpin")
	b.until(inSidebar("Today", "Ferries"))
	b.press("More actions")
	b.press("Archive")
	b.until(`!document.querySelector("nav").innerText.includes("Ferries")`)

	b.choose("Archived chats")
	b.until(`document.querySelector("main h1")?.innerText === "Archived chats"`)
	b.until(`document.querySelector("main li")?.innerText.includes("Ferries")`)
	b.press("Actions for “Ferries”")
	b.press("Move back to the list")
	b.until(inSidebar("Today", "Ferries") + ` && !document.querySelector("main li")`)
	b.shows("Chats that you archive are kept here")

	// A message brings a chat back.
	if err := w.api.UpdateSession(t.Context(), ferries, parley.UpdateSessionInput{Archived: new(true)}); err != nil {
		t.Fatal(err)
	}
	b.eval(`location.hash = "#/chat/` + ferries + `"`)
	b.until(`document.querySelector("main header").innerText.includes("Archived")`)
	b.ask("Still there?")
	b.until(`!document.querySelector("main header").innerText.includes("Archived")`)
	b.until(inSidebar("Today", "Ferries"))
	b.checkQuiet(w.url)
	other.checkQuiet(w.url)
}

// TestInstructionsAreSetInSettingsAndInAChat sets both, and looks at what the model gets.
func TestInstructionsAreSetInSettingsAndInAChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/settings/instructions", 1280)
	const field, save = `#settings-instructions textarea`, `#settings-instructions button[type=submit]`
	b.until(`document.querySelector(` + quoted(field) + `)`)
	b.shows("0 / 4,000")
	b.write(field, "Call me Ada.")
	b.shows("12 / 4,000")
	b.eval(`document.querySelector(` + quoted(save) + `).click()`)
	b.shows("Saved")
	b.until(`document.querySelector(` + quoted(save) + `).disabled`)

	b.eval(`location.hash = "#/chat/` + session + `"`)
	b.until(button("More actions"))
	b.press("More actions")
	b.press("Instructions")
	b.until(`document.activeElement.matches("dialog[open] textarea")`)
	b.write("dialog textarea", "Use two sentences.")
	b.press("Save")
	b.until(`!document.querySelector("dialog[open]")`)
	b.ask("And now?")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 4`)
	if got := w.model.Last(t).System(); got != "The user's instructions for all conversations:\nCall me Ada.\n\n"+
		"The user's instructions for this conversation:\nUse two sentences." {
		t.Errorf("the model was told %q", got)
	}

	b.press("More actions")
	b.press("Instructions")
	b.until(`document.querySelector("dialog[open] textarea")?.value === "Use two sentences."`)
	b.eval(`(() => {
		const text = document.querySelector("dialog textarea")
		text.value = "🚢".repeat(4001)
		text.dispatchEvent(new Event("input", { bubbles: true }))
	})()`)
	b.shows("4,001 / 4,000")
	b.until(button("Save") + `.disabled`)
	b.checkQuiet(w.url)
}
