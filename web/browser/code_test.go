package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"

	"parley/internal/ai/aitest"
)

// fakeVoices gives the page a voice, which headless browsers lack. It reads the first part of a text without end.
const fakeVoices = `window.spoken = []
	const voice = (lang) => ({lang, name: lang, default: false, localService: true, voiceURI: lang})
	Object.defineProperty(window, "speechSynthesis", {value: {
		getVoices: () => [voice("zh-CN"), voice("en-US")],
		addEventListener() {},
		speak: ({text, voice}) => window.spoken.push(voice.lang + ": " + text),
		cancel: () => window.spoken.push("cancel"),
	}})
	window.SpeechSynthesisUtterance = function (text) { this.text = text }`

// TestCodeIsWrappedAndSavedAndTheRestReadAloud uses the buttons of a block of code, and reads its reply aloud.
func TestCodeIsWrappedAndSavedAndTheRestReadAloud(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.model.Respond(func(aitest.Request) []aitest.Step {
		return aitest.Say("Run **this**:\n\n```python\nprint(\"" + strings.Repeat("ferry ", 60) + "\")\n```\n")
	})
	token := w.register(t)
	session := w.talk(t, "Code", "How?")
	b := signedIn(t, w, token, "", 390)
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: fakeVoices})
	b.eval(`location.hash = ` + quoted("#/chat/"+session))
	b.reload()
	const (
		wide    = `(pre => pre.scrollWidth > pre.clientWidth)(document.querySelector(".code-frame pre"))`
		pressed = `document.querySelector("[data-wrap-code]").ariaPressed`
	)
	b.until(wide + ` && ` + pressed + ` === "false"`)
	b.press("Wrap lines")
	b.until(`!` + wide + ` && ` + pressed + ` === "true" && document.documentElement.scrollWidth <= 390`)
	b.reload()
	b.until(`!` + wide + ` && ` + pressed + ` === "true"`)

	b.eval(`window.saved = []
		HTMLAnchorElement.prototype.click = function () { window.saved.push(this.download) }
		URL.createObjectURL = (blob) => void blob.text().then((text) => window.saved.push(text)) || "#"`)
	b.eval(`document.querySelector("[data-download-code]").click()`)
	b.until(`window.saved[0] === "code.py" && window.saved[1]?.startsWith('print("ferry ferry')`)

	b.press("Read aloud")
	b.until(button("Stop reading") + ` && window.spoken.join() === "en-US: Run this:"`)
	b.press("Stop reading")
	b.until(button("Read aloud") + ` && window.spoken.at(-1) === "cancel"`)
	b.press("Read aloud")
	b.eval(`location.hash = "#/"`)
	b.until(`window.spoken.length === 4 && window.spoken.at(-1) === "cancel"`)
	b.checkQuiet(w.url)
}

// TestNothingIsReadAloudWithoutVoices opens a reply in a browser that has no voices.
func TestNothingIsReadAloudWithoutVoices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Voices", "How?")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(button("Regenerate"))
	if value[bool](b, button("Read aloud")+` !== undefined`) {
		t.Error("a reply can be read aloud, but by no voice")
	}
	b.checkQuiet(w.url)
}
