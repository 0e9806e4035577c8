package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/ai/aitest"
)

// hover moves the mouse to the first element of a selector.
func (b *tab) hover(selector string) {
	b.Helper()
	b.until(`document.querySelector(` + quoted(selector) + `)`)
	at := value[[]float64](b, fmt.Sprintf(`(() => {
		const { left, top, width, height } = document.querySelector(%s).getBoundingClientRect()
		return [left + width / 2, top + height / 2]
	})()`, quoted(selector)))
	move := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at[0], Y: at[1]}
	if _, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, move); err != nil {
		b.fail(err)
	}
}

// TestAQuestionAndItsReplyAreAPair checks the spaces between messages, which leave no room
// for hidden actions, and that the actions appear when the mouse is on a message.
func TestAQuestionAndItsReplyAreAPair(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Capri", "Which ferry?", "And back?")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelectorAll("article .markdown").length === 2`)
	tops := value[[]float64](b, `[...document.querySelectorAll("article")].flatMap(article => {
		const { top, bottom } = article.getBoundingClientRect()
		return [top, bottom]
	})`)
	within, between := tops[2]-tops[1], tops[4]-tops[3]
	if within > 24 || between < 2*within {
		t.Errorf("a reply is %v px below its question, and the next question %v px below it", within, between)
	}
	opacity := func(number int) string {
		return fmt.Sprintf(`getComputedStyle(document.querySelector("[data-number='%d'] .actions")).opacity`, number)
	}
	b.until(opacity(2) + ` === "0" && ` + opacity(4) + ` === "1"`)
	b.hover("[data-number='2'] .markdown")
	b.until(opacity(2) + ` === "1"`)
	b.hover("[data-number='1'] .bubble")
	b.until(opacity(1) + ` === "1" && ` + opacity(2) + ` === "0"`)
	b.checkQuiet(w.url)
}

// covered is an expression for the texts that the actions of a message cover, with the number of the message in place
// of its verb.
const covered = `(() => {
	const actions = document.querySelector("[data-number='%d'] .actions").getBoundingClientRect()
	const texts = document.createTreeWalker(document.querySelector(".column"), NodeFilter.SHOW_TEXT)
	const found = []
	while (texts.nextNode()) {
		const text = texts.currentNode
		if (!text.data.trim() || text.parentElement.closest(".actions, .hidden-text")) continue
		const range = document.createRange()
		range.selectNodeContents(text)
		for (const { top, bottom, left, right } of range.getClientRects())
			if (top < actions.bottom && bottom > actions.top && left < actions.right && right > actions.left)
				found.push(text.data)
	}
	if (actions.top < document.querySelector(".scroller").getBoundingClientRect().top) found.push("the header")
	return found
})()`

// TestActionsCoverNoText brings the mouse, and then a finger, to each message of a chat that fits on the screen. Its
// actions appear, with the day on which it was written.
func TestActionsCoverNoText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Respond(func(r aitest.Request) []aitest.Step { return aitest.Say("The ferry of " + r.Question()) })
	session := w.talk(t, "Capri", "One", "A question that is wider than a phone, and has a reply", "Three")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	check := func(number int) {
		t.Helper()
		opacity := func(part string) string {
			return fmt.Sprintf(`getComputedStyle(document.querySelector("[data-number='%d'] %s")).opacity`, number, part)
		}
		b.until(opacity(".actions") + ` === "1" && ` + opacity(".about") + ` === "1"`)
		if found := value[[]string](b, fmt.Sprintf(covered, number)); len(found) > 0 {
			t.Errorf("the actions of message %d cover %q", number, found)
		}
	}
	for _, width := range []int64{1280, 390} {
		b.resize(width)
		b.until(`document.querySelectorAll("article .markdown").length === 3`)
		for number := range 6 {
			b.hover(fmt.Sprintf("[data-number='%d'] :is(.bubble, .markdown)", number+1))
			check(number + 1)
		}
		b.hover("#composer")
		b.until(`[...document.querySelectorAll(".about")].every(e => getComputedStyle(e).opacity === "0")`)
	}
	b.touch()
	b.reload()
	b.until(`document.querySelectorAll("article .markdown").length === 3`)
	for number := range 6 {
		b.eval(fmt.Sprintf(`document.querySelector("[data-number='%d']").focus()`, number+1)) // as a tap does
		check(number + 1)
	}
	b.checkQuiet(w.url)
}

func TestALongQuestionIsFolded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Respond(func(aitest.Request) []aitest.Step { return aitest.Say("I see.") })
	long := strings.Repeat("A line of the minutes of the meeting.\n", 60) + "The end."
	session := w.talk(t, "Notes", long, "A short one")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(button("Show all"))
	const height = `document.querySelector("[data-number='1'] .bubble").offsetHeight`
	if folded := value[float64](b, height); folded > 400 {
		t.Errorf("a long question takes %v px", folded)
	}
	if n := value[int](b, `document.querySelectorAll(".bubble button").length`); n != 1 {
		t.Errorf("%d questions can be folded, want 1", n)
	}
	b.press("Show all")
	b.until(height + ` > 1000`)
	b.press("Show less")
	b.until(height + ` < 400`)
	b.checkQuiet(w.url)
}

// TestSourcesAreBehindOneButton opens the list of sources and the card of a citation.
func TestSourcesAreBehindOneButton(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Respond(func(aitest.Request) []aitest.Step { return aitest.Say("Take the hydrofoil [1].") })
	session := w.talk(t, "Capri", "Hello")
	upload := strings.NewReader("Naples 09:00, Capri 09:50")
	if _, err := w.api.Upload(t.Context(), session, "timetable.md", upload); err != nil {
		t.Fatal(err)
	}
	_, err := w.api.Send(t.Context(), parley.SendInput{
		SessionID: session, Content: "Which ferry?", ReplyOptions: parley.ReplyOptions{WebSearch: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(button("2 sources · 1 file"))
	const link = `document.querySelector(".sources a[href='https://example.com/ferries']")`
	if value[bool](b, link+`.checkVisibility()`) {
		t.Error("the list is open from the start")
	}
	const card = `document.querySelector("[role=tooltip]:popover-open")`
	b.hover("a.citation")
	b.until(card + `?.innerText.includes("Ferries to Capri") && ` + card + `.innerText.includes("example.com")`)
	b.until(`(() => {
		const card = ` + card + `.getBoundingClientRect()
		const link = document.querySelector("a.citation").getBoundingClientRect()
		return card.bottom <= link.top || card.top >= link.bottom
	})()`)
	b.hover("#composer")
	b.until(`!` + card)
	b.eval(`document.querySelector("a.citation").focus()`)
	b.until(card)

	b.press("2 sources · 1 file")
	b.until(link + `.checkVisibility() && document.querySelector(".sources").innerText.includes("timetable.md")`)
	b.checkQuiet(w.url)
}

// TestThinkingIsSeenAsItHappens checks the last line and the time while the model thinks,
// and that nothing says at the same time that it writes.
func TestThinkingIsSeenAsItHappens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	first, second := make(chan struct{}), make(chan struct{})
	w.model.Script(
		aitest.Wait(first),
		aitest.Thinking("They ask about ferries.\n\n- Look at **the timetable**"), aitest.Wait(second),
		aitest.Thinking("\n\nIt is the hydrofoil."), aitest.Text("The hydrofoil."), aitest.End(),
	)
	b := signedIn(t, w, token, "", 1280)
	b.until(`document.querySelector("[role=switch]")`)
	b.eval(`document.querySelector("[role=switch]").click()`)
	b.ask("Which ferry?")
	b.shows("Writing…")
	close(first)
	b.until(`document.querySelector(".thinking .line")?.textContent === "Look at the timetable"`)
	if value[bool](b, `document.querySelector(".assistant").innerText.includes("Writing")`) {
		t.Error("the reply says that it is thinking and writing")
	}
	b.advanceClock(65)
	b.until(`/^6\d|^7\d/.test(document.querySelector(".thinking .time")?.textContent)`)
	b.eval(`document.querySelector(".thinking summary").click()`)
	b.until(`document.querySelector(".thinking .text strong")?.textContent === "the timetable"`)
	b.until(`!document.querySelector(".thinking .line")`)
	close(second)
	b.until(`document.querySelector("article[data-state=stored] .thinking summary").textContent.includes("Thought for")`)
	b.until(`!document.querySelector(".thinking .time")`)
	b.checkQuiet(w.url)
}

func TestKindsOfFilesAreInWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Numbers", "Hello")
	prices := strings.NewReader("from,price\nNaples,23\n")
	if _, err := w.api.Upload(t.Context(), session, "prices.csv", prices); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelector("button.files")?.textContent.includes("1")`)
	b.eval(`document.querySelector("button.files").click()`)
	b.until(`document.querySelector("aside li small")?.textContent === "Spreadsheet · 21 bytes"`)
	b.until(`document.querySelector("aside li svg")`)
	b.checkQuiet(w.url)
}
