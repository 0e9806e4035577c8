package browser

import (
	"bytes"
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

// gallery is a server with enough data to fill every page.
type gallery struct {
	*world
	token    string
	sessions map[string]string // by language
	album    string            // a session with pictures
	file     string
	limited  string // the token of a user with a quota
	guarded  string // of a user with a second factor
	recovery string // one of that user's recovery codes
	fresh    string // of a user without anything
	bare     *world // a server without a model and an administrator

	look    look
	session string // in the language of the look
}

// TestGallery takes screenshots of the client. PARLEY_GALLERY is a folder for every page in
// both themes and languages at three widths. PARLEY_SCREENSHOTS is a folder for the few
// screenshots of the README instead.
func TestGallery(t *testing.T) {
	if dir := os.Getenv("PARLEY_SCREENSHOTS"); dir != "" {
		g := newGallery(t)
		looks := []look{{"light", "en", 1280}, {"dark", "zh", 1280}, {"dark", "en", 390}, {"light", "zh", 390}}
		for _, l := range looks {
			g.take(t, dir, l, chatScenes[:1])
		}
		g.take(t, dir, look{"light", "en", 1280}, referenceScenes[:1])
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
				l := look{theme, language, width}
				t.Run(l.String(), func(t *testing.T) { g.take(t, dir, l, scenes()) })
			}
		}
	}
}

func (g *gallery) take(t *testing.T, dir string, l look, wanted []scene) {
	t.Helper()
	b := g.open(t, l)
	for _, s := range wanted {
		g.visit(b, s, func() {
			b.waitForAnimations()
			b.screenshot(filepath.Join(dir, s.name+"-"+l.String()+".png"))
		})
	}
}

// open opens a browser with a look.
func (g *gallery) open(t *testing.T, l look) *tab {
	t.Helper()
	b := signedIn(t, g.world, g.token, "", l.width)
	b.prefer(l)
	g.look, g.session = l, g.sessions[l.language]
	return b
}

// visit shows a scene in a new document, and looks at it, in a test of its own.
func (g *gallery) visit(b *tab, s scene, look func()) {
	b.Helper()
	outer := b.T
	defer func() { b.T = outer }()
	outer.Run(s.name, func(t *testing.T) {
		b.T = t
		b.do(chromedp.Navigate("about:blank"))
		s.show(b, g)
		look()
	})
}

// prefer sets the user's preferences.
func (b *tab) prefer(l look) {
	b.Helper()
	b.eval(fmt.Sprintf(`localStorage.setItem("parley.preferences",
		JSON.stringify({theme: %q, language: %q, webSearch: true}))`, l.theme, l.language))
}

const showpieceEn = "The **hydrofoil** from Naples is the quickest way [1]. " +
	`Where $v$ is its speed and $d$ the distance, the crossing takes

$$t = \frac{d}{v} = \frac{33\ \text{km}}{40\ \text{km/h}} \approx 50\ \text{min}$$

| from | ferry | leaves | takes |
|---|---|---|---:|
| Naples, Molo Beverello | hydrofoil | 09:00 | 50 min |
| Sorrento | fast ferry | 09:40 | 25 min |

To be told when the sea is calm enough:

` + "```go\nfunc calm(waves []float64) bool {\n\treturn slices.Max(waves) < 1.25 // meters\n}\n```" + `

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
	w := galleryWorld(t)
	w.model.Respond(func(r aitest.Request) []aitest.Step {
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
	g.archive(t, w.talk(t, "Taxes of last year", "Let us begin"))
	g.album = g.addAlbum(t)
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
	key := parley.KeyInput{Name: "Backup script", Scopes: []parley.Scope{parley.ScopeRead}, ExpiresIn: 90 * 24 * 3600}
	if _, err := w.api.CreateKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	for _, in := range []parley.PromptInput{
		{Name: "Translate", Text: "Translate this into {{language}}, and keep the tone:"},
		{Name: "会议纪要", Text: "把下面的会议记录整理成要点，列出负责人和期限：{{记录}}"},
		{Name: "Plan a day", Text: "Plan a day in {{place}} for {{people}}, with ferries and meals."},
	} {
		if _, err := w.api.CreatePrompt(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	g.addUsers(t)
	g.bare = newWorld(t, "PARLEY_AI_BASE_URL=builtin")
	g.bare.register(t)
	return g
}

// galleryWorld starts a server with everything that a page can show: two models, mail, and a provider to sign in with,
// which can't be reached.
func galleryWorld(t *testing.T) *world {
	t.Helper()
	config := filepath.Join(t.TempDir(), "parley.yaml")
	models := "models:\n  Coder: {model: coder, description: Writes and explains code, thinking: none}\n"
	if err := os.WriteFile(config, []byte(models), 0o600); err != nil {
		t.Fatal(err)
	}
	w, _ := mailed(t, "PARLEY_CONFIG="+config, "PARLEY_AI_IMAGES=true",
		"PARLEY_OIDC_ISSUER=http://127.0.0.1:1", "PARLEY_OIDC_CLIENT_ID=parley", "PARLEY_OIDC_NAME=Example Company")
	return w
}

func (g *gallery) archive(t *testing.T, session string) {
	t.Helper()
	if err := g.api.UpdateSession(t.Context(), session, parley.UpdateSessionInput{Archived: new(true)}); err != nil {
		t.Fatal(err)
	}
}

// addAlbum creates a session with pictures.
func (g *gallery) addAlbum(t *testing.T) string {
	t.Helper()
	session := g.talk(t, "Pictures of the harbor")
	for i, name := range []string{"map.png", "harbor.png"} {
		picture := bytes.NewReader(paint(t, i+1, 600+300*i, 500))
		if _, err := g.api.Upload(t.Context(), session, name, picture); err != nil {
			t.Fatal(err)
		}
	}
	in := parley.SendInput{SessionID: session, Content: "What do you see?"}
	if _, err := g.api.Send(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	return session
}

const guarded = "guarded@example.com"

// addUsers makes the user an administrator, and adds other accounts.
func (g *gallery) addUsers(t *testing.T) {
	t.Helper()
	if _, err := g.api.Claim(t.Context(), parley.ClaimInput{Code: g.claimCode(t)}); err != nil {
		t.Fatal(err)
	}
	g.registerAs(t, "li.lei@example.com", "李雷")
	g.fresh = g.registerAs(t, "a.very.long.address.of.somebody@mail.example.com", "Maximiliane Featherstonehaugh")
	g.guarded = g.registerAs(t, guarded, "Grace")
	g.guard(t)
	g.limited = g.registerAs(t, "li.na@example.com", "Li Na")
	g.limit(t, "li.na", "messages=5/d")
	lina := &world{api: g.api.WithToken(g.limited)}
	lina.talk(t, "Ferries", "One", "Two", "Three", "Four")
	g.registerAs(t, bob, "Bob")
	if err := g.api.DisableUser(t.Context(), g.limit(t, "bob", "tokens=1M/d,messages=200/d")); err != nil {
		t.Fatal(err)
	}
}

// limit sets the quota of a user, found by a keyword, and returns the user's id.
func (g *gallery) limit(t *testing.T, keyword, quota string) int64 {
	t.Helper()
	found, err := g.api.Users(t.Context(), keyword, parley.Page{})
	if err != nil {
		t.Fatal(err)
	}
	id := found.Users[0].UserID
	if err := g.api.SetUserQuota(t.Context(), id, parley.QuotaInput{Quota: quota}); err != nil {
		t.Fatal(err)
	}
	return id
}

// guard turns on the second factor of a user.
func (g *gallery) guard(t *testing.T) {
	t.Helper()
	api := g.api.WithToken(g.guarded)
	out, err := api.SetUpSecondFactor(t.Context(), parley.SecondFactorInput{Password: password})
	if err != nil {
		t.Fatal(err)
	}
	in := parley.ConfirmSecondFactorInput{Code: code(t, out.Secret, 0)}
	confirmed, err := api.ConfirmSecondFactor(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	g.recovery = confirmed.RecoveryCodes[0]
}

func thinkAndSay(thinking, text string) []aitest.Step {
	return append([]aitest.Step{aitest.Thinking(thinking)}, aitest.Say(text)...)
}

// showpiece creates a session with a file, sources, thinking and a favorite.
func (g *gallery) showpiece(t *testing.T, title, first, second string) string {
	t.Helper()
	session := g.talk(t, title, first)
	timetable := strings.NewReader("Naples 09:00, Capri 09:50")
	file, err := g.api.Upload(t.Context(), session, "timetable.md", timetable)
	if err != nil {
		t.Fatal(err)
	}
	g.file = file.FileID
	out, err := g.api.Send(t.Context(), parley.SendInput{
		SessionID: session, Content: second, ReplyOptions: parley.ReplyOptions{DeepThinking: true, WebSearch: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	g.favorite(t, session, out.AIResponse.ID)
	return session
}
