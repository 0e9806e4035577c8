package browser

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"parley"
)

// TestDevicesAreNamed logs in from a program too, and ends that login.
func TestDevicesAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.register(t) // by the Go client
	b := open(t, w.url, 1280)
	b.write(`input[name="email"]`, email)
	b.write(`input[name="password"]`, password)
	b.press("Log in")
	b.eval(`document.querySelector("form").requestSubmit()`)
	b.until(`document.querySelector("#composer")`)
	b.eval(`location.hash = "#/settings/devices"`)
	const names = `[...document.querySelectorAll("#settings-devices li .name")].map(e => e.textContent).join()`
	b.until(names + ` === "Chrome on Linux,parley-go"`)
	b.until(`document.querySelector("#settings-devices li").textContent.includes("This device")`)
	b.shows("Logged in just now")
	b.press("End the login of parley-go")
	b.until(names + ` === "Chrome on Linux"`)
	if _, err := w.api.Sessions(t.Context(), "", parley.Page{Number: 1, Size: 1}); err == nil {
		t.Error("the login still works")
	}
	b.checkQuiet(w.url)
}

// TestALinkLeadsToItsSection opens a section by its address before the account is known.
func TestALinkLeadsToItsSection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	server, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	known := make(chan struct{})
	forward := httputil.NewSingleHostReverseProxy(server)
	proxy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		if in.URL.Path == "/api/user/info" {
			<-known
		}
		forward.ServeHTTP(out, in)
	}))
	t.Cleanup(proxy.Close)
	b := signedIn(t, &world{url: proxy.URL}, token, "#/settings/devices", 1280)
	b.until(`document.querySelector(".settings nav a[aria-current]")`)
	close(known)
	b.until(`(top => top >= 0 && top < innerHeight / 2)(
		document.querySelector("#settings-devices:has(li)").getBoundingClientRect().top)`)
	b.checkQuiet(proxy.URL)
}

// TestDeletingTheAccountAsksForThePassword deletes it in a dialog.
func TestDeletingTheAccountAsksForThePassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "#/settings/account", 1280)
	b.press("Delete account")
	b.until(`document.querySelector("dialog[open] input[name=confirm]")`)
	b.write(`dialog input[name="confirm"]`, "wrong one")
	b.press("Delete permanently")
	b.shows("The password is wrong.")
	b.eval(`document.querySelector("dialog input").select()`)
	b.write(`dialog input[name="confirm"]`, password)
	b.press("Delete permanently")
	b.shows("Welcome back")
	b.checkQuiet(w.url)
}
