package browser

import (
	"testing"

	"parley/internal/ai/aitest"
	"parley/internal/extract/history/historytest"
)

// TestTheJourneyOfAConversation does in one go what a user does with a conversation.
func TestTheJourneyOfAConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "#/", 1280)
	b.until(`document.querySelector("#composer")`)
	b.ask("Which ferry?")
	b.line("Which ferry?", "You said: Which ferry?")

	// Edit, and switch between the versions.
	b.edit(1, "Which hydrofoil?")
	b.line("Which hydrofoil?", "You said: Which hydrofoil?")
	b.press("Previous version")
	b.line("Which ferry?", "You said: Which ferry?")
	b.press("Next version")
	b.line("Which hydrofoil?", "You said: Which hydrofoil?")

	// Continue a reply that the model has not finished.
	w.model.Script(aitest.Text("It leaves "), aitest.Cut())
	b.ask("When?")
	b.replyHas("interrupted", "It leaves")
	w.model.Script(aitest.Say("at nine.")...)
	b.press("Continue")
	b.replyHas("stored", "It leaves at nine.")

	// Find it from a new chat.
	b.press("New chat")
	b.until(`location.hash === "#/"`)
	b.control("k")
	b.write("#palette", "at nine")
	b.until(`document.querySelector("dialog [role=group] mark")?.textContent === "at nine"`)
	b.eval(`document.querySelector("dialog [role=group] .item").click()`)
	b.until(`document.querySelector("article.highlighted")?.innerText.includes("at nine")`)

	// Share it. Another browser reads the shown version without a login.
	b.press("More actions")
	b.press("Share…")
	b.press("Create link")
	b.until(`document.querySelector("dialog[open] input[readonly]")`)
	reader := open(t, value[string](b, `document.querySelector("dialog[open] input[readonly]").value`), 390)
	reader.shows("Which hydrofoil?")
	reader.shows("It leaves at nine.")
	if value[bool](reader, `document.querySelector("article").innerText.includes("Which ferry?")`) {
		t.Error("the share has the other version")
	}
	b.press("Close")

	// Import a file, and open what came with it.
	b.eval(`location.hash = "#/settings/import"`)
	b.chooseFile("export.zip", historytest.ChatGPTZip(historytest.Numbered(1, 1)))
	b.shows("1 chat · 2 messages")
	b.until(`[...document.querySelectorAll("a")].some(a => a.textContent.includes("Chat 1"))`)
	b.eval(`[...document.querySelectorAll("a")].find(a => a.textContent.includes("Chat 1")).click()`)
	b.line("question 0 of chat 1", "reply 0 of chat 1")
	reader.checkQuiet(w.url)
	b.checkQuiet(w.url)
}
