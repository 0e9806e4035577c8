package browser

import "testing"

const quotaLine = `document.querySelector("form [role=status]")?.textContent`

// TestUsageAndQuotaAreShown uses up a quota of five replies.
func TestUsageAndQuotaAreShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "PARLEY_QUOTA=messages=5/d")
	token := w.register(t)
	b := signedIn(t, w, token, "#/settings/usage", 1280)
	b.shows("Nothing used yet.")
	b.shows("5 of 5 replies left")

	session := w.talk(t, "Ferries", "One", "Two", "Three", "Four")
	b.reload()
	b.shows("1 of 5 replies left")
	b.until(`document.querySelector("#settings-usage li .soft")?.textContent.startsWith("4 replies · ")`)
	b.until(`document.querySelectorAll("#settings-usage .bar").length === 30`)
	b.until(`document.querySelector("#settings-usage details li").textContent.endsWith(" tokens, 4 replies")`)
	b.shows("Some of the figures are estimates.")
	if value[bool](b, `document.querySelector("#settings-usage").innerText.includes("Cost")`) {
		t.Error("models without prices have a cost")
	}

	b.eval(`location.hash = "#/chat/` + session + `"`)
	b.until(quotaLine + `.includes("80% of today's quota is used.")`)
	b.until(`/about [0-9,]+ tokens in, [0-9,]+ out/.test(document.querySelector("article.assistant").textContent)`)
	b.ask("Five")
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 10`)
	b.ask("Six")
	b.shows("No reply for now: your quota for today is used up; it starts anew at ")
	b.until(quotaLine + `.includes("Today's quota is used up.")`)
	b.reload()
	b.until(`document.querySelector("#composer")?.value === "Six"`)
	b.until(quotaLine + `.includes("Today's quota is used up.")`)
	b.checkQuiet(w.url)
}
