package webpage

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

var loopback = policy{[]netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func html(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, text)
}

func TestARequestTellsOnlyTheUserAgent(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	var got http.Header
	var url string
	url = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			http.Redirect(w, r, url+"/next", http.StatusFound)
			return
		}
		got = r.Header
		html(w, "<p>hello")
	})
	page, err := newFetcher("Parley/test", loopback, nil).fetch(t.Context(), url+"/")
	if err != nil || string(page.body) != "<p>hello" || page.contentType != "text/html" {
		t.Fatalf("%q %v", page.body, err)
	}
	for _, name := range []string{"Cookie", "Referer", "Authorization"} {
		if got.Get(name) != "" {
			t.Errorf("%s is sent: %q", name, got.Get(name))
		}
	}
	if got.Get("User-Agent") != "Parley/test" {
		t.Errorf("user agent %q", got.Get("User-Agent"))
	}
}

func TestLoopbackIsNotCalled(t *testing.T) {
	var calls atomic.Int32
	url := serve(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	for _, address := range []string{url, strings.Replace(url, "127.0.0.1", "localhost", 1)} {
		if _, err := newFetcher("p", policy{}, nil).fetch(t.Context(), address); !errors.Is(err, errForbidden) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if calls.Load() != 0 {
		t.Error("it was called")
	}
}

func TestRedirectsAreCheckedAgain(t *testing.T) {
	var calls atomic.Int32
	inner, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	hidden := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	hidden.Listener = inner
	hidden.Start()
	t.Cleanup(hidden.Close)
	var target string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) })
	for to, want := range map[string]error{
		hidden.URL:                errForbidden,
		"http://[::1]/":           errForbidden,
		"http://169.254.169.254/": errForbidden,
		"http://2130706433/":      errForbidden,
		"http://a:b@127.0.0.1/":   errForbidden,
		"file:///etc/passwd":      errForbidden,
		url + "/again":            errRedirect,
	} {
		target = to
		if _, err := newFetcher("p", loopback, nil).fetch(t.Context(), url); !errors.Is(err, want) {
			t.Errorf("%s: %v", to, err)
		}
	}
	if calls.Load() != 0 {
		t.Error("it was called")
	}
	secure := httptest.NewRequest(http.MethodGet, "https://a.example/", nil)
	next := httptest.NewRequest(http.MethodGet, "http://a.example/", nil)
	if err := checkRedirect(next, []*http.Request{secure}); !errors.Is(err, errRedirect) {
		t.Errorf("from https to http: %v", err)
	}
}

// TestANameThatChangesItsAddress has a name that resolves to an allowed address first, and to loopback later.
func TestANameThatChangesItsAddress(t *testing.T) {
	var calls, lookups atomic.Int32
	url := serve(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", nameServer(t, func() [4]byte {
			if lookups.Add(1) == 1 {
				return [4]byte{127, 0, 0, 2}
			}
			return [4]byte{127, 0, 0, 1}
		}))
	}}
	allowed := policy{[]netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}}
	f := newFetcher("p", allowed, resolver)
	address := strings.Replace(url, "127.0.0.1", "rebind.example.", 1)
	address = strings.Replace(address, "example.", "example", 1)
	for range 3 {
		if _, err := f.fetch(t.Context(), address); err == nil {
			t.Error("it was fetched")
		}
	}
	if calls.Load() != 0 || lookups.Load() < 3 {
		t.Errorf("%d calls, %d lookups", calls.Load(), lookups.Load())
	}
}

// nameServer starts a DNS server that answers every question for an IPv4 address with next.
func nameServer(t *testing.T, next func() [4]byte) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buffer := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class},
					Body:   &dnsmessage.AResource{A: next()},
				}}
			}
			packed, err := m.Pack()
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(packed, from)
		}
	}()
	return conn.LocalAddr().String()
}

func TestWhatIsFetchedIsBounded(t *testing.T) {
	header := strings.Repeat("a", maxHeader)
	for name, test := range map[string]struct {
		page http.HandlerFunc
		size int
		want error
	}{
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			for {
				if _, err := io.WriteString(w, strings.Repeat("endless ", 8<<10)); err != nil {
					return
				}
			}
		}, maxPage, nil},
		"bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, strings.Repeat(" ", 64<<20))
			_ = z.Close()
		}, maxPage, nil},
		"large PDF": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = io.WriteString(w, "%PDF-1.4"+strings.Repeat(" ", maxPage))
		}, 0, errTooLarge},
		"bytes": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = io.WriteString(w, "bytes")
		}, 0, errType},
		"picture": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "image/png") }, 0, errType},
		"404":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 0, errStatus},
		"header":  {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("A", header); html(w, "a") }, 0, io.EOF},
		"slow": {func(w http.ResponseWriter, r *http.Request) {
			html(w, "a")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, 0, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := time.Minute
			if name == "slow" {
				limit = 50 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			page, err := newFetcher("p", loopback, nil).fetch(ctx, serve(t, test.page))
			if name == "header" && err != nil { // net/http has no error value for it
				err = io.EOF
			}
			if !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
			if test.want == nil && len(page.body) != test.size {
				t.Errorf("%d bytes", len(page.body))
			}
		})
	}
}
