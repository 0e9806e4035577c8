package browser

import "testing"

// TestTheDrawerTakesAndReturnsTheFocus opens the sidebar on a narrow screen.
func TestTheDrawerTakesAndReturnsTheFocus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/", 390)
	const atOpener = `document.activeElement.id === "open-sidebar" && !document.querySelector("nav")`

	for _, closeIt := range []func(){
		b.escape,
		func() { b.press("Close the sidebar") },
		func() { b.eval(`document.querySelector(".veil").click()`) },
	} {
		b.until(button("Open the sidebar"))
		b.eval(`document.querySelector("#open-sidebar").focus()`)
		b.press("Open the sidebar")
		b.until(`document.querySelector("nav").contains(document.activeElement)`)
		b.until(`document.querySelector("main").inert`)
		closeIt()
		b.until(atOpener)
		b.until(`!document.querySelector("main").inert`)
	}

	// After a choice the focus is on the page.
	b.press("Open the sidebar")
	b.until(`document.querySelector("nav li a")`)
	b.eval(`document.querySelector("nav li a").click()`)
	b.until(`document.activeElement.id === "main" && !document.querySelector("nav")`)
	b.checkQuiet(w.url)
}
