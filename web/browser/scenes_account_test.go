package browser

import (
	"fmt"

	"github.com/chromedp/chromedp"
)

// showSettings shows a section of the settings, at the top of the page.
func showSettings(section, ready string) func(b *tab, g *gallery) {
	return func(b *tab, g *gallery) {
		g.goTo(b, "#/settings/"+section)
		b.until(`document.querySelector("#settings-` + section + `")`)
		b.until(ready)
		b.eval(`document.querySelector("#settings-` + section + `").scrollIntoView()`)
	}
}

var settingsScenes = []scene{
	{"settings", showSettings("appearance", `document.querySelector("#settings-devices li")`)},
	{"settings-password", showSettings("password", `document.querySelector("#settings-usage .bar")`)},
	{"settings-usage", showSettings("usage", `document.querySelector("#settings-usage .bar")`)},
	{"settings-keys", showSettings("keys", `document.querySelector("#settings-keys li")`)},
	{"settings-devices", showSettings("devices", `document.querySelector("#settings-devices li")`)},
	{"settings-prompts", showSettings("prompts", `document.querySelector("#settings-prompts li")`)},
	{"new-prompt", func(b *tab, g *gallery) {
		showSettings("prompts", `document.querySelector("#settings-prompts li")`)(b, g)
		b.eval(`[...document.querySelectorAll("#settings-prompts button")].at(-1).click()`)
		b.until(`document.querySelector("dialog[open] textarea")`)
	}},
	{"new-key", func(b *tab, g *gallery) {
		showSettings("keys", `document.querySelector("#settings-keys li")`)(b, g)
		b.eval(`[...document.querySelectorAll("#settings-keys button")].at(-1).click()`)
		b.until(`document.querySelector("dialog[open] select")`)
	}},
	{"new-factor", func(b *tab, g *gallery) {
		showSettings("second-factor", `document.querySelector("#settings-second-factor button")`)(b, g)
		b.eval(`document.querySelector("#settings-second-factor button").click()`)
		b.until(`document.querySelector('dialog input[name="confirm-factor"]')`)
		b.fill(`dialog input[name="confirm-factor"]`, password)
		b.eval(`document.querySelector("dialog form").requestSubmit()`)
		b.until(`document.querySelector("dialog[open] svg[role=img] path")`)
	}},
	{"import-running", func(b *tab, g *gallery) {
		showSettings("import", `document.querySelector("input[name=import]")`)(b, g)
		b.eval(`window.fetch = (real => (url, options) => !url.includes("/api/import/") ? real(url, options) :
			Promise.resolve(new Response(JSON.stringify({error: 0, body: {
				state: "running", percent: 40, sessions: 12, messages: 240, skipped: []}}))))(window.fetch)`)
		b.chooseFile("export.zip", importFile())
		b.until(`document.querySelector("#settings-import .state")`)
	}},
	{"imported", func(b *tab, g *gallery) {
		showSettings("import", `document.querySelector("input[name=import]")`)(b, g)
		b.chooseFile("export.zip", importFile())
		b.until(`document.querySelector("#settings-import details")`)
		b.eval(`document.querySelector("#settings-import details").open = true`)
	}},
	{"delete-chats", func(b *tab, g *gallery) {
		showSettings("account", `document.querySelector("#settings-account button")`)(b, g)
		b.eval(`document.querySelectorAll("#settings-account button")[2].click()`)
		b.until(`document.querySelector("dialog[open] form")`)
	}},
	{"delete-account", func(b *tab, g *gallery) {
		showSettings("account", `document.querySelector("#settings-account button")`)(b, g)
		b.eval(`[...document.querySelectorAll("#settings-account button")].at(-1).click()`)
		b.until(`document.querySelector("dialog[open] input")`)
	}},
}

// showAdmin shows a section of the administration that has a list.
func showAdmin(b *tab, g *gallery, section string) {
	g.goTo(b, "#/admin/"+section)
	b.until(`document.querySelector(".admin li")`)
}

// manage opens the menu of the last account, and chooses an item of it, counted from 1.
func (g *gallery) manage(b *tab, item int) {
	b.Helper()
	showAdmin(b, g, "users")
	b.eval(`[...document.querySelectorAll(".table [aria-haspopup=menu]")].at(0).click()`)
	b.until(`document.querySelector(":popover-open")`)
	if item > 0 {
		b.eval(fmt.Sprintf(`document.querySelectorAll(":popover-open [role=menuitem]")[%d].click()`, item-1))
		b.until(`document.querySelector("dialog[open]")`)
	}
}

var adminScenes = []scene{
	{"set-up", func(b *tab, g *gallery) {
		g.goTo(b, "#/")
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
		g.goTo(b, "#/admin/settings")
		b.until(`document.querySelector("[role=switch]")`)
	}},
	{"admin-menu", func(b *tab, g *gallery) { g.manage(b, 0) }},
	{"admin-quota", func(b *tab, g *gallery) { g.manage(b, 1) }},
	{"admin-reset", func(b *tab, g *gallery) {
		g.manage(b, 3)
		b.eval(`document.querySelector("dialog .bad, dialog .primary").click()`)
		b.until(`document.querySelector("dialog input[readonly]")`)
	}},
	{"admin-delete", func(b *tab, g *gallery) { g.manage(b, 6) }},
}

// become logs another user in.
func (g *gallery) become(b *tab, token, hash string) {
	b.Helper()
	b.do(chromedp.Navigate(g.url + "/healthz"))
	b.eval(fmt.Sprintf(`localStorage.setItem("parley.token", %q); localStorage.removeItem("parley.user")`, token))
	g.goTo(b, hash)
}

var otherUserScenes = []scene{
	{"quota", func(b *tab, g *gallery) {
		g.become(b, g.limited, "#/")
		b.until(quotaLine)
		b.until(`document.querySelector("nav li") || document.querySelector("#open-sidebar")`)
	}},
	{"settings-quota", func(b *tab, g *gallery) {
		g.become(b, g.limited, "#/settings/usage")
		b.until(`document.querySelector("#settings-usage .bar")`)
	}},
	{"replace-factor", showReplaceFactor},
	{"recovery-codes", func(b *tab, g *gallery) {
		showReplaceFactor(b, g)
		b.fill(`dialog input[name="code"]`, g.recovery)
		b.fill(`dialog input[name="confirm-factor"]`, password)
		b.eval(`document.querySelector("dialog form").requestSubmit()`)
		b.until(`document.querySelector("dialog code.secret")`)
		secret := value[string](b, `document.querySelector("dialog code.secret").textContent`)
		b.fill(`dialog input[name="factor-code"]`, code(b.T, secret, 0))
		b.eval(`document.querySelector("dialog form").requestSubmit()`)
		b.until(`document.querySelectorAll("dialog li code").length === 10`)
		g.recovery = value[string](b, `document.querySelector("dialog li code").textContent`)
	}},
	{"turn-factor-off", func(b *tab, g *gallery) {
		g.become(b, g.guarded, "#/settings/second-factor")
		b.until(`document.querySelectorAll("#settings-second-factor button").length === 2`)
		b.eval(`document.querySelectorAll("#settings-second-factor button")[1].click()`)
		b.until(`document.querySelector("dialog[open] input")`)
	}},
	{"new-user", func(b *tab, g *gallery) {
		g.become(b, g.fresh, "#/")
		b.until(`document.querySelector(".starters button")`)
		b.eval(`document.querySelector("#open-sidebar")?.click()`) // on a narrow screen
		b.until(`document.querySelector("nav .user")`)
	}},
	{"no-favorites", func(b *tab, g *gallery) {
		g.become(b, g.fresh, "#/favorites")
		b.until(`document.querySelector("main h1") && document.querySelector("main .soft, main .empty")`)
	}},
	{"nothing-archived", func(b *tab, g *gallery) {
		g.become(b, g.fresh, "#/archived")
		b.until(`document.querySelector("main h1") && document.querySelector("main .soft, main .empty")`)
	}},
	{"nothing-in-settings", func(b *tab, g *gallery) {
		g.become(b, g.fresh, "#/settings/usage")
		b.until(`document.querySelector("#settings-devices li")`)
		b.eval(`document.querySelector("#settings-usage").scrollIntoView()`)
	}},
	{"no-administration", func(b *tab, g *gallery) {
		g.become(b, g.fresh, "#/admin")
		b.until(`document.querySelector("main h1, main [role=alert], main p")`)
	}},
	{"no-model", func(b *tab, g *gallery) {
		b.do(chromedp.Navigate(g.bare.url + "/healthz"))
		b.eval(fmt.Sprintf(`localStorage.setItem("parley.token", %q)`, g.bare.api.Token()))
		b.prefer(g.look)
		b.do(chromedp.Navigate(g.bare.url + "/"))
		b.until(`document.querySelector("[name=claim-code]")`)
	}},
}

// openLogin shows the page for strangers.
func (g *gallery) openLogin(b *tab) {
	b.Helper()
	b.do(chromedp.Navigate(g.url + "/healthz"))
	b.eval(`localStorage.removeItem("parley.token"), localStorage.removeItem("parley.email")`)
	b.do(chromedp.Navigate(g.url + "/"))
	b.until(`document.querySelector("form") && document.querySelector(".or")`)
}

var loginScenes = []scene{
	{"login", func(b *tab, g *gallery) { g.openLogin(b) }},
	{"register", func(b *tab, g *gallery) {
		g.openLogin(b)
		b.eval(`document.querySelectorAll(".tabs button")[1].click()`)
	}},
	{"wrong-password", func(b *tab, g *gallery) {
		g.openLogin(b)
		b.tryToLogIn(email, "wrong one")
		b.until(`document.querySelector("[role=alert]")`)
	}},
	{"login-code", func(b *tab, g *gallery) {
		g.openLogin(b)
		b.tryToLogIn(guarded, password)
		b.until(`document.querySelector("input[name=code]")`)
	}},
	{"forgot", func(b *tab, g *gallery) {
		g.openLogin(b)
		b.eval(`document.querySelector(".forgot").click()`)
		b.until(`document.querySelector("form") && !document.querySelector("input[name=password]")`)
	}},
	{"forgot-sent", func(b *tab, g *gallery) {
		g.openLogin(b)
		b.eval(`document.querySelector(".forgot").click()`)
		b.until(`document.querySelector("form") && !document.querySelector("input[name=password]")`)
		b.fill(`input[name="email"]`, "nobody@example.com")
		b.eval(`document.querySelector("form").requestSubmit()`)
		b.until(`document.querySelector("[role=status]")`)
	}},
	{"reset", func(b *tab, g *gallery) {
		g.openLogin(b)
		b.eval(`location.hash = "#reset=a-code"`)
		b.until(`document.querySelector("input[name=new]")`)
	}},
	{"sign-in-failed", func(b *tab, g *gallery) {
		g.openLogin(b)
		b.do(chromedp.Navigate("about:blank"))
		b.do(chromedp.Navigate(g.url + "/#login=somebody-elses-code"))
		b.until(`document.querySelector("[role=alert]")`)
	}},
}

// showReplaceFactor shows the dialog that asks for a code before another app is set up.
func showReplaceFactor(b *tab, g *gallery) {
	g.become(b, g.guarded, "#/settings/second-factor")
	b.until(`document.querySelectorAll("#settings-second-factor button").length === 2`)
	b.eval(`document.querySelector("#settings-second-factor button").click()`)
	b.until(`document.querySelector('dialog input[name="code"]')`)
}
