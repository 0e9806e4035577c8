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

// look is a theme, a language and a width.
type look struct {
	theme, language string
	width           int64
}

func (l look) String() string { return fmt.Sprintf("%s-%s-%d", l.language, l.theme, l.width) }

// scene is a page in a certain state.
type scene struct {
	name string
	show func(b *tab, g *gallery)
}

// gallery is a server with enough data to fill every page.
type gallery struct {
	*world
	token    string
	sessions map[string]string // by language
	session  string            // in the language of the current look
}

// TestGallery takes screenshots of the client. PARLEY_GALLERY is a folder for every page in
// both themes and languages at three widths. PARLEY_SCREENSHOTS is a folder for the few
// screenshots of the README instead.
func TestGallery(t *testing.T) {
	if dir := os.Getenv("PARLEY_SCREENSHOTS"); dir != "" {
		g := newGallery(t)
		looks := []look{{"light", "en", 1280}, {"dark", "zh", 1280}, {"dark", "en", 390}, {"light", "zh", 390}}
		for _, l := range looks {
			g.take(t, dir, l, scenes[:1])
		}
		g.take(t, dir, look{"light", "en", 1280}, []scene{{"reference", showReference}})
		return
	}
	dir := os.Getenv("PARLEY_GALLERY")
	if dir == "" {
		t.Skip("needs PARLEY_GALLERY or PARLEY_SCREENSHOTS, a folder for screenshots")
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
	g.session = g.sessions[l.language]
	for _, s := range wanted {
		b.do(chromedp.Navigate("about:blank"))
		s.show(b, g)
		b.waitForAnimations()
		b.screenshot(filepath.Join(dir, s.name+"-"+l.String()+".png"))
	}
}

// prefer sets the user's preferences.
func (b *tab) prefer(l look) {
	b.Helper()
	b.eval(fmt.Sprintf(`localStorage.setItem("parley.preferences",
		JSON.stringify({theme: %q, language: %q, webSearch: true}))`, l.theme, l.language))
}

var scenes = []scene{
	{"chat", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/chat/" + g.session))
		b.until(`document.querySelector(".katex") && document.querySelector(".hljs-keyword")`)
		b.eval(`document.querySelector("[role=log]").scrollTop = 1e9`)
	}},
	{"welcome", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/"))
		b.until(`document.querySelector(".starters button")`)
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
		b.eval(`document.querySelector("#open-sidebar")?.click()`) // on a narrow screen
		b.until(`document.querySelector("nav li")`)
	}},
	{"palette", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/"))
		b.until(`document.querySelector("#composer")`)
		b.control("k")
		b.write("#palette", "o")
		b.until(`document.querySelector("dialog .snippet")`)
	}},
	{"streaming", func(b *tab, g *gallery) {
		g.model.Script(
			aitest.Thinking("They want a long answer."),
			aitest.Text("## To begin with\n\nThere is **much** to say, and"),
			aitest.Hang(),
		)
		b.do(chromedp.Navigate(g.url + "/#/"))
		b.until(`document.querySelector("#composer")`)
		b.write("#composer", "Tell me everything")
		b.enter()
		b.until(`document.querySelector(".assistant strong")`)
	}},
	{"thinking", func(b *tab, g *gallery) {
		g.model.Script(aitest.Thinking("They want the quickest way.\n\n- Look at **the timetable**"), aitest.Hang())
		b.do(chromedp.Navigate(g.url + "/#/"))
		b.until(`document.querySelector("#composer")`)
		b.write("#composer", "Which ferry is the quickest?")
		b.enter()
		b.until(`document.querySelector(".thinking .line")`)
	}},
	{"sources", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/chat/" + g.session))
		b.until(`document.querySelector(".sources summary")`)
		b.eval(`document.querySelector(".sources summary").click()`)
	}},
	{"folded", func(b *tab, g *gallery) {
		session := g.talk(b.T, "Minutes", strings.Repeat("We talked about the ferries, and agreed on the first.\n", 40))
		b.do(chromedp.Navigate(g.url + "/#/chat/" + session))
		b.until(`document.querySelector(".folded")`)
	}},
	{"failed", func(b *tab, g *gallery) {
		g.model.Script(aitest.Status(400, "no"))
		b.do(chromedp.Navigate(g.url + "/#/"))
		b.until(`document.querySelector("#composer")`)
		b.write("#composer", "Hello")
		b.enter()
		b.until(`document.querySelector("[role=alert]")`)
	}},
	{"shortcuts", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/"))
		b.until(`document.querySelector("#composer")`)
		b.eval(`dispatchEvent(new KeyboardEvent("keydown", {key: "?"}))`)
		b.until(`document.querySelector("dialog[open]")`)
	}},
	{"share", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/chat/" + g.session))
		b.until(`document.querySelector("header [aria-haspopup=menu]")`)
		b.eval(`document.querySelector("header [aria-haspopup=menu]").click()`)
		b.eval(`document.querySelectorAll(":popover-open [role=menuitem]")[3].click()`)
		b.until(`document.querySelector("dialog[open] select")`)
	}},
	{"shared", func(b *tab, g *gallery) {
		out, err := g.api.Share(b.Context(), g.session, parley.ShareInput{Thinking: true})
		if err != nil {
			b.Fatal(err)
		}
		b.do(chromedp.Navigate(out.URL))
		b.until(`document.querySelector(".katex") && document.querySelector(".hljs-keyword")`)
	}},
	{"gone", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/s/gone"))
		b.until(`document.querySelector(".gone")`)
	}},
	{"set-up", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/"))
		b.eval(`localStorage.setItem("parley.setUp", "claimed")`)
		b.reload()
		b.until(`document.querySelectorAll(".starters section li").length > 3`)
		b.eval(`localStorage.setItem("parley.setUp", "dismissed")`)
	}},
	{"admin", func(b *tab, g *gallery) { showAdmin(b, g, "overview") }},
	{"admin-users", func(b *tab, g *gallery) { showAdmin(b, g, "users") }},
	{"admin-usage", func(b *tab, g *gallery) { showAdmin(b, g, "usage") }},
	{"admin-audit", func(b *tab, g *gallery) { showAdmin(b, g, "audit") }},
	{"admin-settings", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.url + "/#/admin/settings"))
		b.until(`document.querySelector("[role=switch]")`)
	}},
	{"admin-quota", func(b *tab, g *gallery) {
		showAdmin(b, g, "users")
		b.eval(`document.querySelector(".table [aria-haspopup=menu]").click()`)
		b.until(`document.querySelector(":popover-open")`)
		b.eval(`document.querySelector(":popover-open [role=menuitem]").click()`)
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

// showAdmin shows a section of the administration that has a list.
func showAdmin(b *tab, g *gallery, section string) {
	b.do(chromedp.Navigate(g.url + "/#/admin/" + section))
	b.until(`document.querySelector(".admin li")`)
}

func showReference(b *tab, g *gallery) {
	b.do(chromedp.Navigate(g.url + "/docs#send"))
	b.until(`document.querySelector("#send .hljs-string")`)
}

const showpieceEn = "The **hydrofoil** from Naples is the quickest way [1]. " +
	`Where $v$ is its speed and $d$ the distance, the crossing takes

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

const showpieceZh = `从那不勒斯坐**水翼船**最快 [1]。设航速为 $v$，距离为 $d$，航程需要

$$t = \frac{d}{v} = \frac{33\ \text{km}}{40\ \text{km/h}} \approx 50\ \text{min}$$

| 出发地 | 船型 | 开船 | 用时 |
|---|---|---|---:|
| 那不勒斯 | 水翼船 | 09:00 | 50 分钟 |
| 索伦托 | 快船 | 09:40 | 25 分钟 |

想知道海面是否平静：

` + "```go\nfunc calm(waves []float64) bool {\n\treturn slices.Max(waves) < 1.25 // 米\n}\n```" + `

- [x] 预订水翼船
- [ ] 轻装出行：行李超过 10 公斤要加钱
`

func newGallery(t *testing.T) *gallery {
	t.Helper()
	w := newWorld(t)
	w.model.Answer(func(r aitest.Request) []aitest.Step {
		switch {
		case strings.Contains(r.Question(), "Capri 哪班船"):
			return thinkAndSay("他们想要最快的方式。时刻表上是水翼船。", showpieceZh)
		case strings.Contains(r.Question(), "Capri"):
			return thinkAndSay("They want the quickest way. The timetable says the hydrofoil.", showpieceEn)
		case strings.Contains(r.Question(), "四个人"):
			return aitest.Say("好主意。早上出发，傍晚返回，一天足够了。")
		}
		return aitest.Say("Gladly. Here is a short answer to begin with.")
	})
	g := &gallery{world: w, token: w.register(t)}
	for _, title := range []string{
		"Notes for the Monday talk", "一份周末菜单", "Why is the sky blue?", "Rust and Go compared",
		"如何给孩子解释时差", "A kind refusal",
	} {
		w.talk(t, title, "Let us begin")
	}
	g.sessions = map[string]string{
		"zh": g.showpiece(t, "五月的卡普里", "我们四个人，想去岛上玩一天。", "去 Capri 哪班船最快？"),
		"en": g.showpiece(t, "Capri in May", "We are four people and would like to see the island for a day.",
			"Which ferry takes us to Capri the quickest?"),
	}
	g.session = g.sessions["en"]
	g.addUsers(t)
	return g
}

// addUsers makes the user an administrator, and adds other accounts.
func (g *gallery) addUsers(t *testing.T) {
	t.Helper()
	if _, err := g.api.Claim(t.Context(), parley.ClaimInput{Code: g.claimCode(t)}); err != nil {
		t.Fatal(err)
	}
	g.registerAs(t, "li.lei@example.com", "李雷")
	g.registerAs(t, "a.very.long.address.of.somebody@mail.example.com", "Maximiliane Featherstonehaugh")
	g.registerAs(t, bob, "Bob")
	found, err := g.api.Users(t.Context(), "bob", parley.Page{})
	if err != nil {
		t.Fatal(err)
	}
	id := found.Users[0].UserID
	if err := g.api.SetUserQuota(t.Context(), id, parley.QuotaInput{Quota: "tokens=1M/d,messages=200/d"}); err != nil {
		t.Fatal(err)
	}
	if err := g.api.DisableUser(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

func thinkAndSay(thinking, text string) []aitest.Step {
	return append([]aitest.Step{aitest.Thinking(thinking)}, aitest.Say(text)...)
}

// showpiece creates a session with a file, sources, thinking and a favorite.
func (g *gallery) showpiece(t *testing.T, title, first, second string) string {
	t.Helper()
	session := g.talk(t, title, first)
	timetable := strings.NewReader("Naples 09:00, Capri 09:50")
	if _, err := g.api.Upload(t.Context(), session, "timetable.md", timetable); err != nil {
		t.Fatal(err)
	}
	out, err := g.api.Send(t.Context(), parley.SendInput{
		SessionID: session, Content: second, ReplyOptions: parley.ReplyOptions{DeepThinking: true, WebSearch: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	g.favorite(t, session, out.AIResponse.ID)
	return session
}
