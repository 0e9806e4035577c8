package browser

import (
	"testing"

	"parley"
)

// TestAPromptIsKeptAndUsed adds a prompt in the settings and takes it in a chat, by the keys.
func TestAPromptIsKeptAndUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "#/", 1280)
	b.write("#composer", "/")
	b.shows("Add a prompt…")
	b.enter()
	b.shows("You have no prompts yet.")
	b.press("New prompt…")
	b.write(`dialog input[name="prompt-name"]`, "Translate")
	b.write(`dialog textarea[name="prompt-text"]`, "Into {{language}}: {{text}}")
	b.eval(`document.querySelector("dialog form").requestSubmit()`)
	b.until(button("Delete the prompt “Translate”"))
	mine := w.api.WithToken(token)
	for _, name := range []string{"Summarize", "Explain"} {
		if _, err := mine.CreatePrompt(t.Context(), parley.PromptInput{Name: name, Text: name + " this."}); err != nil {
			t.Fatal(err)
		}
	}

	b.eval(`location.hash = "#/"`)
	b.write("#composer", "/")
	b.until(`document.querySelectorAll('[role="option"]').length === 4 &&
		document.querySelector("#composer").getAttribute("aria-expanded") === "true"`)
	b.write("#composer", "sum")
	b.until(`document.querySelectorAll('[role="option"]').length === 1`)
	b.escape()
	b.until(`!document.querySelector('[role="option"]')`)
	b.composerHas("/sum")

	b.fill("#composer", "")
	b.write("#composer", "/")
	b.until(`document.querySelectorAll('[role="option"]').length === 4`)
	b.write("#composer", "trans")
	b.until(`document.querySelectorAll('[role="option"]').length === 1`)
	b.enter()
	b.until(`document.activeElement.closest("dialog[open]") && document.activeElement.tagName === "TEXTAREA"`)
	b.write("dialog label:first-of-type textarea", "Italian")
	b.write("dialog label:nth-of-type(2) textarea", "Which ferry?")
	b.enter()
	b.composerHas("Into Italian: Which ferry?")
	b.until(`document.activeElement.id === "composer"`)
	b.enter()
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.checkQuiet(w.url)
}
