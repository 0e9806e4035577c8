package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheFileAddsModels(t *testing.T) {
	s := fromFile(t, `
ai_base_url: http://127.0.0.1:1/v1
ai_api_key: hush
ai_model: m
models:
  default: {description: Quick, images: true, price: {input: 0.5, output: 2}}
  enhanced: {model: big}
  Coder:
    model: coder
    description: Writes and explains code
    price: {input: 3, output: 15.25, currency: USD}
  写作:
    base_url: https://other.example/v1
    model: writer
`)
	usual := Upstream{
		BaseURL: "http://127.0.0.1:1/v1", APIKey: "hush", Model: "m", Thinking: "auto",
		Description: "Quick", Images: true, Price: &Price{Input: 0.5, Output: 2, Currency: "USD"},
	}
	bare := usual
	bare.Description, bare.Images, bare.Price = "", false, nil
	big, coder := bare, bare
	big.Model = "big"
	coder.Model, coder.Description = "coder", "Writes and explains code"
	coder.Price = &Price{Input: 3, Output: 15.25, Currency: "USD"}
	writer := Upstream{BaseURL: "https://other.example/v1", Model: "writer", Thinking: "auto"}
	want := AI{Default: usual, Basic: usual, Enhanced: big, Added: []NamedUpstream{{"Coder", coder}, {"写作", writer}}}
	got := AI{Default: s.AI.Default, Basic: s.AI.Basic, Enhanced: s.AI.Enhanced, Added: s.AI.Added}
	if diff := cmp.Diff(want, got, plainly()); diff != "" {
		t.Error(diff)
	}
}

func TestAModelMayHaveSeveralServers(t *testing.T) {
	s := fromFile(t, `
models:
  default:
    base_url: https://a.example/v1
    api_key: hush-a
    model: m
    thinking: qwen
    max_tokens: 4096
    description: Ours
    headers: {X-Tenant: hush-h}
    servers:
      - api_key: hush-b
        weight: 3
      - {base_url: "https://b.example/v1", model: m2, context_tokens: 9000}
    fallback: {base_url: "https://c.example/v1", model: spare}
  basic:
    model: small
`)
	first := Upstream{
		BaseURL: "https://a.example/v1", APIKey: "hush-b", Model: "m", Thinking: "qwen", MaxTokens: 4096,
		Headers: map[string]Secret{"X-Tenant": "hush-h"},
	}
	second := Upstream{
		BaseURL: "https://b.example/v1", Model: "m2", Thinking: "qwen", MaxTokens: 4096, ContextTokens: 9000,
	}
	usual := first
	usual.Description = "Ours"
	usual.Servers = []Server{{first, 3}, {second, 1}}
	usual.Fallback = &Upstream{BaseURL: "https://c.example/v1", Model: "spare", Thinking: "auto"}
	basic := usual
	basic.Description = ""
	basic.Model, first.Model, second.Model = "small", "small", "small"
	basic.Servers = []Server{{first, 3}, {second, 1}}
	if diff := cmp.Diff([]Upstream{usual, basic}, []Upstream{s.AI.Default, s.AI.Basic}, plainly()); diff != "" {
		t.Error(diff)
	}
}
