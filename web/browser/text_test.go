package browser

import (
	"strings"
	"testing"

	"parley/internal/ai/aitest"
)

// TestTextsHaveTheirOwnDirection uses Hebrew, which is written from right to left, in an
// English page.
func TestTextsHaveTheirOwnDirection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Script(aitest.Say("שלום לך\n\nHello to you\n\n```go\nx := 1\n```\n")...)
	session := w.talk(t, "כותרת", "מה שלומך?")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2 && document.querySelector("nav li")`)
	b.write("#composer", "עוד שאלה")
	for selector, want := range map[string]string{
		"article .bubble .text": "rtl", ".markdown-block:nth-child(1)": "rtl", ".markdown-block:nth-child(2)": "ltr",
		".code-frame": "ltr", "nav li .title": "rtl", "main h1, header h1": "rtl", "#composer": "rtl",
	} {
		b.until(`getComputedStyle(document.querySelector(` + quoted(selector) + `)).direction === ` + quoted(want))
	}
}

// TestMarksAreNotShownWhileTheyAreIncomplete looks at the reply whenever the page changes.
func TestMarksAreNotShownWhileTheyAreIncomplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	reply := "We take **the first hydrofoil of the day from Naples**, which needs\n\n" +
		`$$t = \frac{d}{v} = \frac{33\ \text{km}}{40\ \text{km/h}} \approx 50\ \text{min}$$` +
		"\n\nas [the timetable of the company says](https://example.com/a/long/address/of/a/timetable)."
	w.model.Script(paced(t, strings.SplitAfter(reply, ""))...)
	b := signedIn(t, w, token, "", 1280)
	b.until(`document.querySelector("#composer")`)
	b.eval(`
		window.marks = []
		new MutationObserver(() => {
			const text = document.querySelector(".assistant .markdown")?.innerText ?? ""
			if (/\*|\$|\]\(|https:/.test(text)) marks.push(text)
		}).observe(document.body, { subtree: true, childList: true, characterData: true })`)
	b.ask("How?")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2 &&
		document.querySelector(".assistant .katex") && document.querySelector(".assistant a")`)
	if seen := value[[]string](b, `marks`); len(seen) > 0 {
		t.Errorf("the reply was shown as %q", seen)
	}
	b.checkQuiet(w.url)
}

// TestAReplyIsReadToScreenReadersOnce counts how often a live region gets some of the reply.
func TestAReplyIsReadToScreenReadersOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	gate, open := gates(2)
	w.model.Script(
		aitest.Text("The first words"), aitest.Wait(gate[0]), aitest.Text(", the next words"), aitest.Wait(gate[1]),
		aitest.Text(" and the last."), aitest.End(),
	)
	b := signedIn(t, w, token, "", 1280)
	b.until(`document.querySelector("#composer")`)
	b.eval(`
		window.read = []
		const live = "[role=log], [role=status], [role=alert], [aria-live]"
		new MutationObserver(changes => changes.forEach(({ target }) => {
			const element = target instanceof Element ? target : target.parentElement
			const region = element?.closest(live)
			const text = region?.getAttribute("aria-live") === "off" ? "" : region?.textContent
			if (text?.includes("words")) read.push(text)
		})).observe(document.body, { subtree: true, childList: true, characterData: true })`)
	b.ask("Tell me")
	for _, text := range []string{"The first words", "the next words"} {
		b.shows(text)
		if read := value[[]string](b, `read`); len(read) != 0 {
			t.Errorf("while the reply grows, this is read: %q", read)
		}
		open()
	}
	b.until(`read.length === 1 && read[0] === "The first words, the next words and the last."`)
}

func TestWordsBesideEachOtherHaveASpaceBetween(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Script(aitest.Say("The hydrofoil [1] goes.")...)
	b := signedIn(t, w, token, "", 1280)
	b.until(`document.querySelectorAll("[role=switch]").length > 1`)
	b.eval(`document.querySelectorAll("[role=switch]").forEach(e => e.click())`)
	b.ask("Which ferry goes to Capri?")
	b.until(`document.querySelector("a[href='https://example.com/ferries']:not(.citation)")?.textContent.trim()
		.replace(/\s+/g, " ") === "1 Ferries to Capri example.com"`)
	b.until(`document.querySelector(".markdown")?.innerText === "The hydrofoil 1 goes."`)
}
