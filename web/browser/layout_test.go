package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/internal/ai/aitest"
)

// TestManySessionsKeepThePageInPlace has more sessions than fit on the screen: their list
// must scroll, not the page.
func TestManySessionsKeepThePageInPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	for i := range 40 {
		w.talk(t, fmt.Sprintf("Session %d", i))
	}
	b := signedIn(t, w, token, "#/", 768)
	b.until(`document.querySelector("#composer")`)
	for _, width := range []int64{768, 1440} {
		b.resize(width)
		if width == 1440 {
			b.until(`document.querySelectorAll("nav li").length >= 20`)
		}
		if !value[bool](b, `document.documentElement.scrollHeight <= innerHeight &&
			document.querySelector("#composer").getBoundingClientRect().bottom <= innerHeight`) {
			t.Errorf("at %d px the page is higher than the screen", width)
		}
	}
}

// TestTheComposerIsAsWideAsTheSuggestions compares the edges of the composer and of the
// suggestions below it.
func TestTheComposerIsAsWideAsTheSuggestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "#/", 768)
	b.until(`document.querySelector(".starters ul")`)
	for _, width := range []int64{768, 1440} {
		b.resize(width)
		edges := value[[]float64](b, `[".starters ul", "form .box"].flatMap(selector => {
			const { left, right } = document.querySelector(selector).getBoundingClientRect()
			return [left, right]
		})`)
		if edges[0] != edges[2] || edges[1] != edges[3] {
			t.Errorf("at %d px the suggestions and the composer are at %v", width, edges)
		}
	}
}

// TestAShortErrorStandsOnOneLine checks that an error and its button fit on one line.
func TestAShortErrorStandsOnOneLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Script(aitest.Status(400, "no"))
	b := signedIn(t, w, token, "#/", 1440)
	b.prefer(look{"light", "zh", 1440})
	b.do(chromedp.Reload())
	b.until(`document.querySelector("#composer")`)
	b.write("#composer", "你好")
	b.enter()
	b.until(`document.querySelector("article [role=alert]")`)
	if height := value[float64](b, `document.querySelector("article [role=alert]").offsetHeight`); height > 60 {
		t.Errorf("the notice is %v px high", height)
	}
}

// TestFoundTextsKeepThePalettesWidth searches for a word in long texts.
func TestFoundTextsKeepThePalettesWidth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.talk(t, "Ferries", strings.Repeat("The ferry to Capri leaves at nine in the morning. ", 10))
	b := signedIn(t, w, token, "#/", 390)
	b.until(`document.querySelector("#composer")`)
	b.control("k")
	b.write("#palette", "ferry")
	b.until(`document.querySelector("dialog .snippet mark")`)
	for _, width := range []int64{390, 1440} {
		b.resize(width)
		if !value[bool](b, `(() => {
			const list = document.querySelector("[role=listbox]")
			const { left, right } = document.querySelector("dialog").getBoundingClientRect()
			return list.scrollWidth <= list.clientWidth && left >= 0 && right <= innerWidth
		})()`) {
			t.Errorf("at %d px search results are wider than the palette", width)
		}
	}
}

// TestOpeningTheFilesLeavesTheMessagesInPlace opens the panel beside the messages, which is loaded when it is needed
// first.
func TestOpeningTheFilesLeavesTheMessagesInPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", strings.Repeat("Which ferry?\n\n", 8), strings.Repeat("And when?\n\n", 8))
	b := signedIn(t, w, token, "#/chat/"+session, 1440)
	b.until(`document.querySelectorAll("article").length === 4`)
	b.eval(`document.querySelector("[role=log]").scrollTop -= 10`)
	b.until(button("Jump to the latest message"))
	before := value[float64](b, `document.querySelector("[role=log]").scrollTop`)
	b.eval(`document.querySelector("button.files").click()`)
	b.until(`document.querySelector("main aside")`)
	if after := value[float64](b, `document.querySelector("[role=log]").scrollTop`); after != before {
		t.Errorf("the messages were at %v and are at %v", before, after)
	}
	b.checkQuiet(w.url)
}

// TestASwitchThatIsOnSaysSo turns on one of the switches of the composer, which stays on in the next chat.
func TestASwitchThatIsOnSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := signedIn(t, w, w.register(t), "#/", 390)
	const labels = `[...document.querySelectorAll("form [role=switch]")].map(e => e.innerText.trim()).join()`
	b.until(`document.querySelectorAll("form [role=switch]").length === 2 && ` + labels + ` === ","`)
	b.press("Web search")
	b.until(labels + ` === ",Web search"`)
	b.reload()
	b.until(labels + ` === ",Web search"`)
	b.press("Deep thinking")
	b.until(labels + ` === "Deep thinking,Web search"`)
	if wide := value[[]string](b, tooWide); len(wide) > 0 {
		t.Errorf("it is cut off: %q", wide)
	}
	b.checkQuiet(w.url)
}

// TestQuotesInQuotesAreApart measures the spaces between what is in a quote.
func TestQuotesInQuotesAreApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Script(aitest.Say("> one\n>\n> > two\n> >\n> > > three\n>\n> four\n>\n> five")...)
	b := signedIn(t, w, token, "#/chat/"+w.talk(t, "Quotes", "Quote"), 1280)
	b.until(`document.querySelectorAll("article blockquote").length === 3`)
	tops := value[[]float64](b, `[...document.querySelectorAll("article blockquote p")].flatMap(e => {
		const { top, bottom } = e.getBoundingClientRect()
		return [top, bottom]
	})`)
	for i := 2; i < len(tops); i += 2 {
		if gap := tops[i] - tops[i-1]; gap < 8 {
			t.Errorf("paragraph %d is %v px below the one before", i/2+1, gap)
		}
	}
	b.checkQuiet(w.url)
}
