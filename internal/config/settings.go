package config

import (
	"log/slog"
	"net/netip"
	"time"

	"parley"
)

// Settings holds all settings, validated. Printing it reveals no secret.
//
// It is also the table of the settings: every field with a tag is a setting. The field's name, or the tag name, gives
// its flag, its environment variable and its key in the settings file. The other tags:
//
// type:"…"        how to parse its text: see kindOf
// words:"a,b"     the only values allowed; for a switch, on:"…" is the one that means true
// of, min, max    for a number: what it counts, and its bounds
// live:"…"        its name in Live.Values, which holds the value: it can be changed while the server runs
// default:"…"     its text if nothing sets it; a setting without a default may be empty
// file:"…"        it is a secret and can come from a file; the help of the flag for that file
// see:"…"         the page of the documents that says more
// help:"…"        what it means
// placeholder:"…" what the help shows for its value
//
// The program's help, docs/settings.md and the list of known names all come from here.
type Settings struct {
	HTTP     HTTP     `group:"Server:"`
	Accounts Accounts `group:"Accounts:"`
	SignOn   SignOn   `group:"Single sign-on:"`
	Mail     Mail     `group:"Mail:"`
	Store    Store    `group:"Storage:"`
	Files    Files    `group:"Storage:"`
	OCR      OCR      `group:"Recognition:"`
	AI       AI       `group:"Model:"`
	Search   Search   `group:"Web search:"`
	Embed    Embed    `group:"Embeddings:"`
	Log      Log      `group:"Log:"`
	// Live holds the values of the live fields.
	Live Live
}

// live is the type of fields that have their values in Live.
type live struct{}

// Live holds the settings that can be changed while the server runs.
type Live struct {
	// Values holds what was set, and the defaults of the rest.
	Values parley.Settings
	// Fixed names the settings that a flag, the environment or the settings file sets. They can't be changed.
	Fixed []string
}

// HTTP holds the settings of the HTTP server.
type HTTP struct {
	// Addr is host:port; the host may be empty, the port 0.
	Addr string `type:"address" default:"127.0.0.1:8080" help:"Address to serve on; :8080 is every network of this machine."`
	// TLSCert and TLSKey are paths; both are empty without TLS.
	TLSCert string `name:"tls-cert" type:"file" placeholder:"FILE" help:"Certificate (PEM) to serve HTTPS with; needs --tls-key."`
	TLSKey  string `name:"tls-key" type:"file" placeholder:"FILE" help:"Private key (PEM) of the certificate."`
	// PublicURL is the address that browsers use, without a trailing slash. It may be empty.
	PublicURL string `name:"public-url" type:"site" placeholder:"URL" help:"Address that browsers use, such as https://chat.example.com; needed for single sign-on and mail."`
	// RequestTimeout bounds requests, but not replies.
	RequestTimeout time.Duration `type:"duration above zero" default:"10s" help:"Time limit of a request; a slower reply continues in the background."`
	// DrainDelay comes before DrainTimeout; it may be zero.
	DrainDelay   time.Duration `type:"duration" default:"1s" help:"Time at shutdown during which /readyz fails but requests are still served, so that load balancers stop sending them; 0s for none."`
	DrainTimeout time.Duration `type:"duration" default:"10s" help:"Time for running replies to finish at shutdown."`
	// CORSOrigins is ["*"] for any origin, empty for none.
	CORSOrigins    []string       `name:"cors-origins" type:"origins" default:"*" help:"Web sites whose pages may call the API: * for all, none, or a list such as https://a.example,https://b.example."`
	TrustedProxies []netip.Prefix `type:"networks" default:"none" help:"Proxies whose forwarded client addresses are trusted: none, or a list of addresses and networks such as 10.0.0.0/8,::1."`
	RateLimit      RateLimit      `type:"rates" default:"login=600/m,register=600/m" help:"Limits on the requests of one user and of one address, and on the logins and the registrations of one address: off, 60/m for a user and an address, or user=60/m,address=300/m,login=600/m,register=off; per s, m or h."`
	// MaxConnections is 0 for automatic.
	MaxConnections int `type:"connections" default:"auto" help:"Limit on connections; auto is half of the limit on open files, at most 16384."`
	// PerAddress limits the connections of one address. 0 means automatic; NoLimit turns the limit off.
	PerAddress int `name:"max-connections-per-address" type:"connections of an address" default:"auto" help:"Limit on connections of one address, except trusted proxies; auto is three quarters of --max-connections, off is no limit."`
	// MetricsAddr is empty if metrics are served on Addr.
	MetricsAddr string `type:"address of metrics" default:"same" help:"Address to serve /metrics on, such as 127.0.0.1:9090; same for that of the API."`
	// UserRequests limits how many requests of one user may be in progress.
	UserRequests int `type:"number" of:"requests" min:"1" default:"512" help:"Limit on requests of one user that are in progress at once, streams included."`
	// PprofAddr is empty if profiles are not served.
	PprofAddr string `type:"loopback address" default:"off" help:"Loopback address to serve Go profiles on, such as 127.0.0.1:6060; off for none."`
}

// NoLimit as the value of PerAddress turns the limit off.
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
	Registration live          `type:"words" words:"open,closed" live:"registration" default:"open" help:"Whether people can register themselves: open or closed."`
	TokenTTL     time.Duration `name:"token-ttl" type:"duration above zero" default:"720h" help:"Time that a login lasts, such as 12h or 30d."`
	Sharing      live          `type:"words" words:"on,off" live:"sharing" default:"on" help:"Whether users can share sessions by link: on or off. With off, existing links lead nowhere."`
	// AdminTOTP is set if administrators need a second factor.
	AdminTOTP bool `name:"admin-totp" type:"switch" words:"optional,required" on:"required" default:"optional" see:"operations.md#second-factor" help:"Whether administrators need a second factor to administer the server: optional or required."`
	Quota     live `type:"quota" live:"quota" default:"none" see:"operations.md#usage-and-quotas" help:"What each user may use in a day of UTC, unless parley user quota sets another limit: none, or tokens=1M/d,messages=200/d."`
}

// SignOn holds the settings of single sign-on. It is off if Issuer is empty.
type SignOn struct {
	Issuer   string `name:"oidc-issuer" type:"issuer" placeholder:"URL" see:"operations.md#single-sign-on" help:"Provider of OpenID Connect where users can sign in, such as https://accounts.google.com; needs --public-url."`
	ClientID string `name:"oidc-client-id" type:"name" placeholder:"ID" help:"The provider's name of this service."`
	// ClientSecret is empty for a public client.
	ClientSecret Secret `name:"oidc-client-secret" type:"key" placeholder:"SECRET" file:"File that holds the secret." help:"The secret that the provider knows this service by. Other users of this machine can see flags: better use the variable or the file."`
	// Name is what users call the provider.
	Name string `name:"oidc-name" type:"name" placeholder:"NAME" help:"What users call the provider; default: the host of --oidc-issuer."`
	// LinkByEmail is whether an existing account is linked without its password.
	LinkByEmail bool `name:"oidc-link" type:"switch" words:"password,email" on:"email" default:"password" help:"How an existing account is linked to the provider: password (after its password), or email (if the provider has verified the same address; its password, logins and keys end)."`
}

// Mail holds the settings of outgoing mail. It is off if URL is empty.
type Mail struct {
	// URL is the address of an SMTP server. If it is set, From and PublicURL are set too.
	URL Secret `name:"smtp-url" type:"mail server" placeholder:"URL" file:"File that holds the address of the mail server." see:"operations.md#mail" help:"Mail server for links to set a new password: smtp://user:password@host:587 (with STARTTLS, unless it is this machine) or smtps://user:password@host:465. It needs --smtp-from and --public-url. Without it no mail is sent."`
	// From is an e-mail address, with or without a name.
	From string `name:"smtp-from" type:"sender" placeholder:"ADDRESS" help:"Sender of the mails: parley@example.com, or Parley <parley@example.com>."`
}

// Store names the database and says how long it keeps data.
type Store struct {
	// Data is the data folder.
	Data string `type:"folder" default:"./data" help:"Folder for the database and the uploaded files."`
	// DatabaseURL is empty for SQLite in the data folder.
	DatabaseURL Secret `name:"database-url" type:"database" placeholder:"URL" file:"File that holds the database URL." see:"operations.md#postgresql" help:"PostgreSQL to use instead of SQLite in the data folder: postgres://user:password@host/database."`
	Retention   live   `type:"retention" live:"retention" default:"off" see:"operations.md#chats-that-are-deleted-automatically-and-retention" help:"Time after its last message when a chat is deleted, such as 90d, unless it is pinned or has a favorite; off to keep chats."`
	// AuditKeep is how long the entries of the audit log are kept; 0 means forever.
	AuditKeep time.Duration `type:"days" default:"400d" see:"operations.md#audit-log" help:"Time for which the database keeps the entries of the audit log, such as 90d; 0 to keep them for ever."`
	// SecretKey encrypts the keys of services that administrators connect. If it is empty, a file in Data has it.
	SecretKey Secret `name:"secret-key" type:"secret key" placeholder:"KEY" file:"File that holds the key." see:"operations.md#connect-in-the-browser" help:"What encrypts the keys of models and services that administrators connect in the browser: any 16 characters or more. Several servers on one PostgreSQL need the same. Default: a key in the file secret.key of the data folder."`
	// BackUp is whether a backup is written before the schema of SQLite is changed.
	BackUp bool `name:"backup-before-migration" type:"switch" words:"on,off" on:"on" default:"on" see:"operations.md#upgrade" help:"Whether a new release writes a backup into the data folder before it changes the schema of SQLite: on or off."`
}

// Files holds the settings of uploaded files.
type Files struct {
	// URL is empty for the data folder.
	URL Secret `name:"files-url" type:"bucket" placeholder:"URL" file:"File that holds the files URL." see:"operations.md#files-and-folders" help:"S3 store to keep uploaded files in instead of the data folder: s3://bucket?endpoint=https://host&region=name."`
	// MaxUpload is the largest file, in bytes.
	MaxUpload int64 `type:"size" default:"20MiB" help:"Largest file that can be uploaded, such as 500MB."`
	// MaxImport is the largest export of conversations, in bytes.
	MaxImport int64 `type:"size" default:"2GiB" see:"operations.md#imports" help:"Largest export of conversations that can be imported, such as 500MB."`
	// UserStorage limits the total size of one user's files with their texts and indexes, in bytes; 0 means no limit.
	UserStorage int64 `type:"size or none" default:"none" help:"Limit on the total size of one user's files with their text and index, such as 2GiB; none for no limit."`
}

// OCR holds the settings of reading scanned pages and pictures.
type OCR struct {
	// Program is the path or the name of Tesseract, or empty if it is not used.
	Program string `name:"ocr" type:"program" default:"auto" see:"documents.md#pictures-and-scans" help:"What reads the text in scanned pages and pictures: auto (Tesseract if it is installed, else the first model that sees pictures), model (always that model), off, or the path of Tesseract."`
	// Model lets a model that sees pictures read them: instead of Tesseract if Program is empty, otherwise only if
	// Tesseract is missing.
	Model bool
	// Required is set if the operator named the program. Then the program must exist.
	Required bool
	// Languages is empty for automatic.
	Languages []string `name:"ocr-langs" type:"languages" default:"auto" help:"Tesseract's names of the languages to recognize, such as chi_sim,eng; auto is up to three of the installed ones. Each one takes time."`
	// Pages limits how many scanned pages of one file are read.
	Pages int `name:"ocr-pages" type:"number" of:"pages" min:"1" max:"10000" default:"300" help:"Limit on the scanned pages of one file that are read; those beyond it are left out."`
}

// Off reports whether the operator turned off the reading of scanned pages and pictures.
func (o OCR) Off() bool { return o.Program == "" && !o.Model }

// Search holds the settings of the web-search service. It is off if Provider is empty.
type Search struct {
	Provider string `name:"search-provider" type:"words" words:"searxng,tavily,brave,bocha" placeholder:"NAME" see:"operations.md#web-search" help:"Service to search the web with: searxng, tavily, brave or bocha. Without it web search is off."`
	// URL is empty for the provider's default address.
	URL    Address `name:"search-url" type:"server" placeholder:"URL" help:"Address of the service; needed for searxng, the others have their usual one."`
	APIKey Secret  `name:"search-api-key" type:"key" placeholder:"KEY" file:"File that holds the key." help:"Key for the service; needed for all but searxng."`
	// FixedBy says where the settings come from. If it is empty, a service can be connected while the server runs.
	FixedBy string
	// Pages is how many of the best results are read; 0 means none.
	Pages int `name:"search-read" type:"number or off" of:"pages" min:"0" max:"6" default:"3" help:"How many of the best results are read, and not only their snippets, from 0 to 6; 0 calls no page."`
	// Allowed lists networks that are not public but may be read all the same.
	Allowed []netip.Prefix `name:"search-read-allow" type:"networks" default:"none" help:"Networks whose pages are read though they are not public, on any port: none, or a list such as 10.1.0.0/16."`
}

// Embed holds the settings of the embeddings server. It is off if BaseURL is empty.
type Embed struct {
	BaseURL Address `name:"embed-base-url" type:"server" placeholder:"URL" see:"documents.md" help:"OpenAI-compatible server of embeddings, with its /v1, so that passages of documents are found by their meaning too. Without it they are found by words alone."`
	Model   string  `name:"embed-model" type:"name" placeholder:"NAME" help:"The server's name of the model; needed with --embed-base-url. With another model, the vectors of all files are made again."`
	APIKey  Secret  `name:"embed-api-key" type:"key" placeholder:"KEY" file:"File that holds the key." help:"Key for the server."`
	// FixedBy says where the settings come from. If it is empty, a server can be connected while this one runs.
	FixedBy string
}

// Log holds the settings of the log.
type Log struct {
	Level slog.Level `name:"log-level" type:"level" default:"info" help:"Lowest level that is logged: debug, info, warn or error."`
	JSON  bool       `name:"log-format" type:"switch" words:"text,json" on:"json" default:"text" help:"Format of the log: text or json."`
}
