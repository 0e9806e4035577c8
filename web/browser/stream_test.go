package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"parley/internal/ai/aitest"
)

// gates returns n channels for a scripted reply to wait for, and a function that opens the
// next one.
func gates(n int) (list []chan struct{}, open func()) {
	for range n {
		list = append(list, make(chan struct{}))
	}
	next := 0
	return list, func() { close(list[next]); next++ }
}

// selectText is a script that selects a text within the reply, and selected its value.
const (
	selectText = `((text) => {
		const texts = document.createTreeWalker(document.querySelector(".assistant .markdown"), NodeFilter.SHOW_TEXT)
		while (texts.nextNode()) {
			const node = texts.currentNode, at = node.data.indexOf(text)
			if (at >= 0) return getSelection().setBaseAndExtent(node, at, node, at + text.length)
		}
		throw new Error("not found: " + text)
	})`
	selected = `getSelection().toString()`
)

func TestSelectedTextSurvivesTheNextChunks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	gate, open := gates(6)
	w.model.Script(
		aitest.Text("Some **bold words** and"), aitest.Wait(gate[0]), aitest.Text(" then `more`."), aitest.Wait(gate[1]),
		aitest.Text("\n\n- one item\n- another"), aitest.Wait(gate[2]), aitest.Text(" one\n- third\n\n"),
		aitest.Text("```go\nfunc main() {}\n"), aitest.Wait(gate[3]), aitest.Text("// more\n"), aitest.Wait(gate[4]),
		aitest.Text("```\n\nThe end."), aitest.Wait(gate[5]), aitest.End(),
	)
	b := signedIn(t, w, token, "", 1280)
	b.ask("Tell me")
	check := func(text string) {
		t.Helper()
		if got := value[string](b, selected); got != text {
			t.Errorf("%q is selected, want %q", got, text)
		}
	}
	for _, step := range []struct{ text, until string }{
		{"words", "then more."}, {"bold", "another"}, {"another", "func main"}, {"main", "// more"}, {"func", "The end."},
	} {
		b.until(`document.querySelector(".assistant .markdown")?.innerText.includes(` + quoted(step.text) + `)`)
		b.eval(selectText + `(` + quoted(step.text) + `)`)
		open()
		b.shows(step.until)
		check(step.text)
	}
	b.until(`document.querySelector(".assistant .hljs-keyword")?.textContent === "func"`)
	check("func")
	open()
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	check("func")
	if items := value[int](b, `document.querySelectorAll(".assistant ul").length`); items != 1 {
		t.Errorf("the list has become %d lists", items)
	}
	b.checkQuiet(w.url)
}

// TestALongListIsLaidOutOnlyInSight streams a list longer than the screen.
func TestALongListIsLaidOutOnlyInSight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	gate, open := gates(1)
	var list strings.Builder
	for i := range 200 {
		fmt.Fprintf(&list, "%d. Item **%d**\n", i+1, i+1)
	}
	w.model.Script(aitest.Text(list.String()), aitest.Wait(gate[0]), aitest.Text("201. The **last**\n"), aitest.End())
	b := signedIn(t, w, token, "", 1280)
	b.ask("Tell me")
	const inSight = `[...document.querySelectorAll("article li strong")].filter(e =>
		e.checkVisibility({contentVisibilityAuto: true})).map(e => e.innerText)`
	b.until(inSight + `.at(-1) === "200" && ` + inSight + `.length < 100`)
	open()
	b.until(inSight + `.at(-1) === "last" && ` + inSight + `.length < 100`)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.eval(`document.querySelector("[role=log]").scrollTop = 0`)
	b.until(inSight + `[0] === "1" && ` + inSight + `.length < 100`)
	b.checkQuiet(w.url)
}

// TestScrollingUpALittleIsNotUndone scrolls up in the ways a reader has while a reply grows.
func TestScrollingUpALittleIsNotUndone(t *testing.T) {
	t.Parallel()
	for _, way := range []struct {
		name   string
		scroll func(b *tab)
	}{
		{"wheel", func(b *tab) { b.wheel(-30) }},
		{"key", func(b *tab) {
			b.eval(`document.querySelector("[role=log]").focus()`)
			b.key(input.DispatchKeyEventParams{Key: "ArrowUp", Code: "ArrowUp", WindowsVirtualKeyCode: 38})
		}},
		{"scrollbar or finger", func(b *tab) { b.eval(`document.querySelector("[role=log]").scrollTop -= 20`) }},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			token := w.register(t)
			gate, open := gates(3)
			text := strings.Repeat("A line of the reply.\n\n", 100)
			w.model.Script(
				aitest.Text(text+"First part."), aitest.Wait(gate[0]), aitest.Text("\n\n"+text+"Second part."),
				aitest.Wait(gate[1]), aitest.Text("\n\n"+text+"Third part."), aitest.Wait(gate[2]), aitest.End(),
			)
			b := signedIn(t, w, token, "", 1280)
			b.ask("Tell me")
			b.shows("First part.")
			const below = `(log => log.scrollHeight - log.scrollTop - log.clientHeight)(document.querySelector("[role=log]"))`
			b.until(below + ` < 2`)
			way.scroll(b)
			b.until(button("Jump to the latest message"))
			b.until(below + ` > 5`)
			// A key or a wheel may scroll smoothly: wait for its end.
			top := value[float64](b, `new Promise(done => {
				const log = document.querySelector("[role=log]")
				let last = -1, same = 0
				const check = () => {
					same = log.scrollTop === last ? same + 1 : 0
					last = log.scrollTop
					if (same > 10) done(last); else requestAnimationFrame(check)
				}
				check()
			})`)
			open()
			b.shows("Second part.")
			if now := value[float64](b, `document.querySelector("[role=log]").scrollTop`); now != top {
				t.Errorf("the list is at %v, not at %v", now, top)
			}
			// Back at the end it stays there.
			b.press("Jump to the latest message")
			b.until(below + ` < 2`)
			open()
			b.shows("Third part.")
			b.until(below + ` < 2`)
			open()
			b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
		})
	}
}

// wheel turns the mouse wheel over the conversation.
func (b *tab) wheel(delta float64) {
	b.Helper()
	event := input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseWheel, X: 800, Y: 300, DeltaX: 1, DeltaY: delta, // zero would be left out
	}
	if _, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, event); err != nil {
		b.fail(err)
	}
}
