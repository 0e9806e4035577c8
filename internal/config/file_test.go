package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fromFile returns the settings of a file.
func fromFile(t *testing.T, text string) *Settings {
	t.Helper()
	return mustParse(t, env(), "--config", write(t, "parley.yaml", text))
}

// refuseFile checks that a settings file is refused with an error that contains every text in says.
func refuseFile(t *testing.T, text string, says ...string) {
	t.Helper()
	path := write(t, "parley.yaml", text)
	refuse(t, env(), []string{"--config", path}, append(says, path+":")...)
}

func TestAFileMayHoldNothing(t *testing.T) {
	for _, text := range []string{
		"", "# nothing\n", "---\n", "null\n", "{}\n", "addr:\n", "models:\n",
		"models:\n  basic:\n",
	} {
		if s := fromFile(t, text); s.HTTP.Addr != "127.0.0.1:8080" {
			t.Errorf("%q: got %+v", text, s)
		}
	}
}

func TestAFileMayGiveListsAndPlainWords(t *testing.T) {
	s := fromFile(t, `
cors_origins:
  - https://a.example
  - https://b.example
trusted_proxies: [10.0.0.1, 10.1.0.0/16]
rate_limit: [user=1/s, address=2/s]
ai_context_tokens: 4000
pprof_addr: off
system_prompt: |
  Be kind.
  Be brief.
`)
	if diff := cmp.Diff([]string{"https://a.example", "https://b.example"}, s.HTTP.CORSOrigins); diff != "" {
		t.Error(diff)
	}
	if len(s.HTTP.TrustedProxies) != 2 || s.HTTP.RateLimit.Address.Requests != 2 || s.AI.Default.ContextTokens != 4000 ||
		s.HTTP.PprofAddr != "" {
		t.Errorf("got %+v", s)
	}
	if s.Live.Values.Instructions != "Be kind.\nBe brief.\n" {
		t.Errorf("got %q", s.Live.Values.Instructions)
	}
}

func TestAWrongFileIsRefusedAtItsLine(t *testing.T) {
	refuseFile(t, "addr: :1\nlisten: :2\n", ":2: ", `"listen"`)
	refuseFile(t, "max-upload: 1MB\n", ":1: ", `"max-upload"`)
	refuseFile(t, "config: other.yaml\n", ":1: ", `"config"`)
	refuseFile(t, "help: true\n", ":1: ", `"help"`)
	refuseFile(t, "addr: :1\ndata: x\naddr: :2\n", ":3: ", "addr", "twice")
	refuseFile(t, "ai_api_key:\n  - hush\n", ":1: ", "ai_api_key", "single value")
	refuseFile(t, "addr: {port: 1}\n", ":1: ", "addr", "single value")
	refuseFile(t, "cors_origins: [[a]]\n", ":1: ", "cors_origins")
	refuseFile(t, "- addr\n", ":1: ", "name: value")
	refuseFile(t, "hush\n", ":1: ", "name: value")
	refuseFile(t, "addr: :1\n---\naddr: :2\n", "more than one")
	refuseFile(t, "addr: [\n", "line")
	refuseFile(t, "addr: &a x\ndata: *a\n", ":2: ", "data")
}

func TestAHugeFileIsRefused(t *testing.T) {
	path := write(t, "parley.yaml", strings.Repeat("# much\n", 1<<18))
	refuse(t, env(), []string{"--config", path}, path, "larger than 1 MiB")
}

func TestAFolderIsNoFile(t *testing.T) {
	refuse(t, env(), []string{"--config", t.TempDir()}, "settings file", "directory")
}

func TestTheModelsSectionGivesEachNameItsOwnModel(t *testing.T) {
	key := write(t, "key", "hush-e\n")
	s := fromFile(t, `
ai_base_url: http://127.0.0.1:1/v1
ai_api_key: hush-top
ai_model: small
ai_thinking: qwen
ai_thinking_model: thinker
ai_context_tokens: 8000
models:
  default:
    context_tokens: 16000
    fallback:
      model: tiny
  basic:
    model: smaller
    thinking: none
  enhanced:
    base_url: https://models.example/v1
    api_key_file: `+key+`
    model: big
    thinking_model: big-thinker
    max_tokens: 8192
    headers:
      X-Tenant: seven
      X-Key_file: `+key+`
    body:
      top_k: 40
      google: {thinking_config: {include_thoughts: true}}
    allow: [service_tier]
    refuse: [logit_bias, seed]
    fallback:
      base_url: https://spare.example/v1
      model: spare
      thinking: deepseek
      context_tokens: 4000
      fallback:
        model: last
`)
	local := Upstream{
		BaseURL: "http://127.0.0.1:1/v1", APIKey: "hush-top", Model: "small",
		Thinking: "qwen", ThinkingModel: "thinker", ContextTokens: 16000,
	}
	tiny := local
	tiny.Model, tiny.ThinkingModel = "tiny", ""
	local.Fallback = &tiny
	basic := local
	basic.Model, basic.Thinking = "smaller", "none"
	last := Upstream{BaseURL: "https://spare.example/v1", Model: "last", Thinking: "deepseek", ContextTokens: 4000}
	spare := last
	spare.Model, spare.Fallback = "spare", &last
	enhanced := Upstream{
		BaseURL: "https://models.example/v1", APIKey: "hush-e", Model: "big",
		Thinking: "auto", ThinkingModel: "big-thinker", ContextTokens: 16000, Fallback: &spare,
		MaxTokens: 8192, Headers: map[string]Secret{"X-Tenant": "seven", "X-Key": "hush-e"},
		Body: map[string]any{
			"top_k": 40, "google": map[string]any{"thinking_config": map[string]any{"include_thoughts": true}},
		},
		Allow: []string{"service_tier"}, Refuse: []string{"logit_bias", "seed"},
	}
	want := []Upstream{local, basic, enhanced}
	if diff := cmp.Diff(want, []Upstream{s.AI.Default, s.AI.Basic, s.AI.Enhanced}, plainly()); diff != "" {
		t.Error(diff)
	}
}

func TestAKeyDoesNotTravelToAnotherServer(t *testing.T) {
	s := fromFile(t, `
ai_base_url: http://127.0.0.1:1/v1
ai_api_key: hush
ai_model: m
models:
  basic: {base_url: "https://other.example/v1", model: x}
  enhanced: {fallback: {base_url: "https://other.example/v1", model: x}}
`)
	if s.AI.Basic.APIKey != "" || s.AI.Enhanced.Fallback.APIKey != "" {
		t.Error("the key is sent to another server")
	}
	if s.AI.Enhanced.APIKey != "hush" {
		t.Error("the key is lost")
	}
}

func TestAModelsBlockAloneServesAllNames(t *testing.T) {
	s := fromFile(t, "models:\n  default: {base_url: http://127.0.0.1:1/v1, model: m}\n")
	if s.AI.Default.Model != "m" || !cmp.Equal(s.AI.Basic, s.AI.Default) || !cmp.Equal(s.AI.Enhanced, s.AI.Default) {
		t.Errorf("got %+v", s.AI)
	}
}

func TestAVariableNamesTheModelOfABlock(t *testing.T) {
	path := write(t, "parley.yaml", "models:\n  basic: {base_url: http://127.0.0.1:1/v1}\n")
	s := mustParse(t, env("PARLEY_AI_MODEL_BASIC=m"), "--config", path)
	if s.AI.Basic.Model != "m" || s.AI.Default.BaseURL != "" {
		t.Errorf("got %+v", s.AI)
	}
	path = write(t, "parley.yaml", "models:\n  basic: {base_url: http://127.0.0.1:1/v1, model: x}\n")
	refuse(t, env("PARLEY_AI_MODEL_BASIC=m"), []string{"--config", path}, "PARLEY_AI_MODEL_BASIC: ", "models.basic.model")
}

func TestAWrongModelsSectionIsRefusedAtItsLine(t *testing.T) {
	key := write(t, "key", "hush")
	cases := map[string]struct {
		text string
		says []string
	}{
		"not a section": {"models: big\n", []string{":1: "}},
		"misspelled name": {
			"models:\n  enhaced:\n    model: m\n",
			[]string{":2: ", `"enhaced"`, "enhanced"},
		},
		"added, no model": {"models:\n  large:\n    thinking: none\n", []string{":2: models.large: model is missing"}},
		"name of another": {"models:\n  基础模型:\n    model: m\n", []string{":2: models.基础模型: ", "basic"}},
		"no price":        {"models:\n  large:\n    price: 3\n", []string{":3: "}},
		"half a price":    {"models:\n  large:\n    price: {input: 3}\n", []string{":3: models.large.price ", "output"}},
		"wrong price": {
			"models:\n  large:\n    price: {input: -1, output: 1}\n",
			[]string{":3: models.large.price.input: "},
		},
		"wrong currency": {
			"models:\n  large:\n    price: {input: 1, output: 1, currency: dollars}\n",
			[]string{":3: models.large.price.currency: "},
		},
		"wrong images":      {"models:\n  large:\n    images: maybe\n", []string{":3: models.large.images: "}},
		"long description":  {"models:\n  large:\n    description: \"a\\nb\"\n", []string{":3: models.large.description: "}},
		"weight of a model": {"models:\n  large:\n    model: m\n    weight: 2\n", []string{":2: models.large: weight"}},
		"no servers":        {"models:\n  large:\n    servers: []\n", []string{":3: models.large.servers "}},
		"server without address": {
			"models:\n  large:\n    servers:\n      - {model: m}\n",
			[]string{":4: models.large.servers[1]: base_url"},
		},
		"server with a fallback": {
			"models:\n  large:\n    servers:\n      - {base_url: 'http://a/v1', fallback: {model: m}}\n",
			[]string{":4: models.large.servers[1]: "},
		},
		"wrong weight": {
			"models:\n  large:\n    servers:\n      - {base_url: 'http://a/v1', model: m, weight: 0}\n",
			[]string{":4: models.large.servers[1].weight: "},
		},
		"unknown field": {"models:\n  basic:\n    upstream: m\n", []string{":3: ", `"upstream"`, "models.basic"}},
		"field twice":   {"models:\n  basic:\n    model: m\n    model: n\n", []string{":4: ", "twice"}},
		"list":          {"models:\n  basic:\n    model: [m]\n", []string{":3: ", "models.basic.model"}},
		"wrong address": {"models:\n  basic:\n    base_url: hush\n", []string{":3: models.basic.base_url: "}},
		"wrong key":     {"models:\n  basic:\n    api_key: hush hush\n", []string{":3: models.basic.api_key: "}},
		"wrong dialect": {"models:\n  basic:\n    thinking: hard\n", []string{":3: models.basic.thinking: "}},
		"no header file": {
			"models:\n  basic:\n    headers: {a_file: /nowhere}\n",
			[]string{":3: models.basic.headers.a_file: "},
		},
		"no fields": {
			"models:\n  basic:\n    body: few\n",
			[]string{":3: models.basic.body "},
		},
		"no list of fields": {
			"models:\n  basic:\n    refuse: models\n",
			[]string{":3: models.basic.refuse must be a list"},
		},
		"no names of fields": {
			"models:\n  basic:\n    allow: [service_tier, 'two words']\n",
			[]string{":3: models.basic.allow: ", `"two words"`},
		},
		"wrong size": {
			"models:\n  basic:\n    context_tokens: few\n",
			[]string{":3: models.basic.context_tokens: "},
		},
		"no key file": {
			"models:\n  basic:\n    api_key_file: /nowhere\n",
			[]string{":3: models.basic.api_key_file: "},
		},
		"two keys": {
			"models:\n  basic:\n    api_key: hush\n    api_key_file: " + key + "\n",
			[]string{":2: ", "api_key_file"},
		},
		"no model": {
			"models:\n  basic:\n    base_url: http://127.0.0.1:1/v1\n",
			[]string{":2: models.basic: model is missing"},
		},
		"key without server": {"models:\n  basic:\n    api_key: hush\n", []string{":2: models.basic: ", "base_url"}},
		"fallback to itself": {
			"models:\n  basic:\n    fallback:\n      thinking: none\n",
			[]string{":3: models.basic.fallback: "},
		},
		"fallback, no model": {
			"models:\n  basic:\n    fallback:\n      base_url: http://127.0.0.1:1/v1\n",
			[]string{":3: models.basic.fallback: "},
		},
		"fallback of a cycle": {"models:\n  basic: &b\n    model: m\n    fallback: *b\n", []string{":4: "}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { refuseFile(t, c.text, c.says...) })
	}
}

func FuzzFile(f *testing.F) {
	f.Add("addr: :1\ncors_origins: [a, b]\n")
	f.Add("models:\n  basic: &b\n    model: m\n    fallback: *b\n")
	f.Add("models: {default: {base_url: http://h/v1, model: m, context_tokens: 1e9, fallback: {model: n}}}\n")
	f.Add("models: {coder: {model: m, price: {input: 1, output: 2}, servers: [{base_url: http://h/v1, weight: 3}]}}\n")
	f.Add("? [a]\n: b\n<<: {addr: x}\n")
	known := map[string]bool{"addr": false, "cors_origins": true}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "_file") {
			t.Skip("reads files")
		}
		parsed, err := parseFile([]byte(text), known)
		if (parsed == nil) != (err != nil) {
			t.Fatalf("got %v and %v", parsed, err)
		}
		if err != nil {
			return
		}
		for name, v := range parsed.values {
			if _, isKnown := known[name]; !isKnown || v.line < 1 {
				t.Errorf("kept %q of line %d", name, v.line)
			}
		}
		_, _ = parsed.models.Default.apply(Upstream{})
		for _, added := range parsed.models.Added {
			_, _ = added.apply(Upstream{})
		}
	})
}
