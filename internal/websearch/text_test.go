package websearch

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTagsAndEntitiesBecomePlainText(t *testing.T) {
	cases := map[string]string{
		"<strong>Ferry</strong> to Capri":              "Ferry to Capri",
		"<strong>北京</strong>天气":                        "北京天气",
		"Rock &amp; Roll &#x27;n&#39; &lt;b&gt;":       "Rock & Roll 'n' <b>",
		"one<br>two<p>three</p>four":                   "one two three four",
		"  a \n\t b\u00a0c ":                           "a b c",
		"NUL\x00, bell\x07, &#0; and \xff\xfe are out": "NUL, bell, and are out",
		"a < b and c > d":                              "a < b and c > d",
		"if a <b then c":                               "if a <b then c",
		"vector<int> and map<K,V>":                     "vector<int> and map<K,V>",
		"the <title> and <script> tags":                "the and tags",
		"<script>alert(1)</script>after":               "alert(1)after",
		"<img src=x onerror=alert(1)>picture":          "picture",
		"before<!-- hidden -->after":                   "beforeafter",
		"":                                             "",
	}
	for in, want := range cases {
		if got := plain(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestTitlesAndTextsAreBounded(t *testing.T) {
	got := best([]Result{{
		Title: strings.Repeat("題", 1000), URL: "https://a.example", Text: strings.Repeat("字", 10_000),
	}})
	want := []Result{{
		Title: strings.Repeat("題", MaxTitle-1) + "…",
		URL:   "https://a.example",
		Text:  strings.Repeat("字", MaxText-1) + "…",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyTheBestResultsAreKept(t *testing.T) {
	var found []Result
	for i := range 20 {
		found = append(found, Result{Title: "t", URL: fmt.Sprintf("https://example.com/%d", i)})
	}
	got := best(found)
	if len(got) != MaxResults || got[0].URL != "https://example.com/0" || got[5].URL != "https://example.com/5" {
		t.Errorf("kept %v", got)
	}
}

func TestOnlyWebAddressesAreKept(t *testing.T) {
	dropped := []string{
		"", "example.com", "/path", "//example.com/", "javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x",
		"file:///etc/passwd", "ftp://example.com", "http:", "http://", "http:opaque", "https://:443/",
		"http://a\x00b/", "http://a b/", "http://[::1", "https://example.com/" + strings.Repeat("a", maxURL),
	}
	for _, address := range dropped {
		if got := best([]Result{{Title: "t", URL: address}}); len(got) != 0 {
			t.Errorf("%q was kept as %q", address, got[0].URL)
		}
	}
	kept := map[string]string{
		"HTTPS://Example.com/a b":        "https://Example.com/a%20b",
		" http://example.com/?q=1#part ": "http://example.com/?q=1#part",
		"https://bank.example@evil.test": "https://evil.test",
		"https://例子.测试:8443/路":           "https://xn--fsqu00a.xn--0zwm56d:8443/%E8%B7%AF",
		"https://example.com/<script>":   "https://example.com/%3Cscript%3E",
	}
	for address, want := range kept {
		if got := best([]Result{{Title: "t", URL: address}}); len(got) != 1 || got[0].URL != want {
			t.Errorf("%q: got %v, want %q", address, got, want)
		}
	}
}

func TestDuplicatesAreDropped(t *testing.T) {
	got := best([]Result{
		{Title: "first", URL: "https://example.com/a"},
		{Title: "slash", URL: "https://example.com/a/"},
		{Title: "plain", URL: "http://EXAMPLE.com/a#top"},
		{Title: "query", URL: "https://example.com/a?page=2"},
	})
	want := []Result{
		{Title: "first", URL: "https://example.com/a"},
		{Title: "query", URL: "https://example.com/a?page=2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAResultWithoutTitleIsNamedByItsHost(t *testing.T) {
	got := best([]Result{
		{URL: "https://example.com/a", Text: "words"},
		{URL: "https://example.com/b", Title: "<b></b>"},
	})
	want := []Result{{Title: "example.com", URL: "https://example.com/a", Text: "words"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

type decoder interface {
	decode(data []byte) ([]Result, error)
}

func FuzzDecode(f *testing.F) {
	for i, provider := range providers {
		f.Add(i, []byte(captured[provider]))
	}
	f.Add(0, []byte(`{"results":[{"title":"<b","url":"https://a.example/\u0000","content":"&#0;\ud800"}]}`))
	f.Add(2, []byte(`{"web":{"results":[{"title":"\ufffd","url":"http://[::1]:80/%zz","description":"<!--"}]}}`))
	var decoders []decoder
	for _, provider := range providers {
		e, err := New(Config{Provider: provider, URL: "http://127.0.0.1", APIKey: testKey, Timeout: time.Second})
		if err != nil {
			f.Fatal(err)
		}
		decoders = append(decoders, e.(decoder))
	}
	f.Fuzz(func(t *testing.T, which int, data []byte) {
		got, err := decoders[uint(which)%uint(len(decoders))].decode(data)
		if err != nil && got != nil {
			t.Error("results beside an error")
		}
		if len(got) > MaxResults {
			t.Errorf("%d results", len(got))
		}
		for _, r := range got {
			checkResult(t, r)
		}
	})
}

func checkResult(t *testing.T, r Result) {
	t.Helper()
	if r.Title == "" || utf8.RuneCountInString(r.Title) > MaxTitle || utf8.RuneCountInString(r.Text) > MaxText {
		t.Errorf("out of bounds: %+v", r)
	}
	for _, s := range []string{r.Title, r.URL, r.Text} {
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\r\n") {
			t.Errorf("not plain: %q", s)
		}
	}
	u, err := url.Parse(r.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
		t.Errorf("not the URL of a web page: %q", r.URL)
	}
}
