package ai

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Dialect is the way in which an upstream is told to think deeply.
type Dialect string

// The dialects. DialectAuto goes by the host of the base URL.
const (
	DialectAuto       Dialect = "auto"
	DialectOpenAI     Dialect = "openai"
	DialectDeepSeek   Dialect = "deepseek"
	DialectQwen       Dialect = "qwen"
	DialectVLLM       Dialect = "vllm"
	DialectOllama     Dialect = "ollama"
	DialectOpenRouter Dialect = "openrouter"
	DialectNone       Dialect = "none"
)

// Dialects lists all dialects, for settings and their messages.
func Dialects() []Dialect {
	return []Dialect{
		DialectAuto, DialectOpenAI, DialectDeepSeek, DialectQwen,
		DialectVLLM, DialectOllama, DialectOpenRouter, DialectNone,
	}
}

// resolve checks the dialect and replaces auto, and the empty one, by what fits base.
func (d Dialect) resolve(base *url.URL) (Dialect, error) {
	if d == "" || d == DialectAuto {
		return dialectOf(base), nil
	}
	if !slices.Contains(Dialects(), d) {
		return "", fmt.Errorf("unknown thinking dialect %q", string(d))
	}
	return d, nil
}

func dialectOf(base *url.URL) Dialect {
	host := strings.ToLower(base.Hostname())
	first, _, _ := strings.Cut(host, ".")
	switch {
	case within(host, "deepseek.com"):
		return DialectDeepSeek
	case strings.HasPrefix(first, "dashscope"):
		return DialectQwen
	case within(host, "openrouter.ai"):
		return DialectOpenRouter
	case base.Port() == "11434", first == "ollama":
		return DialectOllama
	}
	return DialectOpenAI
}

func within(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// thinkingFields are the fields of a request that ask for deep thinking, or for none.
// At most one is set.
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

// fields are what the dialect sends with deep thinking on or off, and the words by
// which an upstream that doesn't know them would name them. No words: nothing is sent.
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
		return thinkingFields{ChatTemplateKwargs: &templateArgs{EnableThinking: deep}}, []string{"chat_template_kwargs", "enable_thinking"}
	case DialectOllama:
		// Ollama thinks unless told not to, and says "does not support thinking".
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
