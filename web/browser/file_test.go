package browser

import (
	"strings"
	"testing"

	"parley/internal/ai/aitest"
)

// TestAFileIsReadPageByPage opens a file from its chip, turns its pages, and finds a passage of it.
func TestAFileIsReadPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "PARLEY_AI_CONTEXT_TOKENS=4000")
	token := w.register(t)
	w.model.Respond(func(aitest.Request) []aitest.Step {
		return aitest.Say("It leaves at nine, says timetable.txt.")
	})
	session := w.talk(t, "Capri")
	text := strings.Repeat("Nothing of note happens in this paragraph of the timetable.\n\n", 800)
	text = text[:30_500] + "\n\nThe hydrofoil to Capri leaves at nine.\n\n" + text[30_500:]
	file, err := w.api.Upload(t.Context(), session, "timetable.txt", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/files/"+file.FileID+"?chat="+session, 390)
	const shown = `document.querySelector("main input[type=number]")?.value`
	b.until(shown + ` === "1" && document.querySelector("main h1").textContent === "timetable.txt"`)
	b.press("Next page")
	b.until(shown + ` === "2" && location.hash.includes("page=2")`)
	b.press("Previous page")
	b.until(shown + ` === "1" && document.documentElement.scrollWidth <= 390`)

	// The reply names the file. Its passage is marked and in sight.
	b.press("Back to the chat")
	b.until(`location.hash === ` + quoted("#/chat/"+session))
	b.ask("When does the hydrofoil to Capri leave?")
	b.until(`document.querySelector("a.file-mention")?.textContent === "timetable.txt"`)
	b.until(`document.querySelector(".sources .passages a") !== null`)
	b.eval(`[...document.querySelectorAll(".sources .passages a")].find(e => e.textContent.includes("hydrofoil")).click()`)
	b.until(`document.querySelector("main mark")?.textContent.includes("The hydrofoil to Capri leaves at nine.")`)
	b.until(`(() => {
		const { top, bottom } = document.querySelector("main mark").getBoundingClientRect()
		return bottom > 0 && top < innerHeight
	})()`)

	// Without the file, the stored passage is left.
	if err := w.api.DeleteFile(t.Context(), file.FileID); err != nil {
		t.Fatal(err)
	}
	b.reload()
	b.until(`document.querySelector("main blockquote")?.textContent.includes("The hydrofoil to Capri")`)
	b.shows("This file has been deleted.")
	b.checkQuiet(w.url)
}

// TestAnInventedQuoteIsUnderlined shows which quote of a reply is not in its file.
func TestAnInventedQuoteIsUnderlined(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Respond(func(aitest.Request) []aitest.Step {
		return aitest.Say("contract.txt says “the tenant pays the **landlord** a deposit”.")
	})
	session := w.talk(t, "Contract")
	text := strings.NewReader("The tenant pays the rent on the third of the month.")
	if _, err := w.api.Upload(t.Context(), session, "contract.txt", text); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/chat/"+session, 390)
	b.ask("What does it say?")
	b.until(`document.querySelector(".doubted li")?.textContent.includes("This quote was not found in contract.txt:")`)
	b.until(`[...(CSS.highlights.get("doubted") ?? [])].join() === "the tenant pays the landlord a deposit"`)
	b.checkQuiet(w.url)
}
