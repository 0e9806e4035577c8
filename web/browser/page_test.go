package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// waitLimit limits every wait for the page. It allows for a machine many times slower than usual.
const waitLimit = 5 * time.Minute

// tab is a page in its own profile. It records the page's requests and errors.
type tab struct {
	*testing.T
	worker    bool // whether the page may install its service worker
	ctx       context.Context
	listeners sync.WaitGroup

	mu       sync.Mutex
	requests []string
	problems []string
}

// plainHost is a name of this machine. Browsers trust pages from it no more than those
// from another machine, unlike 127.0.0.1.
const plainHost = "parley.test"

// browser is a process of Chromium for all tests. To start one costs more than most tests.
type browser struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
}

// start starts the browser, unless it is running, and returns the context of its first tab.
func (b *browser) start() (context.Context, error) {
	b.once.Do(func() {
		options := []chromedp.ExecAllocatorOption{
			chromedp.ExecPath(chromium()), chromedp.WSURLReadTimeout(waitLimit), chromedp.Headless, chromedp.NoSandbox,
			chromedp.DisableGPU,
			chromedp.Flag("disable-quic", true), chromedp.Flag("no-first-run", true),
			chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
			chromedp.Flag("disable-sync", true), chromedp.Flag("lang", "en-US"),
			// Tests run side by side: each page is treated as the one in front of the user.
			chromedp.Flag("disable-background-timer-throttling", true), chromedp.Flag("disable-renderer-backgrounding", true),
			chromedp.Flag("disable-backgrounding-occluded-windows", true),
			chromedp.Flag("disable-features", "SpareRendererForSitePerProcess"), // each page has a profile of its own
			chromedp.Flag("host-resolver-rules", "MAP "+plainHost+" 127.0.0.1"),
		}
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, closeTab := chromedp.NewContext(allocator)
		b.ctx = ctx
		b.stop = func() {
			closeTab()
			stop() // waits for the browser and removes its profile
		}
		// The first step starts the browser, which ends with the step's context.
		b.err = chromedp.Do(ctx, chromedp.EmulateViewport(800, 600))
	})
	return b.ctx, b.err
}

// close ends the browser, if it was started.
func (b *browser) close() {
	if b.stop != nil {
		b.stop()
	}
}

// open opens an address in a tab of the given width, with a profile of its own. The page does not install its service
// worker, which takes longer than most tests.
func open(t *testing.T, address string, width int64) *tab {
	t.Helper()
	return openTab(t, address, width, false)
}

func openTab(t *testing.T, address string, width int64, worker bool) *tab {
	t.Helper()
	first, err := shared.start()
	if err != nil {
		t.Fatal(err)
	}
	ctx, closeTab := chromedp.NewContext(first, chromedp.WithNewBrowserContext())
	b := &tab{T: t, ctx: ctx, worker: worker}
	t.Cleanup(func() {
		closeTab()
		b.listeners.Wait()
	})
	b.load(address, width)
	return b
}

// another opens an address in another tab of the same profile.
func (b *tab) another(address string, width int64) *tab {
	b.Helper()
	ctx, closeTab := chromedp.NewContext(b.ctx)
	other := &tab{T: b.T, ctx: ctx, worker: b.worker}
	b.Cleanup(func() {
		closeTab()
		other.listeners.Wait()
	})
	other.load(address, width)
	return other
}

func (b *tab) load(address string, width int64) {
	b.Helper()
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 900)); err != nil {
		b.Fatal(err)
	}
	call(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	script := keepNotices + ";" + notYetAsked
	if !b.worker {
		script += `;delete Navigator.prototype.serviceWorker`
	}
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	b.listen()
	b.do(chromedp.Navigate(address))
}

// keepNotices makes notices, highlights and undo buttons, which the page removes after a few seconds, stay for minutes,
// and gives a drawing and the first replies of a share as long. So a slow machine does not miss them. Other delays of
// the page stay as they are: on a slow machine the pause between two renderings of a reply is also some seconds.
const keepNotices = `(set => {
	const kept = [2500, 5000, 6000, 12000, 20000, 60000]
	window.setTimeout = (run, delay, ...args) => set(run, kept.includes(delay) ? 100 * delay : delay, ...args)
})(window.setTimeout)`

// notYetAsked makes the page believe that it has not asked for permission to show notices of the system, as in a new
// browser. Chromium without a window denies it.
const notYetAsked = `Object.defineProperty(Notification, "permission", {value: "default"})`

// signedIn opens an address in the browser of a user with a token. The card of a new server is dismissed.
func signedIn(t *testing.T, w *world, token, hash string, width int64) *tab {
	t.Helper()
	return signedInTab(t, w, token, hash, width, false)
}

// signedInWithWorker is signedIn in a page that installs its service worker.
func signedInWithWorker(t *testing.T, w *world, token, hash string) *tab {
	t.Helper()
	return signedInTab(t, w, token, hash, 1280, true)
}

func signedInTab(t *testing.T, w *world, token, hash string, width int64, worker bool) *tab {
	t.Helper()
	b := openTab(t, w.url+"/healthz", width, worker) // the smallest page of the server
	b.eval(fmt.Sprintf(`localStorage.setItem("parley.token", %q); localStorage.setItem("parley.setUp", "dismissed")`,
		token))
	b.do(chromedp.Navigate(w.url + "/" + hash))
	return b
}

// listen records requests, exceptions, and violations of the content security policy.
func (b *tab) listen() {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		b.Fatal(err)
	}
	requests := chromedp.Events(b.ctx, network.RequestWillBeSent)
	messages := chromedp.Console(b.ctx)
	b.listeners.Go(func() {
		for event, err := range requests {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.requests = append(b.requests, event.Request.URL)
			b.mu.Unlock()
		}
	})
	b.listeners.Go(func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			if text := message.String(); message.IsException() || strings.Contains(text, "Content Security Policy") {
				b.mu.Lock()
				b.problems = append(b.problems, text)
				b.mu.Unlock()
			}
		}
	})
}

// requested returns the addresses that the page has requested.
func (b *tab) requested() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// checkQuiet fails the test if the page made a request to another host or had an error.
func (b *tab) checkQuiet(server string) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, request := range b.requests {
		address, err := url.Parse(request)
		isLocal := err == nil && (address.Scheme == "blob" || address.Scheme == "data")
		if !isLocal && !strings.HasPrefix(request, server) {
			b.Errorf("the page requested %.200s", request)
		}
	}
	for _, problem := range b.problems {
		b.Errorf("the page had an error: %.300s", problem)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, waitLimit)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.fail(err)
	}
}

// resize gives the page another width.
func (b *tab) resize(width int64) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, 900))
}

// reload loads the page again. Afterwards nothing of the old document is left.
func (b *tab) reload() {
	b.Helper()
	b.do(chromedp.Reload())
}

// eval runs an expression in the page.
func (b *tab) eval(expression string) {
	b.Helper()
	value[any](b, "(()=>{"+expression+"})()")
}

// value returns the value of an expression in the page. It awaits promises.
func value[T any](b *tab, expression string) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, waitLimit)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.fail(fmt.Errorf("%s: %w", expression, err))
	}
	return v
}

// until waits until an expression in the page is true. It tries again if the page is
// reloaded meanwhile.
func (b *tab) until(expression string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, waitLimit)
	defer cancel()
	script := fmt.Sprintf(`new Promise(resolve => {
		const check = () => {
			let found = false
			try { found = %s } catch {}
			if (found) resolve(true); else setTimeout(check, 20)
		}
		check()
	})`, expression)
	for {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise))
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			b.fail(fmt.Errorf("never true: %s: %w", expression, err))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// shows waits until the page shows a text.
func (b *tab) shows(text string) {
	b.Helper()
	b.until(fmt.Sprintf(`document.body.innerText.includes(%s)`, quoted(text)))
}

// button returns an expression for the first visible button, link or menu item of a name.
func button(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("button, a, summary, [role=menuitem]")].find(e =>
		(e.getAttribute("aria-label") ?? e.textContent).trim() === %s && e.checkVisibility())`, quoted(name))
}

// press waits for a button and clicks it.
func (b *tab) press(name string) {
	b.Helper()
	b.until(button(name) + ` && !` + button(name) + `.disabled`)
	b.eval(button(name) + `.click()`)
}

// write types into the field of a selector.
func (b *tab) write(selector, text string) {
	b.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// enter presses Enter as a keyboard does: in one event, which the page may cancel.
// SendKeys sends two events, and the second inserts a line break anyway.
func (b *tab) enter() {
	b.Helper()
	b.key(input.DispatchKeyEventParams{
		Key: "Enter", Code: "Enter", Text: "\r", UnmodifiedText: "\r", WindowsVirtualKeyCode: 13, NativeVirtualKeyCode: 13,
	})
}

// escape presses Esc.
func (b *tab) escape() {
	b.Helper()
	b.key(input.DispatchKeyEventParams{Key: "Escape", Code: "Escape", WindowsVirtualKeyCode: 27})
}

// control presses a letter together with Ctrl.
func (b *tab) control(letter string) {
	b.Helper()
	code := int64(strings.ToUpper(letter)[0])
	b.key(input.DispatchKeyEventParams{Key: letter, Modifiers: 2, WindowsVirtualKeyCode: code})
}

// key presses a key.
func (b *tab) key(key input.DispatchKeyEventParams) {
	b.Helper()
	key.Type = input.DispatchKeyEventTypeKeyDown
	if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, key); err != nil {
		b.fail(err)
	}
}

// ask sends a message.
func (b *tab) ask(text string) {
	b.Helper()
	b.write("#composer", text)
	b.press("Send")
}

func (b *tab) fail(err error) {
	b.Helper()
	if dir := os.Getenv("PARLEY_TEST_SCREENSHOTS"); dir != "" {
		b.screenshot(dir + "/" + strings.ReplaceAll(b.Name(), "/", "-") + ".png")
	}
	b.Fatal(err)
}

func (b *tab) screenshot(path string) {
	b.Helper()
	picture := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	if err := os.WriteFile(path, picture.Data, 0o644); err != nil {
		b.Fatal(err)
	}
}

// call has the browser do something.
func call[In, Out any](b *tab, command cdp.Command[In, Out], in In) Out {
	b.Helper()
	out, err := chromedp.Call(b.ctx, command, in)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

func quoted(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return string(encoded)
}
