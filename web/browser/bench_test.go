package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/internal/ai/aitest"
)

// TestSpeed measures the web client with the browser's clock, on loopback. It is a
// benchmark, for an idle machine: only `make bench-web` runs it.
func TestSpeed(t *testing.T) {
	if os.Getenv("PARLEY_BENCH_WEB") == "" {
		t.Skip("`make bench-web` runs it")
	}
	w := newWorld(t)
	token := w.register(t)

	b := open(t, w.url, 1280)
	b.until(`document.querySelector("input[name=email]")`)
	report(t, "first load, cold cache, ready to type", value[float64](b, `performance.now()`), 1000)

	w.model.Answer(func(r aitest.Request) []aitest.Step {
		return aitest.Say("You said **" + r.Question() + "**.\n\n- one\n- two\n")
	})
	questions := make([]string, 2500)
	for i := range questions {
		questions[i] = fmt.Sprintf("Question %d", i+1)
	}
	long := w.talk(t, "Long", questions...)
	short := w.talk(t, "Short", "Hello")
	b = signedIn(t, w, token, "#/chat/"+short, 1280)
	b.until(`document.querySelectorAll("article").length === 2 && document.querySelectorAll("nav li").length === 2`)
	report(t, "open a session with 5,000 messages", value[float64](b, `new Promise(done => {
		const start = performance.now()
		location.hash = "#/chat/`+long+`"
		const check = () => {
			if (document.body.innerText.includes("Question 2500")) {
				requestAnimationFrame(() => done(performance.now() - start))
			} else {
				requestAnimationFrame(check)
			}
		}
		check()
	})`), 300)

	report(t, "longest frame while scrolling up through the history", value[float64](b, scrollUp), 500)

	words := strings.Repeat("Some **words** in a sentence with `code` in it, and then some more of them. ", 7)
	var steps []aitest.Step
	for i := range 110 {
		steps = append(steps, aitest.Text(fmt.Sprintf("## Part %d\n\n", i+1)))
		for word := range strings.SplitAfterSeq(words, " ") {
			steps = append(steps, aitest.Text(word))
		}
		steps = append(steps, aitest.Text("\n\n"))
	}
	w.model.Script(append(steps, aitest.End())...)
	b.do(chromedp.Navigate(w.url + "/#/"))
	b.until(`document.querySelector("#composer")`)
	b.eval(watchFrames)
	b.ask("Tell me everything")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2 &&
		document.querySelectorAll("article h2").length === 110`)
	report(t, "longest frame while a reply of 10,000 words streams", value[float64](b, `window.longestFrame`), 500)
}

// watchFrames records the longest time between two frames.
const watchFrames = `
	window.longestFrame = 0
	let last = performance.now()
	const tick = now => {
		window.longestFrame = Math.max(window.longestFrame, now - last)
		last = now
		requestAnimationFrame(tick)
	}
	requestAnimationFrame(tick)`

// scrollUp scrolls up by five hundred messages. Its value is the longest frame.
const scrollUp = `new Promise(done => {
	const log = document.querySelector("[role=log]")
	let longest = 0, last = performance.now()
	const step = now => {
		longest = Math.max(longest, now - last)
		last = now
		log.scrollTop -= 200
		if (Number(document.querySelector("[data-number]").dataset.number) < 4500) done(longest)
		else requestAnimationFrame(step)
	}
	requestAnimationFrame(step)
})`

// report prints a figure, and fails the benchmark if it is over its limit.
func report(t *testing.T, what string, milliseconds, limit float64) {
	t.Helper()
	fmt.Printf("%-60s %7.0f ms (limit %.0f)\n", what, milliseconds, limit)
	if milliseconds > limit {
		t.Errorf("%s: %.0f ms, over %.0f", what, milliseconds, limit)
	}
}
