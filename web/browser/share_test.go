package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/ai/aitest"
)

// TestASharedChatIsReadWithoutALogin shares a chat, reads it in another browser and withdraws it.
func TestASharedChatIsReadWithoutALogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	reply := "The **hydrofoil** takes fifty minutes.\n\n```js\nconst a = 1;\n```\n\n$x^2$\n\n"
	w.model.Script(aitest.Say(reply + flowchart)...)
	session := w.talk(t, "Ferries", "How long does it take?")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.press("More actions")
	b.press("Share…")
	b.until(`document.querySelector("dialog[open] select").value === "2592000"`)
	b.press("Create link")
	b.until(`document.querySelector("dialog[open] input[readonly]")`)
	link := value[string](b, `document.querySelector("dialog[open] input[readonly]").value`)
	if !strings.HasPrefix(link, w.url+"/s/") {
		t.Fatalf("the link is %s", link)
	}

	reader := open(t, link, 390)
	reader.shows("The hydrofoil takes fifty minutes.")
	reader.shows("Shared from Parley")
	reader.until(`/\S\s· Available until/.test(document.body.innerText)`)
	reader.until(`document.title === "Ferries · Parley" && document.querySelector("h1").textContent === "Ferries"`)
	reader.until(`document.querySelector(".katex") && document.querySelector(".hljs-keyword")`)
	reader.until(drawing(0) + `?.naturalWidth > 100`)
	if value[bool](reader, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("the page is wider than the screen")
	}
	reader.checkQuiet(w.url)
	for _, request := range reader.requested() {
		path := strings.TrimPrefix(request, w.url)
		if strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/api/share/") {
			t.Errorf("the page requested %s", path)
		}
	}

	b.press("Close")
	b.eval(`location.hash = "#/settings/shares"`)
	b.until(`/\S\s· ends/.test(document.querySelector("#settings-shares").innerText)`)
	b.press("Withdraw the link to “Ferries”")
	b.press("Withdraw")
	b.shows("You have not shared a chat.")
	reader.reload()
	reader.shows("There is nothing here any more")
	b.checkQuiet(w.url)
}

// watchSource is a script that notes whether a frame of the page shows the source of a reply or of a formula.
const watchSource = `window.source = ""
	const look = () => {
		const text = document.querySelector("main")?.innerText ?? ""
		const formula = document.querySelector(".math:not(:has(.katex))")
		if (text.includes("**")) window.source = text
		if (formula?.checkVisibility()) window.source = formula.textContent
		requestAnimationFrame(look)
	}
	look()`

// TestReadersOfAShareSeeNoMarkdown opens a share with a formula and a reply that is so long that it is parsed in the
// background. Strangers did not ask the questions.
func TestReadersOfAShareSeeNoMarkdown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.register(t)
	reply := strings.Repeat("The **hydrofoil** takes fifty minutes.\n\n", 700) + `$\frac{1}{2}$` + "\n\nThe end."
	w.model.Script(aitest.Say(reply)...)
	session := w.talk(t, "Ferries", "How long does it take?")
	share, err := w.api.Share(t.Context(), session, parley.ShareInput{})
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, w.url+"/healthz", 1280)
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watchSource})
	b.do(chromedp.Navigate(share.URL))
	b.until(`document.querySelector(".katex") && document.body.innerText.includes("The end.")`)
	if source := value[string](b, `window.source`); source != "" {
		t.Errorf("%.100q was shown", source)
	}
	if by := value[string](b, `document.querySelector("article.user h2").textContent`); by != "Question" {
		t.Errorf("a question is by %q", by)
	}
	b.checkQuiet(w.url)
}

// TestNothingHostileRunsInAShare opens a share of texts that try to run a script or to fetch something.
func TestNothingHostileRunsInAShare(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.register(t)
	w.model.Respond(func(r aitest.Request) []aitest.Step {
		for _, text := range corpus {
			if strings.HasSuffix(r.Question(), text) {
				return aitest.Say(text)
			}
		}
		return aitest.Say("?")
	})
	session := w.talk(t, hostile, corpus...)
	search := parley.SendInput{
		SessionID: session, Content: "search", ReplyOptions: parley.ReplyOptions{WebSearch: true},
	}
	if _, err := w.api.Send(t.Context(), search); err != nil {
		t.Fatal(err)
	}
	share, err := w.api.Share(t.Context(), session, parley.ShareInput{})
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, share.URL, 1280)
	b.until(`document.querySelectorAll("article").length === 34 && document.querySelector(".assistant .katex")`)
	b.eval(`document.querySelectorAll("article a[href]").forEach(a => {
		if (!/^(https?|mailto):/.test(a.href)) throw new Error(a.outerHTML)
	})`)
	b.eval(`const forbidden = "img, script, iframe, object, embed, form, input, video, audio, style, link"
		const found = document.querySelector("article :is(" + forbidden + ")")
		if (found) throw new Error(found.outerHTML)`)
	if value[bool](b, `"hit" in window`) {
		t.Error("something ran")
	}
	b.checkQuiet(w.url)
}
