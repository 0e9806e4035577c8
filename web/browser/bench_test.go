package browser

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"parley/internal/ai/aitest"
)

// TestSpeed measures the web client with the browser's clock, on loopback.
func TestSpeed(t *testing.T) {
	figures := newBenchmark(t)
	w := newWorld(t)
	token := w.register(t)

	b := open(t, w.url, 1280)
	b.until(`document.querySelector("input[name=email]")`)
	figures.add("first load, cold cache, ready to type", value[float64](b, `performance.now()`), 1000)

	w.model.Respond(func(r aitest.Request) []aitest.Step {
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
	figures.add("open a session with 5,000 messages", value[float64](b, `new Promise(done => {
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

	figures.add("longest frame while scrolling up through the history", value[float64](b, scrollUp), 500)
}

// TestStreamingSpeed measures how smooth the page stays while long replies arrive. Each comes three times, and the
// smoothest run counts: other work of the machine only makes a run worse.
func TestStreamingSpeed(t *testing.T) {
	figures := newBenchmark(t)
	w := newWorld(t)
	token := w.register(t)
	words := strings.Repeat("Some **words** in a sentence with `code` in it, and then some more of them. ", 7)
	var reply, code, list []string
	for i := range 110 {
		reply = append(reply, fmt.Sprintf("## Part %d\n\n", i+1))
		reply = append(reply, strings.SplitAfter(words, " ")...)
		reply = append(reply, "\n\n")
	}
	for i := range 2000 {
		code = append(code, fmt.Sprintf("\tvalues[%d] = ", i), fmt.Sprintf("append(values, %d) // a line\n", i))
	}
	for i := range 800 {
		list = append(list, fmt.Sprintf("- Item **%d** ", i+1), "has the formula ", fmt.Sprintf("$x_{%d}^2$.\n", i))
	}
	for _, stream := range []longReply{
		{"a reply of 10,000 words", `document.querySelectorAll("article h2").length === 110`, reply},
		{
			"a code block of 2,000 lines", `document.querySelector("article pre").textContent.split("\n").length > 2000`,
			slices.Concat([]string{"```go\n"}, code, []string{"```\n"}),
		},
		{"a list of 800 items with formulas", `document.querySelectorAll("article li .katex").length === 800`, list},
	} {
		frames := stream.run(t, w, token)
		for range 2 {
			if again := stream.run(t, w, token); again.Blocked < frames.Blocked {
				frames = again
			}
		}
		figures.add("stream "+stream.name+": frame, p95", frames.P95, 50)
		figures.add("– longest frame", frames.Longest, 500)
		figures.add("– longest task", frames.LongestTask, 500)
		figures.add(fmt.Sprintf("– tasks over 50 ms (%d), together", frames.LongTasks), frames.Blocked, 2000)
	}
}

// longReply is a reply. The test measures its arrival. At its end, the page fulfills a condition.
type longReply struct {
	name, end string
	chunks    []string
}

// run lets the reply arrive in a new chat.
func (r longReply) run(t *testing.T, w *world, token string) frameTimes {
	t.Helper()
	w.model.Script(paced(t, r.chunks)...)
	b := signedIn(t, w, token, "#/", 1280)
	b.until(`document.querySelector("#composer")`)
	b.eval(watchFrames)
	b.ask("Tell me everything")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2 && ` + r.end)
	return value[frameTimes](b, `window.frameTimes()`)
}

// paced returns the steps of a reply with a chunk every five milliseconds.
func paced(t *testing.T, chunks []string) []aitest.Step {
	tick := make(chan struct{})
	go func() {
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-t.Context().Done():
				return
			}
			select {
			case tick <- struct{}{}:
			case <-t.Context().Done():
				return
			}
		}
	}()
	var steps []aitest.Step
	for _, chunk := range chunks {
		steps = append(steps, aitest.Wait(tick), aitest.Text(chunk))
	}
	return append(steps, aitest.End())
}

// frameTimes are in milliseconds. A task is a piece of work that the page does without a
// pause; the browser reports those over 50 ms.
type frameTimes struct {
	P95         float64 `json:"p95"`
	Longest     float64 `json:"longest"`
	LongTasks   int     `json:"longTasks"`
	LongestTask float64 `json:"longestTask"`
	Blocked     float64 `json:"blocked"`
}

// watchFrames records the time between frames, and the long tasks.
const watchFrames = `
	const frames = [], tasks = []
	window.longestFrame = 0
	let last = performance.now()
	const tick = now => {
		frames.push(now - last)
		window.longestFrame = Math.max(window.longestFrame, now - last)
		last = now
		requestAnimationFrame(tick)
	}
	requestAnimationFrame(tick)
	new PerformanceObserver(list => tasks.push(...list.getEntries().map(entry => entry.duration)))
		.observe({ type: "longtask" })
	window.frameTimes = () => {
		const sorted = frames.toSorted((a, b) => a - b)
		return {
			p95: sorted[Math.floor(sorted.length * 0.95)], longest: sorted.at(-1),
			longTasks: tasks.length, longestTask: Math.max(0, ...tasks), blocked: tasks.reduce((sum, task) => sum + task, 0),
		}
	}`

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

// benchmark collects figures in milliseconds and prints them as a table. It is for an idle
// machine: only `make bench-web` runs it.
type benchmark struct {
	*testing.T
	table *tabwriter.Writer
}

func newBenchmark(t *testing.T) *benchmark {
	t.Helper()
	if os.Getenv("PARLEY_BENCH_WEB") == "" {
		t.Skip("`make bench-web` runs it")
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "figure\tms\tlimit\t")
	t.Cleanup(func() { _ = table.Flush() })
	return &benchmark{T: t, table: table}
}

// add adds a figure, and fails the benchmark if it is over its limit.
func (b *benchmark) add(what string, milliseconds, limit float64) {
	b.Helper()
	_, _ = fmt.Fprintf(b.table, "%s\t%.0f\t%.0f\t\n", what, milliseconds, limit)
	if milliseconds > limit {
		b.Errorf("%s: %.0f ms, over %.0f", what, milliseconds, limit)
	}
}
