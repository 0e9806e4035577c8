package browser

import (
	"fmt"
	"testing"

	"parley"
	"parley/internal/ai/aitest"
)

func TestALongHistoryIsReadPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Respond(func(r aitest.Request) []aitest.Step { return aitest.Say("Answer to " + r.Question()) })
	questions := make([]string, 200)
	for i := range questions {
		questions[i] = fmt.Sprintf("Question %d.", i+1)
	}
	session := w.talk(t, "Long", questions...)
	messages, err := w.api.Messages(t.Context(), session, parley.Page{Number: 1, Size: 50})
	if err != nil {
		t.Fatal(err)
	}
	w.favorite(t, session, messages.Messages[20].ID)

	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.shows("Answer to Question 200.")
	const first = `Number(document.querySelector("[data-number]").dataset.number)`
	const count = `document.querySelectorAll("article").length`
	if n := value[int](b, count); n > 80 {
		t.Errorf("%d messages on the page at first", n)
	}

	// Up to the beginning: the page must not keep all messages.
	b.until(`(() => { document.querySelector("[role=log]").scrollTop -= 400; return ` + first + ` === 1 })()`)
	if n := value[int](b, count); n > 200 {
		t.Errorf("%d messages on the page", n)
	}
	b.until(`(() => {
		document.querySelector("[role=log]").scrollTop += 400
		return document.body.innerText.includes("Answer to Question 200.")
	})()`)
	numbers := value[[]int](b, `[...document.querySelectorAll("[data-number]")].map(e => Number(e.dataset.number))`)
	for i := range numbers {
		if numbers[i] != numbers[0]+i {
			t.Fatalf("the messages on the page have a gap: %v", numbers)
		}
	}

	// From a favorite right into the middle, and back to the end.
	b.press("Favorites")
	b.press("Go to the message")
	b.until(`document.querySelector("article.highlighted")?.dataset.number === "21"`)
	b.press("Jump to the latest message")
	b.shows("Answer to Question 200.")

	// To the first message, without those between.
	b.until(button("Jump to the first message") + ` ||
		void (document.querySelector("[role=log]").scrollTop -= 400)`)
	b.press("Jump to the first message")
	b.until(first + ` === 1 && document.querySelector("[role=log]").scrollTop === 0`)
	if n := value[int](b, count); n > 80 {
		t.Errorf("%d messages on the page", n)
	}
	b.until(`!` + button("Jump to the first message") + ` && document.activeElement.role === "log"`)
	b.press("Jump to the latest message")
	b.shows("Answer to Question 200.")
	b.eval(`const list = document.querySelector("[role=log]")
		list.focus()
		list.dispatchEvent(new KeyboardEvent("keydown", {key: "Home", bubbles: true, cancelable: true}))`)
	b.until(first + ` === 1 && document.querySelector("[role=log]").scrollTop === 0`)
	b.checkQuiet(w.url)
}

// TestTheSessionsStayWhereTheyWereScrolledTo sends a message in a session far down the
// list, which moves to the top.
func TestTheSessionsStayWhereTheyWereScrolledTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	for i := range 100 {
		in := parley.CreateSessionInput{Title: fmt.Sprintf("Session %d", i)}
		if _, err := w.api.CreateSession(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	b := signedIn(t, w, token, "#/", 1280)
	const count, place = `document.querySelectorAll("nav li").length`, `document.querySelector("nav .scroll").scrollTop`
	b.until(`(() => { document.querySelector("nav .scroll").scrollTop = 1e9; return ` + count + ` === 100 })()`)
	before := value[float64](b, place)
	b.eval(`[...document.querySelectorAll("nav li a")].find(a => a.innerText.includes("Session 3")).click()`)
	b.ask("When does the ferry leave?")
	b.until(`document.querySelector("nav li").innerText.includes("Session 3")`)
	if n, now := value[int](b, count), value[float64](b, place); n != 100 || now < before-200 {
		t.Errorf("%d sessions are left, scrolled from %v to %v", n, before, now)
	}
	b.checkQuiet(w.url)
}
