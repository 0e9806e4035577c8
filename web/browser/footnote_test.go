package browser

import (
	"strings"
	"testing"

	"parley/internal/ai/aitest"
)

func TestFootnotesAndDetailsAreShownAsSuch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	gate, open := gates(1)
	w.model.Script(
		aitest.Text("A fact.[^1]\n\n<details>\n<summary>More **about** it</summary>\n\n- hidden"), aitest.Wait(gate[0]),
		aitest.Text(" item\n\n</details>\n\n[^1]: Its *source*.\n"), aitest.End(),
	)
	b := signedIn(t, w, token, "", 1280)
	b.ask("Tell me")
	// Open while it streams, and not closed by what follows.
	b.until(`document.querySelector(".markdown details li")?.textContent === "hidden"`)
	b.eval(`document.querySelector(".markdown summary").click()`)
	open()
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.until(`document.querySelector(".markdown details[open] li")?.innerText === "hidden item"`)
	b.until(`document.querySelector(".markdown .note em")?.textContent === "source"`)
	b.until(`document.querySelector(".markdown .note-reference button")?.textContent === "1"`)
	if text := value[string](b, `document.querySelector(".markdown").innerText`); strings.ContainsAny(text, "[]<>^*") {
		t.Errorf("marks are shown: %q", text)
	}
	b.checkQuiet(w.url)
}
