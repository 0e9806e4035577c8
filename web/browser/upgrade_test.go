package browser

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// TestAnOldPageReloadsAfterAnUpgrade has a server that does not have the page's later
// files, as after an upgrade. The new page gets them.
func TestAnOldPageReloadsAfterAnUpgrade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Capri", "Hello")
	server, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	var upgraded atomic.Bool
	forward := httputil.NewSingleHostReverseProxy(server)
	proxy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		if strings.HasPrefix(in.URL.Path, "/assets/MessageList") && !upgraded.Swap(true) {
			http.NotFound(out, in)
			return
		}
		forward.ServeHTTP(out, in)
	}))
	t.Cleanup(proxy.Close)
	b := signedInWithWorker(t, &world{url: proxy.URL}, token, "#/chat/"+session)
	b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	if !upgraded.Load() {
		t.Error("no file was missing")
	}
}
