package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
)

// refusal is a response of an overloaded server, or of one that limits requests.
type refusal struct {
	path    string
	status  int
	code    int
	message string
	wait    int // seconds
}

// refuseOnce returns a proxy of the server that refuses the first request for a path, except for pinned sessions.
func refuseOnce(t *testing.T, w *world, r refusal) *world {
	t.Helper()
	server, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	var refused atomic.Bool
	forward := httputil.NewSingleHostReverseProxy(server)
	proxy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		if in.URL.Path != r.path || in.URL.Query().Has("pinned") || refused.Swap(true) {
			forward.ServeHTTP(out, in)
			return
		}
		_, _ = io.Copy(io.Discard, in.Body) // the browser may have disconnected
		out.Header().Set("Content-Type", "application/json")
		out.Header().Set("Retry-After", strconv.Itoa(r.wait))
		out.WriteHeader(r.status)
		_, _ = fmt.Fprintf(out, `{"error":%d,"message":%q,"success":false}`, r.code, r.message)
	}))
	t.Cleanup(proxy.Close)
	return &world{url: proxy.URL}
}

const retryButton = `document.querySelector("[role=alert] button, .uploads button")`

// stopClock stops the page's clock. A countdown then stays at its first value.
func (b *tab) stopClock() {
	b.Helper()
	b.eval(`const now = Date.now(); Date.now = () => now`)
}

// advanceClock advances the page's clock.
func (b *tab) advanceClock(seconds int) {
	b.Helper()
	b.eval(fmt.Sprintf(`(now => { Date.now = () => now() + %d })(Date.now)`, seconds*1000))
}

func TestARefusedMessageIsSentAgainAfterTheWaitingTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	for _, tt := range []struct {
		refusal
		says string
	}{
		{
			refusal{"/api/chat/stream", 429, 1006, "too many requests; try again later", 3000},
			"Too many requests in a short time. Wait 50 minutes before you try again.",
		},
		{
			refusal{"/api/chat/stream", 503, 5000, "the server is busy; try again shortly", 100},
			"The server is busy at the moment. Wait 100 seconds before you try again.",
		},
		{
			refusal{"/api/chat/session", 503, 5000, "the server is busy; try again shortly", 100},
			"The server is busy at the moment. Wait 100 seconds before you try again.",
		},
	} {
		proxy := refuseOnce(t, w, tt.refusal)
		b := signedIn(t, proxy, token, "", 1280)
		b.until(`document.querySelector("#composer")`)
		b.stopClock()
		b.ask("Hello")
		b.shows(tt.says)
		if !value[bool](b, retryButton+`.disabled`) {
			t.Errorf("%d: the message can be sent again before its time", tt.status)
		}
		b.advanceClock(tt.wait)
		b.press("Try again")
		b.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
		b.checkQuiet(proxy.url)
	}
}

func TestARefusedUploadIsTriedAgainAfterTheWaitingTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	proxy := refuseOnce(t, w, refusal{"/api/files/upload", 429, 1006, "too many requests; try again later", 100})
	b := signedIn(t, proxy, token, "", 1280)
	b.until(`document.querySelector("#composer")`)
	b.stopClock()
	b.paste("timetable.md", 100)
	b.shows("Too many requests in a short time. Wait 100 seconds before you try again.")
	if !value[bool](b, retryButton+`.disabled`) {
		t.Error("the file can be uploaded again before its time")
	}
	b.advanceClock(100)
	b.press("Try again")
	b.until(`document.querySelector("button.files")?.textContent.includes("1")`)
	b.checkQuiet(proxy.url)
}

func TestAFileOverOnesStorageFitsOnceAnotherIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "PARLEY_USER_STORAGE=2000B") // a file takes 1267 with its text and index
	token := w.register(t)
	b := signedIn(t, w, token, "", 1280)
	b.paste("first.md", 600)
	b.until(`document.querySelector("button.files")?.textContent.includes("1")`)
	b.paste("second.md", 600)
	b.shows("The file could not be uploaded: your files take 1.2 KiB of the 2 KiB that you may store")
	if height := value[float64](b, retryButton+`.offsetHeight`); height > 40 {
		t.Errorf("the button is %v px high: the long text beside it leaves it no room", height)
	}
	b.eval(`document.querySelector("button.files").click()`)
	b.press("Remove first.md")
	b.shows("No files yet.")
	b.press("Try again")
	b.until(button("Remove second.md"))
	b.checkQuiet(w.url)
}

// paste pastes a text file of a size into the composer.
func (b *tab) paste(name string, size int) {
	b.Helper()
	b.until(`document.querySelector("#composer")`)
	b.eval(fmt.Sprintf(`(() => {
		const list = new DataTransfer()
		list.items.add(new File(["a".repeat(%d)], %q, {type: "text/markdown"}))
		document.querySelector("#composer").dispatchEvent(
			new ClipboardEvent("paste", {clipboardData: list, bubbles: true}))
	})()`, size, name))
}

func TestAListThatIsRefusedCanBeHadAfterTheWaitingTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.talk(t, "Ferries", "Hello")
	proxy := refuseOnce(t, w, refusal{"/api/chat/sessions", 429, 1006, "too many requests; try again later", 3000})
	b := signedIn(t, proxy, token, "#/", 1280)
	b.shows("Too many requests in a short time.")
	if !value[bool](b, retryButton+`.disabled`) {
		t.Error("the list can be loaded again before its time")
	}
	b.advanceClock(3000)
	b.press("Try again")
	b.until(`document.querySelector("nav li")?.textContent.includes("Ferries")`)
	b.checkQuiet(proxy.url)
}
