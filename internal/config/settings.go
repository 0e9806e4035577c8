package config

import (
	"log/slog"
	"net/netip"
	"time"
)

// Settings is everything that can be set, checked. Printing it shows no secret.
type Settings struct {
	HTTP     HTTP
	Accounts Accounts
	Store    Store
	Files    Files
	AI       AI
	Search   Search
	Log      Log
}

// HTTP is how the server is reached.
type HTTP struct {
	// Addr is host:port; the host may be empty, the port 0.
	Addr string
	// TLSCert and TLSKey are paths; both are empty without TLS.
	TLSCert string
	TLSKey  string
	// PprofAddr is empty where profiles are not served.
	PprofAddr string

	RequestTimeout time.Duration
	// DrainDelay comes before DrainTimeout; it may be zero.
	DrainDelay   time.Duration
	DrainTimeout time.Duration
	// CORSOrigins is ["*"] for any origin, empty for none.
	CORSOrigins    []string
	TrustedProxies []netip.Prefix
	RateLimit      RateLimit
	// MaxConnections is 0 where the program is to find it.
	MaxConnections int
}

// RateLimit bounds how often the API may be called. A zero Rate is no limit.
type RateLimit struct {
	User    Rate
	Address Rate
}

// Rate is a number of requests in a stretch of time.
type Rate struct {
	Requests int
	Per      time.Duration
}

// Accounts is who may use the service, and for how long at a time.
type Accounts struct {
	RegistrationOpen bool
	TokenTTL         time.Duration
}

// Store is where everything but files is kept.
type Store struct {
	// Data is the data folder.
	Data string
	// DatabaseURL is empty for SQLite in the data folder.
	DatabaseURL Secret
}

// Files is where uploaded files are kept, and how much of them.
type Files struct {
	// URL is empty for the data folder.
	URL Secret
	// MaxUpload is the largest file, in bytes.
	MaxUpload int64
	// UserStorage is the most that one user's files may take, in bytes; 0 is no limit.
	UserStorage int64
}

// AI is the models behind the three names of the contract.
type AI struct {
	// DefaultName is what users call the default model.
	DefaultName  string
	SystemPrompt string

	Default  Upstream
	Basic    Upstream
	Enhanced Upstream

	IdleTimeout time.Duration
	MaxTime     time.Duration
	// MaxReply is in bytes.
	MaxReply int64
}

// builtin stands for a model server where none is to be used.
const builtin Address = "builtin"

// Upstream is a model on a model server, or the built-in one. Without a BaseURL it is
// left to the program to find one; with a server Model is not empty.
type Upstream struct {
	BaseURL Address
	APIKey  Secret
	Model   string
	// Thinking is one of Thinkings.
	Thinking string
	// ThinkingModel, if not empty, is asked instead for deep thinking.
	ThinkingModel string
	ContextTokens int
	// Fallback, if not nil, is asked when this one fails before the first token.
	Fallback *Upstream
}

// Builtin reports whether the built-in model is to be used.
func (u Upstream) Builtin() bool { return u.BaseURL == builtin }

// Search is the web-search service; without a Provider there is none.
type Search struct {
	// Provider is one of SearchProviders.
	Provider string
	// URL is empty where the provider's usual address is meant.
	URL    Address
	APIKey Secret
}

// Log is what is logged, and how.
type Log struct {
	Level slog.Level
	JSON  bool
}

// Thinkings lists the ways to tell a model server to think deeply.
func Thinkings() []string {
	return []string{"auto", "openai", "deepseek", "qwen", "vllm", "ollama", "openrouter", "none"}
}

// SearchProviders lists the web-search services.
func SearchProviders() []string {
	return []string{"searxng", "tavily", "brave", "bocha"}
}
