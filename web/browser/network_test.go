package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
)

// cuttable returns a server behind a proxy, and a function that cuts off its connections or allows them again.
func cuttable(t *testing.T, w *world) (*world, func(off bool)) {
	t.Helper()
	server, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	var isOff atomic.Bool
	forward := httputil.NewSingleHostReverseProxy(server)
	proxy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		if isOff.Load() {
			panic(http.ErrAbortHandler) // closes the connection
		}
		forward.ServeHTTP(out, in)
	}))
	t.Cleanup(proxy.Close)
	return &world{url: proxy.URL}, func(off bool) {
		isOff.Store(off)
		if off {
			proxy.CloseClientConnections()
		}
	}
}

// setOnline tells the page whether its device has a network.
func (b *tab) setOnline(online bool) {
	b.Helper()
	event := map[bool]string{true: "online", false: "offline"}[online]
	b.eval(fmt.Sprintf(`
		Object.defineProperty(navigator, "onLine", {value: %t, configurable: true})
		dispatchEvent(new Event(%q))`, online, event))
}

func TestThePageSaysThatItIsOfflineAndRecovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	proxy, cutOff := cuttable(t, w)
	b := signedIn(t, proxy, token, "#/", 1280)
	b.until(`document.querySelectorAll("nav li").length === 1`)
	cutOff(true)
	b.setOnline(false)
	b.shows("You are offline.")
	b.eval(`location.hash = "#/chat/` + session + `"`)
	b.shows("The server can't be reached.")
	if value[bool](b, `document.body.innerText.includes("No messages yet")`) {
		t.Error("the page says that there are no messages")
	}
	cutOff(false)
	b.setOnline(true)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.until(`!document.body.innerText.includes("You are offline.")`)
	b.until(`document.querySelectorAll("[role=alert]").length === 0`)
}

func TestThePageSaysThatTheServerCantBeReachedAndRecovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	proxy, cutOff := cuttable(t, w)
	b := signedIn(t, proxy, token, "#/", 1280)
	b.until(`document.querySelectorAll("nav li").length === 1`)
	cutOff(true)
	b.eval(`location.hash = "#/chat/` + session + `"`)
	b.shows("No connection to the server.")
	cutOff(false)
	b.until(`!document.body.innerText.includes("No connection to the server.")`)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
}

func TestMessagesAppearAfterALostConnectionThoughTheirPartOfThePageCouldNotBeLoaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	proxy, cutOff := cuttable(t, w)
	b := signedIn(t, proxy, token, "#/settings", 1280)
	b.shows("Appearance")
	cutOff(true)
	b.eval(`location.hash = "#/chat/` + session + `"`)
	b.shows("No connection to the server.")
	cutOff(false)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
}
