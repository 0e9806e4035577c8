package browser

import (
	"strings"
	"testing"

	"parley/internal/ai/aitest"
)

func TestTheTitleOfTheModelIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "PARLEY_TITLES=model")
	w.model.Respond(func(r aitest.Request) []aitest.Step {
		if strings.HasPrefix(r.System(), "You name conversations.") {
			return aitest.Say("Island ferries")
		}
		return aitest.Say("The fast one.")
	})
	b := signedIn(t, w, w.register(t), "#/", 1280)
	b.write("#composer", "which boat goes to capri?")
	b.press("Send")
	b.shows("The fast one.")
	b.until(`document.querySelector("main h1").innerText === "Island ferries"`)
	b.until(`document.querySelector("nav li").innerText.includes("Island ferries")`)
	b.checkQuiet(w.url)
}
