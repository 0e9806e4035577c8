package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/ai/aitest"
)

const flowchart = "```mermaid\nflowchart LR\n  question[Question] --> model{Model}\n  model --> reply[Reply]\n```\n"

// drawing is an expression for the n-th drawing of the page.
func drawing(n int) string {
	return fmt.Sprintf(`document.querySelectorAll("article .drawing img")[%d]`, n)
}

func TestADiagramIsDrawnWhenItsBlockIsComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	gate, open := gates(2)
	half := len("```mermaid\nflowchart LR\n  question[Question] --> model{Model}\n")
	w.model.Script(
		aitest.Text("A drawing:\n\n"+flowchart[:half]), aitest.Wait(gate[0]),
		aitest.Text(flowchart[half:]+"\nSome words after it."), aitest.Wait(gate[1]), aitest.End(),
	)
	b := signedIn(t, w, token, "#/", 1280)
	b.ask("Draw")
	b.until(`document.querySelector("article pre")?.textContent.includes("model{Model}")`)
	if value[bool](b, `!!document.querySelector("iframe, article img")`) {
		t.Error("an incomplete diagram is drawn")
	}
	open()
	b.until(drawing(0) + `?.naturalWidth > 100`)
	open()
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	svg := func() string { return value[string](b, `decodeURIComponent(`+drawing(0)+`.src)`) }
	light := svg()
	if !strings.Contains(light, "Question") || strings.Contains(light, "foreignObject") {
		t.Errorf("the drawing is %.300s", light)
	}

	b.press("Source")
	b.until(`document.querySelector("article pre").checkVisibility() && !` + drawing(0) + `.checkVisibility()`)
	b.press("Diagram")
	b.until(`!document.querySelector("article pre").checkVisibility() && ` + drawing(0) + `.checkVisibility()`)

	b.eval(`localStorage.setItem("parley.preferences", '{"theme":"dark"}')
		dispatchEvent(new StorageEvent("storage", { key: "parley.preferences" }))`)
	b.until(`decodeURIComponent(` + drawing(0) + `.src).includes("#262523")`)
	if strings.Contains(light, "#262523") {
		t.Error("the light drawing is dark")
	}
	if got := value[int](b, `document.querySelectorAll("iframe").length`); got != 1 {
		t.Errorf("there are %d frames", got)
	}
	b.checkQuiet(w.url)
}

// diagrams returns a reply with a block for each source of a diagram.
func diagrams(sources ...string) string {
	return "```mermaid\n" + strings.Join(sources, "\n```\n\nText.\n\n```mermaid\n") + "\n```\n"
}

func TestABrokenOrHugeDiagramShowsItsSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	sources := []string{
		"flowchart LR\n  a --> [", "nothing of the kind",
		"flowchart LR\n" + strings.Repeat("  a --> b\n", 300), "flowchart LR\n" + strings.Repeat("  %% words\n", 950),
	}
	w.model.Script(aitest.Say(diagrams(append(sources, "flowchart LR\n  still --> drawn")...))...)
	session := w.talk(t, "", "Draw")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(drawing(0) + `?.naturalWidth > 50`)
	b.until(fmt.Sprintf(`document.querySelectorAll("article .drawing-note").length === %d`, len(sources)))
	b.shows("This diagram can't be drawn.")
	const shown = `[...document.querySelectorAll("article pre")].filter(pre => pre.checkVisibility()).length`
	if got := value[int](b, shown); got != len(sources) {
		t.Errorf("%d sources are shown", got)
	}
	b.checkQuiet(w.url)
}

// hostileDiagrams try to run a script, to open a page and to load one from EVIL, another host.
var hostileDiagrams = []string{
	"flowchart LR\n  a[\"<img src=x onerror=parent.hit=1><script>parent.hit=1</script>\"] --> b\n" +
		"  click b \"javascript:parent.hit=1\"\n  click a call alert(1)",
	"flowchart LR\n  a@{ img: \"EVIL/a.png\", label: \"x\" } --> b",
	"%%{init: {\"securityLevel\": \"loose\", \"htmlLabels\": true, \"themeCSS\": " +
		"\"* { background: url(EVIL/b.png) }\"}}%%\n" +
		"flowchart LR\n  a[\"<iframe src='EVIL/c'></iframe>\"] --> b\n" +
		"  style b fill:url(EVIL/d.png)\n  click b href \"EVIL/e\" _top",
	"sequenceDiagram\n  participant a\n  link a: x @ javascript:parent.hit=1\n  a->>a: <svg onload=parent.hit=1>",
}

func TestAHostileDiagramDoesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	// The frame may be in a process of its own, whose requests no event tells: this server sees them.
	evil := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the page requested %s", r.URL)
	}))
	defer evil.Close()
	w.model.Script(aitest.Say(strings.ReplaceAll(diagrams(hostileDiagrams...), "EVIL", evil.URL))...)
	session := w.talk(t, "", "Draw")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(fmt.Sprintf(`document.querySelectorAll("article :is(.drawing, .drawing-note)").length === %d`,
		len(hostileDiagrams)))
	b.until(`[...document.querySelectorAll("article .drawing img")].every(image => image.complete)`)
	if drawn := value[int](b, `document.querySelectorAll("article .drawing").length`); drawn < 2 {
		t.Errorf("%d diagrams are drawn", drawn)
	}
	// The frame can't reach the page, and can't fetch anything from this server or another one.
	if value[string](b, `document.querySelector("iframe").getAttribute("sandbox")`) != "allow-scripts" ||
		value[bool](b, `!!document.querySelector("iframe").contentDocument`) {
		t.Error("the frame is not in a sandbox")
	}
	if value[bool](b, `"hit" in window`) {
		t.Error("something ran")
	}
}
