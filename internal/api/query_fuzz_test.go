package api

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/account"
	"parley/internal/chat"
	"parley/internal/metrics"
	"parley/internal/store/storetest"
)

// FuzzQuery lists sessions with an arbitrary query string. The response must be a page if the query is valid, and
// error 1001 otherwise.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"", "page=1&page_size=20&keyword=ferry", "page=0", "page=-1", "page=1e3", "page=9223372036854775808",
		"page_size=201", "page=",
		"page=1&page=x", "keyword=%25_%27&page=%31", "keyword=%ff", "keyword=%00", "%zz&page=2", "page=1;page_size=2",
		"keyword=渡船", "&&=&page=+1",
	} {
		f.Add(seed)
	}
	handler, token := lister(f)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest(http.MethodGet, "/api/chat/sessions", nil)
		r.URL.RawQuery = query
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		_, broken := url.QueryUnescape(query)
		values, err := url.ParseQuery(query)
		if w.Code != http.StatusBadRequest && (w.Code != http.StatusOK || broken != nil || err == nil && !goodQuery(values)) {
			t.Fatalf("%q: HTTP %d: %s", query, w.Code, w.Body)
		}
	})
}

// goodQuery reports whether a query is valid by the rules of docs/api.md. If a name is repeated, its first value
// counts.
func goodQuery(values url.Values) bool {
	for _, name := range []string{"page", "page_size"} {
		if text := values.Get(name); text != "" {
			if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < 1 {
				return false
			}
		}
	}
	keyword := values.Get("keyword")
	return utf8.ValidString(keyword) && utf8.RuneCountInString(keyword) <= 1000 && !strings.ContainsRune(keyword, 0)
}

// lister returns an API that lists sessions, and the token of a user without sessions.
func lister(t testing.TB) (http.Handler, string) {
	t.Helper()
	database := storetest.Open(t, t.TempDir(), "")
	log := slog.New(slog.DiscardHandler)
	accounts := account.New(account.Config{Store: database, Log: log, Audit: log, TokenTTL: time.Hour, Now: time.Now})
	ada, err := accounts.Register(t.Context(), parley.RegisterInput{Email: "ada@example.com", Password: "correct horse"},
		account.Caller{})
	if err != nil {
		t.Fatal(err)
	}
	talk := chat.New(chat.Config{Store: database, Now: time.Now})
	return New(Config{
		Accounts: accounts, Chat: talk, Metrics: metrics.New(), Log: log, RequestTimeout: time.Minute,
		Now: time.Now,
	}), ada.Token
}

// FuzzForwarded sends an arbitrary X-Forwarded-For header from a trusted proxy. The client address must be valid.
func FuzzForwarded(f *testing.F) {
	for _, seed := range []string{
		"192.0.2.1", "1.2.3.4, 10.0.0.2", "x", "", ",", "::ffff:10.0.0.3", "fe80::1%eth0",
		"192.0.2.1:80", "[::1]",
	} {
		f.Add(seed, seed)
	}
	p := &proxies{trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	f.Fuzz(func(t *testing.T, first, second string) {
		r := &http.Request{RemoteAddr: "10.0.0.1:5", Header: http.Header{"X-Forwarded-For": {first, second}}}
		if got := p.client(r); got != "10.0.0.1" {
			if _, err := netip.ParseAddr(got); err != nil {
				t.Fatalf("%q, %q: %q is no address", first, second, got)
			}
		}
		r.RemoteAddr = "192.0.2.9:5"
		if got := p.client(r); got != "192.0.2.9" {
			t.Fatalf("the address of an untrusted client is %q", got)
		}
	})
}
