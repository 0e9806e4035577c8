package config

import (
	"log/slog"
	"net/netip"
	"time"

	"parley"
)

// Settings holds all settings, validated. Printing it reveals no secret.
type Settings struct {
	HTTP     HTTP
	Accounts Accounts
	Live     Live
	SignOn   SignOn
	Mail     Mail
	Store    Store
	Files    Files
	OCR      OCR
	AI       AI
	Search   Search
	Embed    Embed
	Log      Log
}

// HTTP holds the settings of the HTTP server.
type HTTP struct {
	// Addr is host:port; the host may be empty, the port 0.
	Addr string
	// TLSCert and TLSKey are paths; both are empty without TLS.
	TLSCert string
	TLSKey  string
	// PublicURL is the address that browsers use, without a slash at its end. It may be empty.
	PublicURL string
	// MetricsAddr is empty if metrics are served on Addr.
	MetricsAddr string
	// PprofAddr is empty if profiles are not served.
	PprofAddr string

	RequestTimeout time.Duration
	// DrainDelay comes before DrainTimeout; it may be zero.
	DrainDelay   time.Duration
	DrainTimeout time.Duration
	// CORSOrigins is ["*"] for any origin, empty for none.
	CORSOrigins    []string
	TrustedProxies []netip.Prefix
	RateLimit      RateLimit
	// MaxConnections is 0 for automatic.
	MaxConnections int
	// PerAddress limits the connections of one address. It is 0 for automatic, and may be NoLimit.
	PerAddress int
	// UserRequests is how many requests of one user may be in progress.
	UserRequests int
}

// NoLimit is the value of PerAddress without a limit.
const NoLimit = -1

// RateLimit limits requests per user and per address. A zero Rate means no limit.
type RateLimit struct {
	User    Rate
	Address Rate
	// Login and Register limit logins and registrations per address.
	Login    Rate
	Register Rate
}

// Rate is a number of requests per duration.
type Rate struct {
	Requests int
	Per      time.Duration
}

// Accounts holds the settings of accounts.
type Accounts struct {
	TokenTTL time.Duration
	// AdminTOTP is set if administrators need a second factor.
	AdminTOTP bool
}

// Live holds the settings that can be changed while the server runs.
type Live struct {
	// Values are what was set, and the defaults of the rest.
	Values parley.Settings
	// Fixed names those that were set by a flag, the environment or the settings file. They can't be changed.
	Fixed []string
}

// SignOn holds the settings of single sign-on. Without an Issuer there is none.
type SignOn struct {
	Issuer   string
	ClientID string
	// ClientSecret is empty for a public client.
	ClientSecret Secret
	// Name is what users call the provider.
	Name string
	// LinkByEmail is whether an existing account is linked without its password.
	LinkByEmail bool
}

// Mail holds the settings of outgoing mail. Without a URL none is sent.
type Mail struct {
	// URL is that of an SMTP server. With it, From and the PublicURL are not empty.
	URL Secret
	// From is an e-mail address, with or without a name.
	From string
}

// Store names the database.
type Store struct {
	// Data is the data folder.
	Data string
	// DatabaseURL is empty for SQLite in the data folder.
	DatabaseURL Secret
	// AuditKeep is how long the entries of the audit log are kept; 0 means forever.
	AuditKeep time.Duration
	// BackUp is whether a backup is written before the schema of SQLite is changed.
	BackUp bool
}

// Files holds the settings of uploaded files.
type Files struct {
	// URL is empty for the data folder.
	URL Secret
	// MaxUpload is the largest file, in bytes.
	MaxUpload int64
	// MaxImport is the largest export of conversations, in bytes.
	MaxImport int64
	// UserStorage is the limit on the total size of one user's files with their texts and
	// indexes, in bytes; 0 means no limit.
	UserStorage int64
}

// OCR holds the settings of reading scanned pages and pictures.
type OCR struct {
	// Program is the path or the name of Tesseract. It is empty if it is not used.
	Program string
	// Model is whether a model that sees pictures reads them: instead of Tesseract if Program is empty, else only if
	// there is no Tesseract.
	Model bool
	// Required is set if the program was named, so that it must be there.
	Required bool
	// Languages are empty for automatic.
	Languages []string
	// Pages is how many scanned pages of one file are read.
	Pages int
}

// Off reports whether nothing reads scanned pages and pictures because the operator wants it so.
func (o OCR) Off() bool { return o.Program == "" && !o.Model }

// AI holds the settings of the models: the three of the contract, and those that the settings file adds.
type AI struct {
	// DefaultName is the name of the default model in the API.
	DefaultName string
	// ModelTitles is set if a model names sessions after their first reply.
	ModelTitles bool
	// InstructCalls is set if the system prompt also goes with calls of /v1 that are no turns of a session.
	InstructCalls bool

	Default  Upstream
	Basic    Upstream
	Enhanced Upstream
	// Added are in the order of the file.
	Added []NamedUpstream

	IdleTimeout time.Duration
	MaxTime     time.Duration
	// MaxReply is in bytes.
	MaxReply int64
}

// NamedUpstream is a model with its name in the API.
type NamedUpstream struct {
	Name string
	Upstream
}

// builtin is the BaseURL of the built-in model.
const builtin Address = "builtin"

// Upstream is a model on a model server, or the built-in one. Without a BaseURL the program
// looks for a local server. With a server, Model is not empty.
type Upstream struct {
	BaseURL Address
	APIKey  Secret
	Model   string
	// Thinking is one of Thinkings.
	Thinking string
	// ThinkingModel, if not empty, is used instead for deep thinking.
	ThinkingModel string
	// ContextTokens is 0 if the server is to be asked.
	ContextTokens int
	// MaxTokens limits a reply. 0 means the server's limit.
	MaxTokens int
	// Headers and Body are further headers and fields of every request.
	Headers map[string]Secret
	Body    map[string]any
	// Allow and Refuse are fields that clients of OpenAI's API may and may not set.
	Allow, Refuse []string
	// Description is a line for users. It may be empty.
	Description string
	// Images is whether the model reads pictures.
	Images bool
	// Price is nil if it is not known.
	Price *Price
	// Servers, if not empty, are several servers or keys for this model. They replace BaseURL, APIKey and the other
	// settings of a server above, which are then those of the first one.
	Servers []Server
	// Fallback, if not nil, is used when this one fails before the first token.
	Fallback *Upstream
}

// Server is one of several servers of a model. It has no servers and no fallback of its own.
type Server struct {
	Upstream
	// Weight is its share of the replies, from 1.
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

// Search holds the settings of the web-search service. Without a Provider there is none.
type Search struct {
	// Provider is one of SearchProviders.
	Provider string
	// URL is empty for the provider's default address.
	URL    Address
	APIKey Secret
	// Pages is how many of the best results are read; 0 means that none is.
	Pages int
	// Allowed are networks whose pages are read though they are not public.
	Allowed []netip.Prefix
}

// Embed holds the settings of the embeddings server. Without a BaseURL there is none.
type Embed struct {
	BaseURL Address
	APIKey  Secret
	Model   string
}

// Log holds the settings of the log.
type Log struct {
	Level slog.Level
	JSON  bool
}

// Thinkings lists the ways to request deep thinking from a model server.
func Thinkings() []string {
	return []string{"auto", "openai", "deepseek", "qwen", "vllm", "ollama", "openrouter", "effort", "none"}
}

// SearchProviders lists the web-search services.
func SearchProviders() []string {
	return []string{"searxng", "tavily", "brave", "bocha"}
}
