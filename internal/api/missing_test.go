package api_test

import (
	"slices"
	"strings"
	"testing"
)

const browserAccept = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func TestABrowserGetsAPageForAMissingPath(t *testing.T) {
	w := newWorld(t, "")
	w.start()
	for _, tt := range []struct{ language, title, tag string }{
		{"en-US,en;q=0.9", "Page not found", `lang="en"`},
		{"zh-CN,zh;q=0.9,en;q=0.8", "找不到页面", `lang="zh-CN"`},
	} {
		got := w.request("GET", "/nonsense", "", browserAccept, "Accept-Language: "+tt.language)
		if got.StatusCode != 404 || got.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
			!strings.Contains(got.text, tt.title) || !strings.Contains(got.text, tt.tag) ||
			!strings.Contains(got.text, `<a href="/">`) {
			t.Errorf("HTTP %d, %v: %s", got.StatusCode, got.Header, got.text)
		}
		for _, unwanted := range []string{"<script", "{lang}", "{title}", "{text}", "{start}"} {
			if strings.Contains(got.text, unwanted) {
				t.Errorf("the page has %s: %s", unwanted, got.text)
			}
		}
		policy := got.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
			t.Errorf("the policy is %s", policy)
		}
		if vary := got.Header.Values("Vary"); !slices.Contains(vary, "Accept, Accept-Language") {
			t.Errorf("the response varies by %q", vary)
		}
	}
	if got := w.request("HEAD", "/nonsense", "", browserAccept); got.StatusCode != 404 || got.text != "" ||
		got.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("HEAD: HTTP %d, %v: %s", got.StatusCode, got.Header, got.text)
	}
}

func TestEverybodyElseGetsAnErrorForAMissingPath(t *testing.T) {
	w := newWorld(t, "")
	w.start()
	want := w.request("GET", "/nonsense", "").text
	for _, tt := range []struct{ method, path, accept string }{
		{"GET", "/nonsense", "*/*"},
		{"GET", "/nonsense", "application/json"},
		{"GET", "/nonsense", "text/html;q=0.5, application/json"},
		{"GET", "/nonsense", "text/html, application/json"},
		{"GET", "/nonsense", "text/html;q=2"},
		{"GET", "/nonsense", "text/html;q=0"},
		{"GET", "/nonsense", ";;text/html"},
		{"POST", "/nonsense", "text/html"},
		{"GET", "/api", "text/html"},
		{"GET", "/api/nonsense", "text/html"},
	} {
		got := w.request(tt.method, tt.path, "", "Accept: "+tt.accept)
		if got.StatusCode != 404 || got.Header.Get("Content-Type") != "application/json" || got.text != want {
			t.Errorf("%+v: HTTP %d, %v: %s", tt, got.StatusCode, got.Header, got.text)
		}
	}
}
