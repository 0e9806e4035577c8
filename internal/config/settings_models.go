package config

import "time"

// AI holds the settings of the models: the three of the contract, and those that the settings file adds.
type AI struct {
	Default Upstream `group:"Model:"`
	// BasicModel and EnhancedModel are the names in the settings, or empty. Basic and Enhanced are the upstreams in
	// use.
	BasicModel    string `name:"ai-model-basic" type:"name" placeholder:"NAME" help:"The one behind 基础模型 (basic); default: --ai-model."`
	EnhancedModel string `name:"ai-model-enhanced" type:"name" placeholder:"NAME" help:"The one behind 增强模型 (enhanced); default: --ai-model."`
	Basic         Upstream
	Enhanced      Upstream
	// Added keeps the order of the file.
	Added []NamedUpstream
	// Fixed says where the settings of a model come from, by default, basic, enhanced or its own name. A model without an
	// entry can be connected while the server runs.
	Fixed map[string]string

	IdleTimeout time.Duration `name:"ai-idle-timeout" type:"duration above zero" default:"60s" help:"Longest silence of the model within a reply."`
	MaxTime     time.Duration `name:"ai-max-time" type:"duration above zero" default:"10m" help:"Longest time for one reply."`
	// MaxReply is in bytes.
	MaxReply int64 `name:"ai-max-reply" type:"size" default:"1MiB" help:"Largest reply."`
	// DefaultName is the name of the default model in the API.
	DefaultName string `name:"default-model" type:"name" default:"default" help:"What users call the default model, beside 基础模型 and 增强模型."`
	// ModelTitles is set if a model names sessions after their first reply.
	ModelTitles  bool `name:"titles" type:"switch" words:"model,text" on:"model" default:"model" help:"Who names a chat after its first reply: model (if it is not the built-in one), or text to keep the title that is made from the first question."`
	SystemPrompt live `type:"text" live:"instructions" placeholder:"TEXT" help:"Instructions that the model gets with every question."`
	// InstructCalls is set if the system prompt also goes with calls of /v1 outside sessions.
	InstructCalls bool `name:"system-prompt-for" type:"switch" words:"all,sessions" on:"all" default:"all" help:"What the instructions go with: all, or sessions to leave out calls of /v1 that are no turns of a session."`
}

// NamedUpstream is a model with its name in the API.
type NamedUpstream struct {
	Name string
	Upstream
}

// builtin is the BaseURL of the built-in model.
const builtin Address = "builtin"

// Upstream is a model on a model server, or the built-in one. If BaseURL is empty, the program looks for a local
// server. If it is the address of a server, Model is not empty. The tags declare the settings of AI.Default. In the
// settings file, every model has these fields and the others.
type Upstream struct {
	BaseURL Address `name:"ai-base-url" type:"model server" placeholder:"URL" see:"operations.md#model" help:"OpenAI-compatible model server, with its /v1: https://api.openai.com/v1. Without it: a local Ollama if one responds, else the built-in model; builtin always uses the built-in model."`
	APIKey  Secret  `name:"ai-api-key" type:"key" placeholder:"KEY" file:"File that holds the key." help:"Key for the model server. Other users of this machine can see flags: better use the variable or the file."`
	Model   string  `name:"ai-model" type:"name" placeholder:"NAME" help:"The server's name of the model to use; needed with --ai-base-url."`
	// Thinking is one of Thinkings.
	Thinking string `name:"ai-thinking" type:"thinking" default:"auto" see:"models.md" help:"How to request deep thinking: auto (by the server's address), openai, deepseek, qwen, vllm, ollama, openrouter, effort or none."`
	// ThinkingModel, if not empty, is used instead for deep thinking.
	ThinkingModel string `name:"ai-thinking-model" type:"name" placeholder:"NAME" help:"Model to use instead for deep thinking."`
	// ContextTokens is 0 if Parley must ask the server.
	ContextTokens int `name:"ai-context-tokens" type:"context" default:"auto" help:"Tokens of a prompt and its reply; older messages beyond it are left out. auto: what the server says, else 32000."`
	// Images is set if the model reads pictures.
	Images bool `name:"ai-images" type:"switch" words:"true,false" on:"true" default:"false" help:"Whether the models of the server see pictures: true or false."`
	// MaxTokens limits a reply. 0 means the server's limit.
	MaxTokens int
	// Headers and Body are added to every request.
	Headers map[string]Secret
	Body    map[string]any
	// Allow lists the fields that clients of OpenAI's API may set, Refuse those that they may not.
	Allow, Refuse []string
	// Description is one line for users. It may be empty.
	Description string
	// Price is nil if unknown.
	Price *Price
	// Servers, if not empty, lists several servers or keys for this model. They replace BaseURL, APIKey and the other
	// settings of a server above, which then hold those of the first server.
	Servers []Server
	// Fallback, if not nil, is used if this model fails before the first token.
	Fallback *Upstream
}

// Server is one of several servers of a model. It has no servers and no fallback of its own.
type Server struct {
	Upstream
	// Weight is its share of the replies, at least 1.
	Weight int
}

// Price is what a million tokens cost.
type Price struct {
	Input, Output float64
	// Currency is three capital letters, such as USD.
	Currency string
}

// Builtin reports whether this is the built-in model.
func (u Upstream) Builtin() bool { return u.BaseURL == builtin }

// Thinkings lists the ways to request deep thinking from a model server.
func Thinkings() []string {
	return []string{"auto", "openai", "deepseek", "qwen", "vllm", "ollama", "openrouter", "effort", "none"}
}
