package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// cutOff makes the requests of the page fail, or succeed again. The browser does not know of it.
func (b *tab) cutOff(offline bool) {
	b.Helper()
	rule := network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{
		{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1},
	}}
	if _, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, rule); err != nil {
		b.fail(err)
	}
	// The process that sends the requests learns of it a moment later.
	value[bool](b, fmt.Sprintf(`(async () => {
		for (;;) {
			const failed = await fetch("/healthz", {cache: "no-store"}).then(() => false, () => true)
			if (failed === %t) return true
		}
	})()`, offline))
}

// setOffline cuts the page off from the network, or connects it again.
func (b *tab) setOffline(offline bool) {
	b.Helper()
	b.cutOff(offline)
	state := network.OverrideNetworkStateParams{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}
	if _, err := chromedp.Call(b.ctx, network.OverrideNetworkState, state); err != nil {
		b.fail(err)
	}
}

func TestThePageSaysThatItIsOfflineAndRecovers(t *testing.T) {
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/", 1280)
	b.until(`document.querySelectorAll("nav li").length === 1`)
	b.setOffline(true)
	b.shows("You are offline.")
	b.eval(`location.hash = "#/chat/` + session + `"`)
	b.shows("The server can't be reached.")
	if value[bool](b, `document.body.innerText.includes("No messages yet")`) {
		t.Error("the page says that there are no messages")
	}
	b.setOffline(false)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.until(`!document.body.innerText.includes("You are offline.")`)
	b.until(`document.querySelectorAll("[role=alert]").length === 0`)
}

func TestThePageSaysThatTheServerCantBeReachedAndRecovers(t *testing.T) {
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/", 1280)
	b.until(`document.querySelectorAll("nav li").length === 1`)
	b.cutOff(true)
	b.eval(`location.hash = "#/chat/` + session + `"`)
	b.shows("No connection to the server.")
	b.cutOff(false)
	b.until(`!document.body.innerText.includes("No connection to the server.")`)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
}

func TestMessagesAppearAfterALostConnectionThoughTheirPartOfThePageCouldNotBeLoaded(t *testing.T) {
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/settings", 1280)
	bypass := network.SetBypassServiceWorkerParams{Bypass: true} // it may have that part
	if _, err := chromedp.Call(b.ctx, network.SetBypassServiceWorker, bypass); err != nil {
		t.Fatal(err)
	}
	b.shows("Appearance")
	b.cutOff(true)
	b.eval(`location.hash = "#/chat/` + session + `"`)
	b.shows("No connection to the server.")
	b.cutOff(false)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
}
