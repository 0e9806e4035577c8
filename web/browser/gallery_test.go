package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/ai/aitest"
)

// look is one way to see a page.
type look struct {
	theme, language string
	width           int64
}

func (l look) String() string { return fmt.Sprintf("%s-%s-%d", l.language, l.theme, l.width) }

// scene is a page in a state worth looking at.
type scene struct {
	name string
	show func(b *tab, g *gallery)
}

// gallery is a server with enough in it to fill every page.
type gallery struct {
	*world
	token, session string
}

// TestGallery takes pictures of the client, from the real thing. PARLEY_GALLERY says
// where to: with it, every page is taken in both themes and languages at three widths.
// PARLEY_SCREENSHOTS takes the few of the README instead.
func TestGallery(t *testing.T) {
	if dir := os.Getenv("PARLEY_SCREENSHOTS"); dir != "" {
		g := newGallery(t)
		for _, l := range []look{{"light", "en", 1280}, {"dark", "zh", 1280}, {"dark", "en", 390}, {"light", "zh", 390}} {
			g.take(t, dir, l, scenes[:1])
		}
		g.take(t, dir, look{"light", "en", 1280}, []scene{{"reference", showReference}})
		return
	}
	dir := os.Getenv("PARLEY_GALLERY")
	if dir == "" {
		t.Skip("PARLEY_GALLERY or PARLEY_SCREENSHOTS says where pictures are to go")
	}
	g := newGallery(t)
	for _, theme := range []string{"light", "dark"} {
		for _, language := range []string{"en", "zh"} {
			for _, width := range []int64{390, 768, 1440} {
				g.take(t, dir, look{theme, language, width}, scenes)
			}
		}
	}
}

func (g *gallery) take(t *testing.T, dir string, l look, wanted []scene) {
	t.Helper()
	b := signedIn(t, g.world, g.token, "", l.width)
	b.prefer(l)
	for _, s := range wanted {
		b.do(chromedp.Navigate("about:blank"))
		s.show(b, g)
		value[any](b, `new Promise(done => setTimeout(done, 400))`)
		b.screenshot(filepath.Join(dir, s.name+"-"+l.String()+".png"))
	}
}

// prefer sets the reader's preferences.
func (b *tab) prefer(l look) {
	b.Helper()
	b.eval(fmt.Sprintf(`localStorage.setItem("parley.preferences", JSON.stringify({theme: %q, language: %q, webSearch: true}))`, l.theme, l.language))
}

var scenes = []scene{
	{"chat", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/chat/" + g.session))
		b.until(`document.querySelector(".katex") && document.querySelector(".hljs-keyword")`)
		b.eval(`document.querySelector("[role=log]").scrollTop = 1e9`)
	}},
	{"welcome", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/"))
		b.until(`document.querySelector(".welcome button")`)
	}},
	{"favorites", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/favorites"))
		b.until(`document.querySelector("section li")`)
	}},
	{"settings", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/settings"))
		b.until(`document.querySelector("section ul li")`)
	}},
	{"files", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/chat/" + g.session))
		b.until(`document.querySelector("button.files")`)
		b.eval(`document.querySelector("button.files").click()`)
		b.until(`document.querySelector("aside li")`)
	}},
	{"sidebar", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/"))
		b.until(`document.querySelector("#composer")`)
		b.eval(`dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true}))`)
		b.until(`document.querySelector("nav li")`)
		b.write("#session-search", "o")
		b.until(`document.querySelector(".snippet")`)
	}},
	{"failed", func(b *tab, g *gallery) {
		for range 8 {
			g.model.Script(aitest.Status(400, "no"))
		}
		b.do(chromedp.Navigate(g.url + "/#/"))
		b.until(`document.querySelector("#composer")`)
		b.write("#composer", "Hello\r")
		b.until(`document.querySelector("[role=alert]")`)
	}},
	{"shortcuts", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/"))
		b.until(`document.querySelector("#composer")`)
		b.eval(`dispatchEvent(new KeyboardEvent("keydown", {key: "?"}))`)
		b.until(`document.querySelector("dialog[open]")`)
	}},
	{"reference", showReference},
	{"login", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/docs"))
		b.eval(`localStorage.removeItem("parley.token")`)
		b.do(chromedp.Navigate(g.url + "/"))
		b.until(`document.querySelector("form")`)
		b.eval(`document.querySelectorAll(".tabs button")[1].click()`)
	}},
}

func showReference(b *tab, g *gallery) {
	b.do(chromedp.Navigate(g.url + "/docs#send"))
	b.until(`document.querySelector("h1")`)
}

const showpiece = `The **hydrofoil** from Naples is the quickest way [1]. Where $v$ is its speed and $d$ the distance, the crossing takes

$$t = \frac{d}{v} = \frac{33\ \text{km}}{40\ \text{km/h}} \approx 50\ \text{min}$$

| from | ferry | leaves | takes |
|---|---|---|---:|
| Naples, Molo Beverello | hydrofoil | 09:00 | 50 min |
| Sorrento | fast ferry | 09:40 | 25 min |

To be told when the sea is calm enough:

` + "```go\nfunc calm(waves []float64) bool {\n\treturn slices.Max(waves) < 1.25 // metres\n}\n```" + `

- [x] Book the hydrofoil
- [ ] Pack light: luggage over 10 kg costs extra
`

func newGallery(t *testing.T) *gallery {
	t.Helper()
	w := newWorld(t)
	w.model.Answer(func(r aitest.Request) []aitest.Step {
		if strings.Contains(r.Question(), "Capri") {
			return append([]aitest.Step{aitest.Thinking("They want the quickest way. The timetable says the hydrofoil.")}, aitest.Say(showpiece)...)
		}
		return aitest.Say("Gladly. Here is a short answer to begin with.")
	})
	g := &gallery{world: w, token: w.register(t)}
	for _, title := range []string{"Notes for the Monday talk", "一份周末菜单", "Why is the sky blue?", "Rust and Go compared", "如何给孩子解释时差", "A kind refusal"} {
		w.talk(t, title, "Let us begin")
	}
	g.session = w.talk(t, "Capri in May", "We are four people and would like to see the island for a day.")
	if _, err := w.api.Upload(t.Context(), g.session, "timetable.md", strings.NewReader("Naples 09:00, Capri 09:50")); err != nil {
		t.Fatal(err)
	}
	out, err := w.api.Send(t.Context(), parley.SendInput{
		SessionID: g.session, Content: "Which ferry takes us to Capri the quickest?", ReplyOptions: parley.ReplyOptions{DeepThinking: true, WebSearch: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.api.AddFavorite(t.Context(), parley.AddFavoriteInput{MessageID: out.AIResponse.ID, SessionID: g.session}); err != nil {
		t.Fatal(err)
	}
	return g
}
