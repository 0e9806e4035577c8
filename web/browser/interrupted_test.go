package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/internal/ai/aitest"
)

func TestAnInterruptedReplyStaysOnThePage(t *testing.T) {
	w := newWorld(t)
	token := w.register(t)
	var steps []aitest.Step
	for range 40 {
		steps = append(steps, aitest.Text("word "))
	}
	w.model.Script(append(steps, aitest.Cut())...)
	b := signedIn(t, w, token, "", 1280)
	b.ask("Tell me a story")
	b.shows("This reply was interrupted.")
	want := strings.TrimSpace(strings.Repeat("word ", 40))
	b.until(`document.querySelector(".assistant")?.innerText.includes(` + quoted(want) + `)`)
	b.until(`document.querySelectorAll("[role=alert]").length === 0`)

	// The question is in the composer after a reload, and can be sent.
	b.do(chromedp.Reload())
	b.composerHas("Tell me a story")
	w.model.Script(append(steps, aitest.Cut())...)
	b.press("Send")
	b.shows("This reply was interrupted.")
	w.model.Script(aitest.Say("Once upon a time.")...)
	b.press("Try again")
	b.shows("Once upon a time.")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.until(`document.querySelectorAll("article").length === 2`)
	b.checkQuiet(w.url)
}
