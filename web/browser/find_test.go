package browser

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/ai/aitest"
)

// TestTheWayToAFoundMessage looks for a word in the middle of a long chat, from another chat
// and from within.
func TestTheWayToAFoundMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Respond(func(r aitest.Request) []aitest.Step {
		if r.Question() == "Question 149." {
			return aitest.Say("Here is the code:\n\n```go\n// Question 149.\n```")
		}
		return aitest.Say("Answer to " + r.Question())
	})
	questions := make([]string, 150)
	for i := range questions {
		questions[i] = fmt.Sprintf("Question %d.", i+1)
	}
	questions[69] = strings.Repeat("A line of a long question.\n", 40) + "Where is the **Hydrofoil**?"
	long := w.talk(t, "Long", questions...)
	other := w.talk(t, "Notes", "Nothing here")
	if _, err := w.api.Upload(t.Context(), other, "timetable.txt", strings.NewReader("The hydrofoil: 09:00")); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/chat/"+other, 1280)
	b.shows("Nothing here")

	// It is found in another chat and in a file, with the word marked.
	b.control("k")
	b.write("#palette", "hydroFOIL")
	const groups = `[...document.querySelectorAll("dialog [role=group]")].map(e =>
		e.getAttribute("aria-label") + ":" + [...e.querySelectorAll("mark")].map(m => m.textContent)).join()`
	b.until(groups + ` === "Messages:Hydrofoil,Hydrofoil,Files:hydrofoil"`)
	b.until(`document.querySelector("dialog .snippet").textContent.includes("Where is the Hydrofoil?")`)

	// The second one is the question. It is unfolded, in sight and marked.
	b.eval(`document.querySelectorAll("dialog [role=group] .item")[1].click()`)
	const marked = `[...(CSS.highlights.get("found") ?? [])].map(range =>
		range.startContainer.parentElement.closest("article").dataset.number + ":" + range).join()`
	b.until(marked + ` === "139:Hydrofoil"`)
	b.until(`(() => {
		const { top, bottom } = [...CSS.highlights.get("found")][0].getBoundingClientRect()
		const log = document.querySelector("[role=log]").getBoundingClientRect()
		return top > log.top && bottom < log.bottom
	})()`)
	b.until(`location.hash.startsWith(` + quoted("#/chat/"+long+"?message=139") + `)`)

	// Scrolling away and loading more leaves the reader where they are.
	b.until(`(() => {
		document.querySelector("[role=log]").scrollTop -= 400
		return Number(document.querySelector("[data-number]").dataset.number) === 1
	})()`)
	b.until(`document.querySelector('[data-number="139"]').getBoundingClientRect().top > innerHeight`)

	// Within the chat: the first hit is the reply, which is on another page. Its code gets colors
	// and stays marked.
	b.control("k")
	b.write("#palette", "Question 149.")
	b.until(`document.querySelector("dialog [role=group]")?.getAttribute("aria-label") === "In this chat" &&
		document.querySelector("dialog mark")?.textContent === "Question 149."`)
	b.enter()
	b.until(`document.querySelector('[data-number="298"] .hljs-comment')`)
	b.until(marked + ` === "298:Question 149."`)

	// Leaving the place takes the marks away. A word that nothing has says so.
	b.control("k")
	b.write("#palette", "zeppelin")
	b.shows("Nothing has “zeppelin” in its name or text.")
	b.control("k")
	b.eval(`location.hash = ` + quoted("#/chat/"+other))
	b.until(`!CSS.highlights.has("found")`)
	b.checkQuiet(w.url)
}
