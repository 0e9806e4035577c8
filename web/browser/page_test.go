package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take to show what it should.
const patience = time.Minute

// tab is a page in a browser of its own. It notes what the page asks for and complains of.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	problems []string
}

// open shows an address in a fresh browser of the given width.
func open(t *testing.T, address string, width int64) *tab {
	t.Helper()
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(chromium()), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("no-first-run", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.Flag("lang", "en-US"),
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, leave := chromedp.NewContext(allocator)
	t.Cleanup(leave)
	b := &tab{T: t, ctx: ctx}
	// The first step starts the browser, which ends with the step's context.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900)); err != nil {
		t.Fatal(err)
	}
	b.listen()
	b.do(chromedp.Navigate(address))
	return b
}

// signedIn shows an address to the user whose token it is.
func signedIn(t *testing.T, w *world, token, hash string, width int64) *tab {
	t.Helper()
	b := open(t, w.url+"/docs", width)
	b.eval(fmt.Sprintf(`localStorage.setItem("parley.token", %q)`, token))
	b.do(chromedp.Navigate(w.url + "/" + hash))
	return b
}

// listen notes requests and whatever the page throws or its policy refuses.
func (b *tab) listen() {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		b.Fatal(err)
	}
	sent := chromedp.Events(b.ctx, network.RequestWillBeSent)
	said := chromedp.Console(b.ctx)
	go func() { // ends with ctx
		for event, err := range sent {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.requests = append(b.requests, event.Request.URL)
			b.mu.Unlock()
		}
	}()
	go func() { // ends with ctx
		for message, err := range said {
			if err != nil {
				return
			}
			if text := message.String(); message.IsException() || strings.Contains(text, "Content Security Policy") {
				b.mu.Lock()
				b.problems = append(b.problems, text)
				b.mu.Unlock()
			}
		}
	}()
}

// quiet fails the test if the page asked another host for anything, or threw.
func (b *tab) quiet(server string) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, request := range b.requests {
		address, err := url.Parse(request)
		if err != nil || (address.Scheme != "blob" && address.Scheme != "data" && !strings.HasPrefix(request, server)) {
			b.Errorf("the page asked for %.200s", request)
		}
	}
	for _, problem := range b.problems {
		b.Errorf("the page complained: %.300s", problem)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.fail(err)
	}
}

// eval runs an expression in the page.
func (b *tab) eval(expression string) {
	b.Helper()
	value[any](b, "(()=>{"+expression+"})()")
}

// value is what an expression of the page is.
func value[T any](b *tab, expression string) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.fail(fmt.Errorf("%s: %w", expression, err))
	}
	return v
}

// until waits for an expression of the page to be true. It looks again where the page
// is left meanwhile.
func (b *tab) until(expression string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	script := fmt.Sprintf(`new Promise(resolve => {
		const look = () => {
			let found = false
			try { found = %s } catch {}
			if (found) resolve(true); else setTimeout(look, 20)
		}
		look()
	})`, expression)
	for {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise))
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			b.fail(fmt.Errorf("never true: %s: %w", expression, err))
		}
	}
}

// shows waits for a text on the page.
func (b *tab) shows(text string) {
	b.Helper()
	b.until(fmt.Sprintf(`document.body.innerText.includes(%s)`, quoted(text)))
}

// button is the first visible button, link or menu entry with this name.
func button(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("button, a, summary, [role=menuitem]")].find(e =>
		(e.getAttribute("aria-label") ?? e.textContent).trim() === %s && e.checkVisibility())`, quoted(name))
}

// press clicks what has this name, once it is there.
func (b *tab) press(name string) {
	b.Helper()
	b.until(button(name) + ` && !` + button(name) + `.disabled`)
	b.eval(button(name) + `.click()`)
}

// write types into the field that a selector finds.
func (b *tab) write(selector, text string) {
	b.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// enter presses Enter as a keyboard does: in one event, which the page may keep for
// itself. SendKeys has two, and the second writes a line break all the same.
func (b *tab) enter() {
	b.Helper()
	key := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter",
		Text: "\r", UnmodifiedText: "\r", WindowsVirtualKeyCode: 13, NativeVirtualKeyCode: 13,
	}
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
	picture, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, picture.Data, 0o644); err != nil {
		b.Fatal(err)
	}
}

func quoted(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return string(encoded)
}
