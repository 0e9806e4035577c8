package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/internal/ai/aitest"
)

// TestAnUnknownErrorIsNotTakenForALostConnection breaks what the page needs to send a message.
func TestAnUnknownErrorIsNotTakenForALostConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "#/", 1280)
	b.until(`document.querySelector("#composer")`)
	b.eval(`crypto.getRandomValues = () => { throw new TypeError("broken") }`)
	b.ask("Hello")
	b.shows("Something went wrong on this page.")
	if value[bool](b, `document.body.innerText.includes("can't be reached")`) {
		t.Error("the page says that the server can't be reached")
	}
}

// Browsers withhold some functions from pages that another machine serves without TLS.
func TestThePageWorksOverPlainHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.url = strings.Replace(w.url, "127.0.0.1", plainHost, 1)
	w.model.Respond(func(aitest.Request) []aitest.Step { return aitest.Say("Use this:\n\n```sh\nls -l\n```\n") })
	b := open(t, w.url, 1280)
	b.until(`!isSecureContext && !navigator.clipboard && !crypto.randomUUID`)
	b.press("Create account")
	b.write("input[name=email]", email)
	b.write("input[name=password]", password)
	b.eval(`document.querySelector("form button.primary").click()`)
	b.until(`document.querySelector("#composer")`)
	b.ask("How do I list files?")
	b.until(`document.querySelector("article[data-state=stored] .code-frame")`)

	b.eval(`document.execCommand = (run => (...args) => {
		const text = document.activeElement.value
		const done = run.apply(document, args)
		window.copied = done && text
		return done
	})(document.execCommand)`)
	b.do(chromedp.Click(chromedp.CSS("button[data-copy-code]"))) // a script may not copy without a click
	b.until(`window.copied === "ls -l\n"`)
	b.checkQuiet(w.url)
}
