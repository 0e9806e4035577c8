package connect

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"parley/internal/ai/openai"
	"parley/internal/config"
)

func TestTheBuiltInModelIsMarked(t *testing.T) {
	none := config.Upstream{BaseURL: "builtin"}
	server := config.Upstream{BaseURL: "http://127.0.0.1:1/v1", Model: "m", ContextTokens: 1000}
	settings := config.AI{DefaultName: "default", Default: none, Basic: none, Enhanced: server}
	set, err := NewModels(t.Context(), settings, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	models := set.Offers
	if !models[0].Builtin || !models[1].Builtin || models[2].Builtin {
		t.Errorf("got %+v", models)
	}
}

func TestEveryServerIsCheckedOnce(t *testing.T) {
	one := config.Upstream{BaseURL: "http://a/v1", APIKey: "hush", Model: "m"}
	other := config.Upstream{BaseURL: "http://a/v1", APIKey: "hush-2", Model: "m"}
	spare := config.Upstream{BaseURL: "http://b/v1", Model: "m"}
	usual := one
	usual.Servers = []config.Server{{Upstream: one}, {Upstream: other}}
	usual.Fallback = &spare
	coder := config.Upstream{BaseURL: "http://b/v1", Model: "coder"}
	settings := config.AI{
		Default: usual, Basic: config.Upstream{BaseURL: "builtin"}, Enhanced: one,
		Added: []config.NamedUpstream{{Name: "Coder", Upstream: coder}},
	}
	var got []string
	for _, server := range Servers(settings) {
		got = append(got, server.Name)
	}
	want := []string{"m at http://a/v1", "m at http://a/v1 (2)", "m at http://b/v1", "coder at http://b/v1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestAModelThatNoOllamaHasIsToldOf(t *testing.T) {
	set, err := NewModels(t.Context(), config.AI{
		DefaultName: "default", Default: config.Upstream{Model: "no-such-model"},
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"built-in", "no-such-model", "PARLEY_AI_BASE_URL"} {
		if !strings.Contains(set.About, part) {
			t.Errorf("%q does not say %q", set.About, part)
		}
	}
}

func TestDeepThinkingIsOfferedIfTheLocalModelThinks(t *testing.T) {
	for _, test := range []struct {
		wanted string
		local  openai.OllamaModel
		want   openai.Dialect
	}{
		{"", openai.OllamaModel{Name: "tiny:latest"}, openai.DialectNone},
		{"tiny", openai.OllamaModel{Name: "tiny:latest"}, openai.DialectNone},
		{"tiny:latest", openai.OllamaModel{Name: "tiny:latest"}, openai.DialectNone},
		{"tiny", openai.OllamaModel{Name: "tiny:latest", Thinks: true}, openai.DialectOllama},
		{"other", openai.OllamaModel{Name: "tiny:latest"}, openai.DialectOllama}, // its abilities are unknown
	} {
		if got := onOllama(config.Upstream{Model: test.wanted}, test.local); got.Thinking != string(test.want) {
			t.Errorf("%q on %+v: got %q, want %q", test.wanted, test.local, got.Thinking, test.want)
		}
	}
}
