package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"parley"
	"parley/internal/ai/aitest"
)

// TestAllResultsOfASearch goes from the palette to the page of all results, and from there to a message deep in an
// archived chat and back.
func TestAllResultsOfASearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Respond(func(aitest.Request) []aitest.Step { return aitest.Say("I see.") })
	questions := make([]string, 80)
	for i := range questions {
		questions[i] = fmt.Sprintf("Question %d.", i+1)
	}
	questions[9] = "Where is the **hydrofoil**? The Hydrofoil!"
	long := w.talk(t, "Long", questions...)
	archived := true
	if err := w.api.UpdateSession(t.Context(), long, parley.UpdateSessionInput{Archived: &archived}); err != nil {
		t.Fatal(err)
	}
	for i := range 24 {
		w.talk(t, fmt.Sprintf("Ferry %d", i))
	}
	hydrofoils := w.talk(t, "Hydrofoils", "A hydrofoil", "No hydrofoil", "The hydrofoil", "One hydrofoil")
	upload, err := w.api.Upload(t.Context(), hydrofoils, "timetable.txt", strings.NewReader("The hydrofoil: 09:00"))
	if err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/", 1280)
	b.until(`document.querySelector("#composer")`)

	// The palette says how many there are. Enter on its last item shows all of them.
	b.control("k")
	b.write("#palette", "hydrofoil")
	b.until(`document.querySelector("dialog .all .text")?.textContent === "Show all 7 results"`)
	up := input.DispatchKeyEventParams{Key: "ArrowUp", Code: "ArrowUp", WindowsVirtualKeyCode: 38}
	down := input.DispatchKeyEventParams{Key: "ArrowDown", Code: "ArrowDown", WindowsVirtualKeyCode: 40}
	b.key(up)
	b.enter()
	b.until(`location.hash === "#/search?q=hydrofoil" && !document.querySelector("dialog")`)
	const found = `[...document.querySelectorAll("main h2")].map(e => e.textContent).join()`
	b.until(found + ` === "Hydrofoils,Long"`)
	b.shows("7 results in 2 chats")
	const marks = `[...document.querySelectorAll("main mark")].map(e => e.textContent).join()`
	b.until(marks + ` === "Hydrofoil,hydrofoil,hydrofoil,hydrofoil,Hydrofoil"`)

	// The other hits of a chat, and one kind of them.
	b.press("Show 3 more in “Hydrofoils”")
	b.until(`document.querySelectorAll("main li").length === 6`)
	b.eval(`document.querySelector("main [type=radio][value=files]").click()`)
	b.until(`location.hash === "#/search?q=hydrofoil&in=files" && document.querySelectorAll("main li").length === 1`)
	b.until(`document.querySelector("main li a").getAttribute("href").startsWith("#/files/` + upload.FileID + `?")`)
	b.eval(`document.querySelector("main [type=radio][value=messages]").click()`)
	b.until(`document.querySelectorAll("main li").length === 4`)

	// The arrow keys go to the last hit, and Enter to the message with the word marked.
	b.eval(`document.querySelector("#search").focus()`)
	for range 4 {
		b.key(down)
	}
	b.until(`document.activeElement.textContent.includes("Where is the hydrofoil? The Hydrofoil!")`)
	b.enter()
	b.until(`location.hash.startsWith(` + quoted("#/chat/"+long+"?message=19") + `)`)
	b.until(`[...(CSS.highlights.get("found") ?? [])].map(range =>
		range.startContainer.parentElement.closest("article").dataset.number + ":" + range).join() ===
		"19:hydrofoil,19:Hydrofoil"`)
	b.until(`(() => {
		const { top, bottom } = [...CSS.highlights.get("found")][0].getBoundingClientRect()
		const log = document.querySelector("[role=log]").getBoundingClientRect()
		return top > log.top && bottom < log.bottom
	})()`)

	// The way back leads to the same hit.
	b.eval(`history.back()`)
	b.until(`document.activeElement.textContent.includes("Where is the hydrofoil? The Hydrofoil!")`)

	// Esc clears the field. A list without an end loads more when its end comes near.
	b.resize(390)
	b.eval(`document.querySelector("#search").focus()`)
	b.escape()
	b.until(`location.hash === "#/search?in=messages" && document.querySelector("#search").value === ""`)
	b.eval(`document.querySelector("main [type=radio]").click()`)
	b.until(`location.hash === "#/search"`)
	b.write("#search", "ferry")
	b.until(`document.querySelector("main h2")?.textContent === "Ferry 23"`)
	b.shows("24 results in 24 chats")
	b.until(`(() => {
		document.querySelector("main section").scrollTop = 1e6
		return document.querySelectorAll("main h2").length === 24
	})()`)
	if !value[bool](b, `document.querySelector("main section").scrollWidth <= innerWidth`) {
		t.Error("the page is wider than the screen")
	}
	b.until(`!document.querySelector("main .more")`)
	b.checkQuiet(w.url)
}
