package openai

import (
	"strings"
	"testing"

	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

func TestFurtherHeadersAndFieldsAreSent(t *testing.T) {
	server := aitest.New(t)
	model := newModel(t, server.URL, func(c *Config) {
		c.Headers = map[string]string{"X-Tenant": "seven", "Authorization": "Gateway 1"}
		c.Body = map[string]any{"temperature": 0.5, "extra": map[string]any{"a": true}}
		c.MaxTokens = 77
	})
	if err := model.Reply(t.Context(), &ai.Prompt{Question: "Why?"}, func(ai.Chunk) {}); err != nil {
		t.Fatal(err)
	}
	got := server.Last(t)
	if got.Header.Get("X-Tenant") != "seven" || got.Header.Get("Authorization") != "Gateway 1" {
		t.Errorf("sent headers %v", got.Header)
	}
	for name, want := range map[string]string{"temperature": "0.5", "extra": `{"a":true}`, "max_tokens": "77"} {
		if string(got.Fields[name]) != want {
			t.Errorf("sent %s, want %s to be %s", got.Body, name, want)
		}
	}
	if got.Question() != "Why?" || got.Model != "small" {
		t.Errorf("sent %s", got.Body)
	}
}

func TestHeadersAreSecrets(t *testing.T) {
	server := aitest.New(t)
	server.Script(aitest.Status(400, `{"error":"no tenant hush-hush-hush, and no key `+secret+`"}`))
	model := newModel(t, server.URL, func(c *Config) { c.Headers = map[string]string{"X-Tenant": "hush-hush-hush"} })
	err := model.Reply(t.Context(), &ai.Prompt{Question: "Why?"}, func(ai.Chunk) {})
	if err == nil || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), secret) {
		t.Errorf("the error is %v", err)
	}
}

func TestFurtherHeadersAndFieldsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"the model":        func(c *Config) { c.Body = map[string]any{"model": "other"} },
		"the messages":     func(c *Config) { c.Body = map[string]any{"messages": nil} },
		"a broken name":    func(c *Config) { c.Headers = map[string]string{"a b": "x"} },
		"a broken value":   func(c *Config) { c.Headers = map[string]string{"a": "hush\nhush"} },
		"an unnamed value": func(c *Config) { c.Headers = map[string]string{"": "hush"} },
	} {
		cfg := Config{BaseURL: "http://127.0.0.1:1/v1", Model: "small"}
		change(&cfg)
		if _, err := New(cfg); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestTheFirstWrongHeaderIsNamed has several that are wrong. The error must not depend on the order of a map.
func TestTheFirstWrongHeaderIsNamed(t *testing.T) {
	cfg := Config{BaseURL: "http://127.0.0.1:1/v1", Model: "small", Headers: map[string]string{}}
	for _, name := range []string{"g", "f", "e", "d", "c", "b", "a"} {
		cfg.Headers[name] = "\n"
	}
	for range 20 {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "the header a ") {
			t.Fatalf("error %v", err)
		}
	}
	cfg.Body = map[string]any{"messages": nil, "stream": true, "model": "other"}
	for range 20 {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "the field model ") {
			t.Fatalf("error %v", err)
		}
	}
}
