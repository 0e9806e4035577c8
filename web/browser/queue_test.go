package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/internal/ai/aitest"
)

// TestAQuestionWaitsForTheReply asks while replies are written. The questions are sent after a complete reply, or at
// once if the reply is stopped for that, and are a draft again if it fails or the page is reloaded.
func TestAQuestionWaitsForTheReply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	const (
		waits  = `document.body.innerText.includes("Will be sent when the reply is finished")`
		stored = `document.querySelectorAll("article[data-state=stored]").length`
	)
	reply := func() chan struct{} {
		gate := make(chan struct{})
		w.model.Script(aitest.Text("The first word"), aitest.Wait(gate), aitest.Text(" and the last."), aitest.End())
		return gate
	}
	asked := func(b *tab) string {
		return value[string](b, `[...document.querySelectorAll("article.user .text")].map(e => e.innerText).join()`)
	}

	later := func(b *tab, text string) {
		b.write("#composer", text)
		b.press("Send after the reply")
	}

	first := reply()
	b := signedIn(t, w, token, "", 390)
	b.ask("When?")
	b.shows("The first word")
	b.write("#composer", "And back?")
	b.enter()
	b.until(waits + ` && ` + composerText + ` === "" && document.documentElement.scrollWidth <= 390`)
	second := reply()
	close(first)
	b.until(stored + ` >= 2 && document.querySelectorAll("article").length === 4`)
	b.until(`!(` + waits + `)`)

	// It is taken back, and asked again.
	later(b, "And then?")
	b.press("Take back to edit")
	b.composerHas("And then?")
	later(b, " Where?")
	b.until(waits)
	third := reply()
	b.press("Stop the reply and send now")
	b.until(`document.querySelectorAll("article").length === 6 && document.querySelector("article[data-state=stopped]")`)
	close(second)
	if got := asked(b); got != "When?,And back?,And then? Where?" {
		t.Errorf("the questions are %q", got)
	}

	// A reload makes a draft of it.
	later(b, "And why?")
	b.until(waits)
	b.do(chromedp.Reload())
	b.composerHas("And why?")
	b.shows("The first word")
	b.press("Send after the reply")
	b.until(waits)
	b.press("Stop")
	b.shows("your next question was not sent")
	b.composerHas("And why?")
	close(third)
	b.checkQuiet(w.url)
}

// TestALongPasteIsSentWithoutWords pastes a long text, which becomes a file, and sends it as it is.
func TestALongPasteIsSentWithoutWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := signedIn(t, w, w.register(t), "", 390)
	b.until(`document.querySelector("#composer")`)
	paste := func() {
		b.eval(`const list = new DataTransfer()
			list.setData("text/plain", "Boats leave every hour. ".repeat(200))
			document.querySelector("#composer").dispatchEvent(
				new ClipboardEvent("paste", {clipboardData: list, bubbles: true, cancelable: true}))`)
	}
	paste()
	b.until(button("Detach pasted.txt"))
	b.press("Insert as text")
	b.until(composerText + `.length === 4800 && !` + button("Detach pasted.txt"))
	b.eval(`const field = document.querySelector("#composer")
		field.value = ""
		field.dispatchEvent(new Event("input", {bubbles: true}))`)
	paste()
	b.until(button("Detach pasted.txt"))
	b.press("Send")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.until(`document.querySelector("article.user .text").innerText === "What is in this file?"`)
	b.until(`document.querySelector("article.user .attached")?.innerText.includes("pasted.txt")`)
	b.checkQuiet(w.url)
}

// TestTheListFollowsAFieldThatGrows types a question of several lines below a reply that fills the screen. The list of
// messages stays at its end.
func TestTheListFollowsAFieldThatGrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.model.Respond(func(aitest.Request) []aitest.Step {
		return aitest.Say(strings.Repeat("Boats leave every hour. ", 200))
	})
	token := w.register(t)
	session := w.talk(t, "Capri", "When?")
	b := signedIn(t, w, token, "#/chat/"+session, 390)
	const below = `(list => list.scrollHeight - list.scrollTop - list.clientHeight)(document.querySelector("[role=log]"))`
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2 && ` + below + ` < 2`)
	b.write("#composer", strings.Repeat("a long question ", 6))
	b.until(`document.querySelector("#composer").clientHeight > 80 && ` + below + ` < 2`)
	if value[bool](b, button("Jump to the latest message")+` !== undefined`) {
		t.Error("the list has left its end")
	}
	b.checkQuiet(w.url)
}
