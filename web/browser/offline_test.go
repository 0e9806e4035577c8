package browser

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTheClientStartsWithoutTheServer reloads the page after the server is gone. The browser's cache has no data of the
// user.
func TestTheClientStartsWithoutTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "The hydrofoil to Capri")
	server, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(httputil.NewSingleHostReverseProxy(server))
	t.Cleanup(proxy.Close)
	b := signedInWithWorker(t, &world{url: proxy.URL}, token, "#/chat/"+session)
	b.shows("The hydrofoil to Capri")
	b.until(`navigator.serviceWorker.controller`)
	b.eval(`document.querySelector("#open-sidebar")?.click()`)
	b.checkQuiet(proxy.URL)

	stored := value[[]string](b, `(async () => {
		const paths = []
		for (const name of await caches.keys()) {
			for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname)
		}
		return paths
	})()`)
	if !slices.Contains(stored, "/") {
		t.Errorf("the page is not stored: %q", stored)
	}
	for _, path := range stored {
		isFixed := slices.Contains([]string{"/", "/theme.js", "/favicon.svg", "/icon-192.png", "/manifest.webmanifest"}, path)
		if !isFixed && !strings.HasPrefix(path, "/assets/") {
			t.Errorf("%s is stored", path)
		}
	}

	proxy.CloseClientConnections()
	proxy.Close()
	b.do(chromedp.Reload())
	b.until(`document.querySelector("nav .brand") && document.querySelector("#composer")`)
	b.shows("The server can't be reached.")
}

func TestTheClientCanBeInstalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, w.url, 1280)
	b.until(`document.querySelector("form")`)
	icons := value[[]string](b, `(async () => {
		const { href } = document.querySelector("link[rel=manifest]")
		const manifest = await (await fetch(href)).json()
		if (manifest.display !== "standalone" || manifest.start_url !== "/") throw new Error(JSON.stringify(manifest))
		const found = []
		for (const { src, sizes, type } of manifest.icons) {
			const response = await fetch(src)
			const picture = await createImageBitmap(await response.blob()).catch(() => null) // none for SVG
			const size = picture ? picture.width + "x" + picture.height : "any"
			if (response.headers.get("Content-Type") === type && size === sizes) found.push(src)
		}
		return found
	})()`)
	if len(icons) != 4 {
		t.Errorf("the icons %q have the type and size that the manifest says", icons)
	}
	b.checkQuiet(w.url)
}
