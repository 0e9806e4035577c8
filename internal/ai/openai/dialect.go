package openai

import (
	"fmt"
	"net/url"
	"strings"
)

// Dialect is the way to request deep thinking from a server.
type Dialect string

// The dialects. DialectAuto is resolved by the host of the base URL.
const (
	DialectAuto       Dialect = "auto"
	DialectOpenAI     Dialect = "openai"
	DialectDeepSeek   Dialect = "deepseek"
	DialectQwen       Dialect = "qwen"
	DialectVLLM       Dialect = "vllm"
	DialectOllama     Dialect = "ollama"
	DialectOpenRouter Dialect = "openrouter"
	DialectEffort     Dialect = "effort"
	DialectNone       Dialect = "none"
)

// resolve returns d, or the dialect of the host if d is empty or DialectAuto.
func (d Dialect) resolve(base *url.URL) (Dialect, error) {
	switch d {
	case "", DialectAuto:
		return dialectOf(base), nil
	case DialectOpenAI, DialectDeepSeek, DialectQwen, DialectVLLM, DialectOllama, DialectOpenRouter, DialectEffort,
		DialectNone:
		return d, nil
	}
	return "", fmt.Errorf("unknown thinking dialect %q", string(d))
}

// hosts are the domains of providers and their dialects.
var hosts = []struct {
	domain  string
	dialect Dialect
}{
	{"deepseek.com", DialectDeepSeek},
	{"moonshot.cn", DialectDeepSeek},
	{"moonshot.ai", DialectDeepSeek},
	{"bigmodel.cn", DialectDeepSeek},
	{"z.ai", DialectDeepSeek},
	{"volces.com", DialectDeepSeek},
	{"siliconflow.cn", DialectQwen},
	{"siliconflow.com", DialectQwen},
	{"openrouter.ai", DialectOpenRouter},
	{"groq.com", DialectEffort},
	{"generativelanguage.googleapis.com", DialectEffort},
}

func dialectOf(base *url.URL) Dialect {
	host := strings.ToLower(base.Hostname())
	for _, known := range hosts {
		if within(host, known.domain) {
			return known.dialect
		}
	}
	first, _, _ := strings.Cut(host, ".")
	switch {
	case strings.HasPrefix(first, "dashscope"):
		return DialectQwen
	case base.Port() == "11434", first == "ollama":
		return DialectOllama
	}
	return DialectOpenAI
}

func within(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// thinkingFields are the fields of a request that turn deep thinking on or off. At most one is set.
type thinkingFields struct {
	ReasoningEffort    string        `json:"reasoning_effort,omitempty"`
	Thinking           *thinkingType `json:"thinking,omitempty"`
	EnableThinking     *bool         `json:"enable_thinking,omitempty"`
	ChatTemplateKwargs *templateArgs `json:"chat_template_kwargs,omitempty"`
	Reasoning          *reasoning    `json:"reasoning,omitempty"`
}

type thinkingType struct {
	Type string `json:"type"`
}

type templateArgs struct {
	EnableThinking bool `json:"enable_thinking"`
}

type reasoning struct {
	Enabled bool   `json:"enabled"`
	Effort  string `json:"effort,omitempty"`
}

// fields returns the fields for deep thinking on or off, and the words that a server would name them by if it rejects
// them. The words are nil if there are no fields.
func (d Dialect) fields(deep bool) (thinkingFields, []string) {
	switch d {
	case DialectOpenAI:
		if deep {
			return thinkingFields{ReasoningEffort: "high"}, []string{"reasoning"}
		}
	case DialectDeepSeek:
		return thinkingFields{Thinking: &thinkingType{Type: either(deep, "enabled", "disabled")}}, []string{"thinking"}
	case DialectQwen:
		return thinkingFields{EnableThinking: &deep}, []string{"enable_thinking"}
	case DialectVLLM:
		return thinkingFields{ChatTemplateKwargs: &templateArgs{EnableThinking: deep}},
			[]string{"chat_template_kwargs", "enable_thinking"}
	case DialectOllama, DialectEffort:
		// They think by default. Ollama's error is "does not support thinking".
		return thinkingFields{ReasoningEffort: either(deep, "high", "none")}, []string{"reasoning", "think"}
	case DialectOpenRouter:
		return thinkingFields{Reasoning: &reasoning{Enabled: deep, Effort: either(deep, "high", "")}}, []string{"reasoning"}
	}
	return thinkingFields{}, nil
}

func either(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}
