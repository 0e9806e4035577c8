package api

import (
	"bytes"
	"compress/gzip"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-chi/chi/v5"
)

// built is a web client as built.
var built = fstest.MapFS{
	"index.html":             {Data: []byte("not built")},
	"app.html":               {Data: []byte("the client")},
	"docs.html":              {Data: []byte("the reference")},
	"diagram.html":           {Data: []byte("the diagrams")},
	"theme.js":               {Data: []byte("theme")},
	"sw.js":                  {Data: []byte("worker")},
	"manifest.webmanifest":   {Data: []byte("manifest")},
	"icon-192.png":           {Data: []byte("icon")},
	"assets/sans-3c4d.woff2": {Data: []byte("font")},
	"assets/app-1a2b.js.gz":  {Data: []byte(gzipped("script"))},
}

func gzipped(text string) string {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return packed.String()
}

func fetch(t *testing.T, files fstest.MapFS, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	return ask(t, http.MethodGet, files, path, headers...)
}

func ask(t *testing.T, method string, files fstest.MapFS, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	a := &API{log: slog.New(slog.DiscardHandler), router: chi.NewRouter()}
	a.router.Use(secure)
	a.pages(files)
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	a.router.ServeHTTP(w, r)
	return w
}

func TestPagesAndAssetsAreServed(t *testing.T) {
	for _, tt := range []struct{ path, accept, content, encoding, kind, cache string }{
		{"/", "", "the client", "", "text/html; charset=utf-8", "no-cache"},
		{"/docs", "gzip", "the reference", "", "text/html; charset=utf-8", "no-cache"},
		{"/diagram", "", "the diagrams", "", "text/html; charset=utf-8", "no-cache"},
		{"/theme.js", "", "theme", "", "text/javascript; charset=utf-8", "no-cache"},
		{"/sw.js", "", "worker", "", "text/javascript; charset=utf-8", "no-cache"},
		{"/manifest.webmanifest", "", "manifest", "", "application/manifest+json", "no-cache"},
		{"/icon-192.png", "", "icon", "", "image/png", "no-cache"},
		{"/assets/sans-3c4d.woff2", "", "font", "", "font/woff2", "public, max-age=31536000, immutable"},
		{"/assets/app-1a2b.js", "", "script", "", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		{
			"/assets/app-1a2b.js", "br, gzip;q=0.8", gzipped("script"), "gzip", "text/javascript; charset=utf-8",
			"public, max-age=31536000, immutable",
		},
		{
			"/assets/app-1a2b.js", "br, gzip;q=0", "script", "", "text/javascript; charset=utf-8",
			"public, max-age=31536000, immutable",
		},
	} {
		w := fetch(t, built, tt.path, "Accept-Encoding", tt.accept)
		header := w.Header()
		if w.Code != http.StatusOK || w.Body.String() != tt.content || header.Get("Content-Encoding") != tt.encoding ||
			header.Get("Content-Type") != tt.kind || header.Get("Cache-Control") != tt.cache {
			t.Errorf("%s with %q: %d %q, %v", tt.path, tt.accept, w.Code, w.Body, header)
		}
	}
}

func TestTheAdministrationIsAPageOfTheClient(t *testing.T) {
	w := fetch(t, built, "/admin")
	if w.Code != http.StatusFound || w.Header().Get("Location") != "/#/admin" {
		t.Errorf("got %d to %q", w.Code, w.Header().Get("Location"))
	}
}

func TestHeadIsGetWithoutTheContent(t *testing.T) {
	for _, path := range []string{"/", "/docs", "/theme.js", "/assets/app-1a2b.js"} {
		for _, accept := range []string{"", "gzip"} {
			got := fetch(t, built, path, "Accept-Encoding", accept)
			head := ask(t, http.MethodHead, built, path, "Accept-Encoding", accept)
			if head.Code != http.StatusOK || head.Body.Len() != 0 || !maps.EqualFunc(head.Header(), got.Header(), slices.Equal) {
				t.Errorf("%s with %q: %d %q, %v; GET has %v", path, accept, head.Code, head.Body, head.Header(), got.Header())
			}
		}
	}
}

func TestPagesLetNothingInFromElsewhere(t *testing.T) {
	// The web client shows PDFs in a frame.
	for path, frames := range map[string]string{"/": "frame-src 'self' blob:", "/docs": "frame-src 'self'"} {
		header := fetch(t, built, path).Header()
		policy := header.Get("Content-Security-Policy")
		if !strings.HasSuffix(policy, "; "+frames) {
			t.Errorf("%s: the policy does not end with %s: %s", path, frames, policy)
		}
		for _, rule := range []string{
			"default-src 'none'", "script-src 'self';", "style-src 'self';",
			"connect-src 'self';", "worker-src 'self';", "frame-ancestors 'none'", "base-uri 'none'",
		} {
			if !strings.Contains(policy, rule) {
				t.Errorf("%s: the policy lacks %s: %s", path, rule, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || header.Get("X-Content-Type-Options") != "nosniff" ||
			header.Get("Referrer-Policy") != "no-referrer" ||
			header.Get("Cross-Origin-Opener-Policy") != "same-origin" ||
			!strings.Contains(header.Get("Permissions-Policy"), "microphone=()") {
			t.Errorf("%s: %v", path, header)
		}
	}
}

// TestTheFrameOfDiagramsCanReachNothing checks the policy of the frame. A diagram that takes over the frame can't
// call the API, read what the browser stores for this origin or send anything to another host. Only the web client
// can show the frame.
func TestTheFrameOfDiagramsCanReachNothing(t *testing.T) {
	header := fetch(t, built, "/diagram").Header()
	want := "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; " +
		"frame-ancestors 'self'; sandbox allow-scripts"
	if policy := header.Get("Content-Security-Policy"); policy != want {
		t.Errorf("the policy is %q", policy)
	}
	if header.Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("the headers are %v", header)
	}
	// The frame has a unique origin and loads its scripts by CORS.
	if fetch(t, built, "/assets/app-1a2b.js").Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Error("the frame can't load its scripts")
	}
	for _, path := range []string{"/", "/docs"} {
		if header := fetch(t, built, path).Header(); header.Get("X-Frame-Options") != "DENY" ||
			header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", path, header)
		}
	}
}

// TestTheServiceWorkerMayLoadOnlyFromThisServer checks that the service worker has its own policy. The policy of
// other assets would allow it no requests.
func TestTheServiceWorkerMayLoadOnlyFromThisServer(t *testing.T) {
	want := "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"
	if policy := fetch(t, built, "/sw.js").Header().Get("Content-Security-Policy"); policy != want {
		t.Errorf("the policy of the service worker is %q", policy)
	}
	if policy := fetch(t, built, "/theme.js").Header().Get("Content-Security-Policy"); strings.Contains(policy, "self") {
		t.Errorf("the policy of another file is %q", policy)
	}
}

func TestWithoutABuiltClientAPageTellsHowToBuildIt(t *testing.T) {
	bare := fstest.MapFS{"index.html": built["index.html"]}
	for _, path := range []string{"/", "/docs"} {
		if w := fetch(t, bare, path); w.Code != http.StatusOK || w.Body.String() != "not built" {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
}

func TestCompressedCopiesAndPagesHaveNoAddressOfTheirOwn(t *testing.T) {
	for _, path := range []string{
		"/assets/app-1a2b.js.gz", "/app.html", "/index.html", "/assets/",
		"/assets/../app.html",
	} {
		if w := fetch(t, built, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestAPageThatTheReaderHasIsNotSentAgain(t *testing.T) {
	tag := ""
	a := &API{router: chi.NewRouter()}
	a.pages(built)
	for _, want := range []int{http.StatusOK, http.StatusNotModified} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		a.router.ServeHTTP(w, r)
		if tag = w.Header().Get("ETag"); w.Code != want || tag == "" {
			t.Errorf("%d with ETag %q, want %d", w.Code, tag, want)
		}
	}
}
