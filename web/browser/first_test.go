package browser

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestTheComposerMovesDownWithTheFirstMessage starts in the middle of the page.
func TestTheComposerMovesDownWithTheFirstMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	for _, motion := range []string{"no-preference", "reduce"} {
		b := signedIn(t, w, token, "#/", 1280)
		media := emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: motion}},
		}
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		b.until(`document.querySelector(".starters button")`)
		const place = `document.querySelector("form .box").getBoundingClientRect()`
		if !value[bool](b, `(({ top, bottom }) => top > innerHeight * 0.25 && bottom < innerHeight * 0.75)(`+place+`)`) {
			t.Error("the composer of an empty chat is not in the middle")
		}
		b.eval(`window.slides = 0
			Element.prototype.animate = (run => function (...args) {
				window.slides++
				return run.apply(this, args)
			})(Element.prototype.animate)`)
		b.ask("Hello")
		b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
		b.until(`innerHeight - ` + place + `.bottom < 60`)
		want := map[string]int{"no-preference": 1, "reduce": 0}[motion]
		if slides := value[int](b, `window.slides`); slides != want {
			t.Errorf("with the preference %s the composer slides %d times, want %d", motion, slides, want)
		}
		b.checkQuiet(w.url)
	}
}

// TestWithoutAModelThePageSaysWhatCanBeDone uses the built-in model.
func TestWithoutAModelThePageSaysWhatCanBeDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "PARLEY_AI_BASE_URL=builtin")
	token := w.register(t)
	b := signedIn(t, w, token, "#/", 1280)
	b.shows("No model is connected yet.")
	b.shows("Whoever administers this server connects one")
	b.until(button("Add a document"))
	if value[bool](b, `document.body.innerText.includes("hash table")`) {
		t.Error("the page suggests a question that the built-in model can't answer")
	}
	for _, problem := range problems(b) {
		t.Error(problem)
	}
	b.eval(`
		const list = new DataTransfer()
		list.items.add(new File(["The last ferry leaves Capri at 19:10. Bring a ticket."], "ferries.md"))
		document.querySelector("#composer").dispatchEvent(
			new ClipboardEvent("paste", {clipboardData: list, bubbles: true}))`)
	b.press("Summarize the document")
	b.press("Send")
	b.until(`document.querySelector(".assistant")?.innerText.includes("19:10")`)
	b.checkQuiet(w.url)
}
