package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "key-3f9c1d"

var providers = []string{"searxng", "tavily", "brave", "bocha"}

// engineAt returns an engine of provider for the service at address.
func engineAt(t *testing.T, provider, address string, timeout time.Duration) Engine {
	t.Helper()
	e, err := New(Config{Provider: provider, URL: address, APIKey: testKey, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(clientOf(t, e).http.CloseIdleConnections)
	return e
}

func clientOf(t *testing.T, e Engine) *client {
	t.Helper()
	switch e := e.(type) {
	case *searxng:
		return e.client
	case *tavily:
		return e.client
	case *brave:
		return e.client
	case *bocha:
		return e.client
	}
	t.Fatalf("unknown engine %T", e)
	return nil
}

// serve starts a service and returns an engine of provider for it.
func serve(t *testing.T, provider string, handler http.HandlerFunc) Engine {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return engineAt(t, provider, s.URL, time.Minute)
}

func respondWith(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

// captured holds a response of each service.
var captured = map[string]string{
	"searxng": `{"query":"capri","number_of_results":0,"results":[
		{"url":"https://example.com/ferries","title":"Ferries to Capri",
			"content":"Fifty minutes from <b>Naples</b> &amp; back.","engine":"duckduckgo",
			"parsed_url":["https","example.com","/ferries","","",""],"template":"default.html",
			"engines":["duckduckgo"],"positions":[1],"score":1.0,"category":"general","publishedDate":null},
		{"url":"https://example.org/capri","title":"Capri","content":null,"score":0.5}],
		"answers":[],"corrections":[],"infoboxes":[],"suggestions":[],"unresponsive_engines":[["brave","timeout"]]}`,
	"tavily": `{"query":"capri","follow_up_questions":null,"answer":null,"images":[],"results":[
		{"url":"https://example.com/ferries","title":"Ferries to Capri",
			"content":"Fifty minutes from Naples & back.","score":0.91,"raw_content":null},
		{"url":"https://example.org/capri","title":"Capri","content":"","score":0.5,"raw_content":null}],
		"response_time":1.1,"request_id":"1"}`,
	"brave": `{"type":"search","query":{"original":"capri"},"mixed":{"type":"mixed"},
		"web":{"type":"search","family_friendly":true,"results":[
		{"title":"Ferries to Capri","url":"https://example.com/ferries","is_source_local":false,
			"description":"Fifty minutes from <strong>Naples</strong> &amp; back.",
			"profile":{"name":"Example"},"language":"en"},
		{"title":"Capri","url":"https://example.org/capri"}]}}`,
	"bocha": `{"code":200,"log_id":"1","msg":null,"data":{"_type":"SearchResponse",
		"queryContext":{"originalQuery":"capri"},
		"webPages":{"webSearchUrl":"","totalEstimatedMatches":2,"value":[
		{"id":null,"name":"Ferries to Capri","url":"https://example.com/ferries",
			"displayUrl":"https://example.com/ferries","snippet":"Fifty minutes",
			"summary":"Fifty minutes from Naples & back.","siteName":"Example",
			"dateLastCrawled":"2025-01-01T00:00:00Z"},
		{"id":null,"name":"Capri","url":"https://example.org/capri","snippet":""}],
		"someResultsRemoved":false},"images":{"value":[]},"videos":null}}`,
}

func TestEachServiceGivesItsResults(t *testing.T) {
	want := []Result{
		{Title: "Ferries to Capri", URL: "https://example.com/ferries", Text: "Fifty minutes from Naples & back."},
		{Title: "Capri", URL: "https://example.org/capri"},
	}
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			got, err := serve(t, provider, respondWith(captured[provider])).Search(t.Context(), "capri")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBochaGivesTheSnippetWhereThereIsNoSummary(t *testing.T) {
	e := serve(t, "bocha", respondWith(
		`{"data":{"webPages":{"value":[{"name":"A","url":"https://a.example","snippet":"short"}]}}}`))
	got, err := e.Search(t.Context(), "a")
	if err != nil || len(got) != 1 || got[0].Text != "short" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestNoResultIsNoError(t *testing.T) {
	empty := map[string][]string{
		"searxng": {`{"results":[]}`},
		"tavily":  {`{"results":[]}`},
		"brave":   {`{"type":"search"}`, `{"type":"search","web":{"results":[]}}`},
		"bocha":   {`{"code":200,"data":{"webPages":{"value":[]}}}`, `{"code":200,"data":{"webPages":null}}`},
	}
	for _, provider := range providers {
		for _, body := range empty[provider] {
			got, err := serve(t, provider, respondWith(body)).Search(t.Context(), "capri")
			if err != nil || len(got) != 0 {
				t.Errorf("%s %s: got %v, %v", provider, body, got, err)
			}
		}
	}
}

// request is a request that a service received.
type request struct {
	method, path string
	query        url.Values
	header       http.Header
	body         map[string]any
}

// requestFor searches for query and returns the request. suffix is added to the service's URL.
func requestFor(t *testing.T, provider, suffix, query string) request {
	t.Helper()
	seen := make(chan request, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := request{method: r.Method, path: r.URL.Path, query: r.URL.Query(), header: r.Header}
		if r.Method == http.MethodPost {
			_ = json.NewDecoder(r.Body).Decode(&got.body)
		}
		seen <- got
		respondWith(captured[provider])(w, r)
	}))
	t.Cleanup(s.Close)
	if _, err := engineAt(t, provider, s.URL+suffix, time.Minute).Search(t.Context(), query); err != nil {
		t.Fatal(err)
	}
	return <-seen
}

func TestEachServiceIsAskedInItsOwnWay(t *testing.T) {
	const query = "ferry to capri"
	t.Run("searxng", func(t *testing.T) {
		r := requestFor(t, "searxng", "", query)
		if r.method != "GET" || r.path != "/search" || r.query.Get("q") != query || r.query.Get("format") != "json" {
			t.Errorf("request %+v", r)
		}
		if strings.Contains(r.header.Get("Authorization"), testKey) {
			t.Error("a key was sent to a service that has none")
		}
	})
	t.Run("tavily", func(t *testing.T) {
		r := requestFor(t, "tavily", "", query)
		if r.method != "POST" || r.path != "/search" || r.header.Get("Authorization") != "Bearer "+testKey ||
			r.body["query"] != query {
			t.Errorf("request %+v", r)
		}
	})
	t.Run("brave", func(t *testing.T) {
		r := requestFor(t, "brave", "", query)
		if r.method != "GET" || r.path != "/res/v1/web/search" || r.query.Get("q") != query ||
			r.header.Get("X-Subscription-Token") != testKey {
			t.Errorf("request %+v", r)
		}
	})
	t.Run("bocha", func(t *testing.T) {
		r := requestFor(t, "bocha", "", query)
		if r.method != "POST" || r.path != "/v1/web-search" || r.header.Get("Authorization") != "Bearer "+testKey ||
			r.body["query"] != query || r.body["summary"] != true {
			t.Errorf("request %+v", r)
		}
	})
}

func TestTheURLMayHoldAPathAndParameters(t *testing.T) {
	cases := []struct{ provider, suffix, path string }{
		{"searxng", "/", "/search"},
		{"searxng", "/searx", "/searx/search"},
		{"searxng", "/search", "/search"},
		{"searxng", "/searx/search?language=de", "/searx/search"},
		{"tavily", "/search", "/search"},
		{"brave", "/res/v1/web/search", "/res/v1/web/search"},
		{"bocha", "/v1/web-search/", "/v1/web-search"},
	}
	for _, c := range cases {
		r := requestFor(t, c.provider, c.suffix, "capri")
		if r.path != c.path {
			t.Errorf("%s %s: requested %s", c.provider, c.suffix, r.path)
		}
		if strings.Contains(c.suffix, "language=de") && r.query.Get("language") != "de" {
			t.Error("the configured parameter was lost")
		}
	}
}

func TestALongQueryIsCutOnACharacterBorder(t *testing.T) {
	long := strings.Repeat("渡輪", 400)
	want := strings.Repeat("渡輪", 200)
	for _, provider := range providers {
		r := requestFor(t, provider, "", long)
		got, _ := r.body["query"].(string)
		if r.method == http.MethodGet {
			got = r.query.Get("q")
		}
		if got != want {
			t.Errorf("%s: query of %d characters", provider, len([]rune(got)))
		}
	}
}

func TestBraveIsAskedAtMostFiftyWords(t *testing.T) {
	got := requestFor(t, "brave", "", strings.Repeat("is ", 100)).query.Get("q")
	if n := len(strings.Fields(got)); n != 50 {
		t.Errorf("query of %d words", n)
	}
}

func TestAQueryIsPutOnOneLine(t *testing.T) {
	got := requestFor(t, "tavily", "", " ferry\x00\r\n\tto \xff capri ").body["query"]
	if got != "ferry to capri" {
		t.Errorf("query %q", got)
	}
}

func TestAQueryCantCommandSearXNG(t *testing.T) {
	got := requestFor(t, "searxng", "", "!!g hello !images !! wow! world").query.Get("q")
	if got != "g hello images wow! world" {
		t.Errorf("query %q", got)
	}
}

func TestABlankQueryIsAnErrorAndAsksNobody(t *testing.T) {
	for _, provider := range providers {
		var requests atomic.Int32
		e := serve(t, provider, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
		if _, err := e.Search(t.Context(), " \n\x00"); err == nil || requests.Load() != 0 {
			t.Errorf("%s: error %v, %d requests", provider, err, requests.Load())
		}
	}
}

func TestNoRequestGoesToAnAddressFromAResult(t *testing.T) {
	var visited atomic.Int32
	page := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visited.Add(1) }))
	t.Cleanup(page.Close)
	for _, provider := range providers {
		body := strings.ReplaceAll(captured[provider], "https://example.com", page.URL)
		got, err := serve(t, provider, respondWith(body)).Search(t.Context(), "capri")
		if err != nil || !slices.ContainsFunc(got, func(r Result) bool { return strings.HasPrefix(r.URL, page.URL) }) {
			t.Fatalf("%s: got %v, %v", provider, got, err)
		}
	}
	if visited.Load() != 0 {
		t.Errorf("the page was visited %d times", visited.Load())
	}
}

func TestAConfigThatMakesNoSenseIsOneClearError(t *testing.T) {
	cases := map[string]struct {
		config Config
		want   string
	}{
		"no provider":        {Config{}, "unknown provider"},
		"unknown provider":   {Config{Provider: "google"}, "searxng, tavily, brave or bocha"},
		"searxng, no URL":    {Config{Provider: "searxng"}, "SearXNG needs a URL"},
		"URL without scheme": {Config{Provider: "searxng", URL: "127.0.0.1:8888"}, "http or https"},
		"another scheme":     {Config{Provider: "searxng", URL: "file:///etc/passwd"}, "http or https"},
		"no host":            {Config{Provider: "searxng", URL: "http://:80"}, "http or https"},
		"tavily, no key":     {Config{Provider: "tavily"}, "Tavily needs an API key"},
		"brave, no key":      {Config{Provider: "brave"}, "Brave Search needs an API key"},
		"bocha, blank key":   {Config{Provider: "bocha", APIKey: " \n"}, "Bocha needs an API key"},
		"key of two lines":   {Config{Provider: "brave", APIKey: "secret\nsecond"}, "the API key holds a character"},
		"negative time":      {Config{Provider: "brave", APIKey: "secret", Timeout: -1}, "below zero"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := New(c.config)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestServicesHaveDefaultAddresses(t *testing.T) {
	want := map[string]string{
		"tavily": "https://api.tavily.com/search",
		"brave":  "https://api.search.brave.com/res/v1/web/search",
		"bocha":  "https://api.bochaai.com/v1/web-search",
	}
	for provider, address := range want {
		e, err := New(Config{Provider: provider, APIKey: testKey + "\n"})
		if err != nil {
			t.Fatal(err)
		}
		c := clientOf(t, e)
		if c.endpoint.String() != address || c.timeout != DefaultTimeout || c.key != testKey {
			t.Errorf("%s: endpoint %s, timeout %s", provider, c.endpoint, c.timeout)
		}
	}
}

func TestACancelledSearchEnds(t *testing.T) {
	arrived := make(chan struct{})
	e := serve(t, "searxng", func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := e.Search(ctx, "capri"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
