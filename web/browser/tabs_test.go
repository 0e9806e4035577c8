package browser

import (
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

func TestTabsFollowEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	other := b.another(w.url+"/#/chat/"+session, 1280)
	other.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)

	// A draft, and a reply while it is written.
	gate := make(chan struct{})
	w.model.Script(aitest.Text("The first half, "), aitest.Wait(gate), aitest.Text("the second half."), aitest.End())
	b.write("#composer", "Which one?")
	other.composerHas("Which one?")
	b.press("Send")
	other.until(`document.querySelectorAll("article")[2]?.innerText.includes("Which one?")`)
	other.shows("The first half,")
	other.composerHas("")
	close(gate)
	other.shows("The first half, the second half.")
	other.until(`document.querySelectorAll("article[data-state=stored]").length === 4`)

	// A new title, in the list and above the messages.
	b.press("More actions")
	b.press("Rename")
	b.write(`input[aria-label="Title"]`, "Capri in May\r")
	other.until(`document.querySelector("main h1").innerText === "Capri in May"`)
	other.until(`document.querySelector("nav li").innerText.includes("Capri in May")`)

	// What another device does is seen when the user returns to the page.
	if _, err := w.api.Send(t.Context(), parley.SendInput{SessionID: session, Content: "From my phone"}); err != nil {
		t.Fatal(err)
	}
	other.eval(`dispatchEvent(new Event("focus"))`)
	other.until(`document.querySelectorAll("article[data-state=stored]").length === 6`)
	if err := w.api.DeleteSession(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	other.eval(`dispatchEvent(new Event("focus"))`)
	other.shows("This chat does not exist or was deleted.")
	b.checkQuiet(w.url)
	other.checkQuiet(w.url)
}

// TestTabsKeepEachOthersPreferences changes one preference in each of two tabs.
func TestTabsKeepEachOthersPreferences(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "#/settings", 1280)
	other := b.another(w.url+"/#/settings", 1280)
	const dark, chinese = `document.querySelector("input[value=dark]")`, `document.querySelector("input[value=zh]")`
	b.until(dark)
	other.until(chinese)
	b.eval(dark + `.click()`)
	other.until(`document.documentElement.dataset.theme === "dark"`)
	other.eval(chinese + `.click()`)
	for _, tab := range []*tab{b, other} {
		tab.until(`document.documentElement.lang === "zh-CN" && document.documentElement.dataset.theme === "dark"`)
	}
	b.reload()
	b.until(`document.documentElement.lang === "zh-CN" && document.documentElement.dataset.theme === "dark"`)
	b.checkQuiet(w.url)
}

func TestTheOpenSessionNeedsNoList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "The oldest", "Hello")
	for range 45 { // more than a page of the list
		w.talk(t, "Another", "Hello")
	}
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelector("main h1")?.innerText === "The oldest"`)
	b.until(`document.title.startsWith("The oldest")`)
	b.until(`document.querySelectorAll("nav li").length >= 40`)
	if value[bool](b, `document.querySelector("nav").innerText.includes("The oldest")`) {
		t.Fatal("the session is in the list")
	}
	b.press("More actions")
	b.press("Rename")
	b.write(`input[aria-label="Title"]`, "Capri in May\r")
	b.until(`document.querySelector("main h1")?.innerText === "Capri in May"`)

	// One that does not exist has no name and no files.
	b.eval(`location.hash = "#/chat/none"`)
	b.shows("This chat does not exist or was deleted.")
	b.until(`document.querySelector("main h1").innerText === "" && !document.querySelector("main button.files")`)
	b.checkQuiet(w.url)
}
