package config

const description = `Parley is a chat-assistant service: accounts, chats, documents and web search in front of any
model.

It needs no settings to start. Each one is a flag, an environment variable, or a line of a YAML file named by --config
(the same name with underscores: max_upload). A flag wins over the environment, the environment over the file.`

// commandLine is the grammar of the command line. All values are texts: build parses them, so
// that errors are the same wherever a value comes from.
type commandLine struct {
	Serve   serveCommand   `cmd:"" default:"withargs" help:"Run the server (the default command)."`
	Ready   readyCommand   `cmd:"" help:"Check whether the server is ready."`
	Version struct{}       `cmd:"" help:"Print the version."`
	Backup  backupCommand  `cmd:"" help:"Write database and documents into one archive."`
	Restore restoreCommand `cmd:"" help:"Put an archive's database and documents in place."`
	Move    moveCommand    `cmd:"" help:"Move the data to another database or another place for files."`
	Doctor  doctorCommand  `cmd:"" help:"Check settings and data, and what the server depends on."`
	User    userCommand    `cmd:"" help:"List, disable, delete accounts, set quotas, make administrators, or give an account a new password."`
	Extract struct{}       `cmd:"" hidden:"" help:"Read one document for the server that started this process."`

	Settings  settingsCommand  `cmd:"" help:"List or change the settings that can be changed while the server runs."`
	Recognize recognizeCommand `cmd:"" hidden:"" help:"Become Tesseract, for the server that started this process."`

	Config string `placeholder:"FILE" help:"YAML file with settings."`

	Addr           string `group:"Server:" default:"127.0.0.1:8080" help:"Address to serve on; :8080 is every network of this machine."`
	TLSCert        string `name:"tls-cert" group:"Server:" placeholder:"FILE" help:"Certificate (PEM) to serve HTTPS with; needs --tls-key."`
	TLSKey         string `name:"tls-key" group:"Server:" placeholder:"FILE" help:"Private key (PEM) of the certificate."`
	PublicURL      string `name:"public-url" group:"Server:" placeholder:"URL" help:"Address that browsers use, such as https://chat.example.com; needed for single sign-on and mail."`
	RequestTimeout string `group:"Server:" default:"10s" help:"Time limit of a request; a slower reply continues in the background."`
	DrainDelay     string `group:"Server:" default:"1s" help:"Time at shutdown during which /readyz fails but requests are still served, so that load balancers stop sending them; 0s for none."`
	DrainTimeout   string `group:"Server:" default:"10s" help:"Time for running replies to finish at shutdown."`
	CORSOrigins    string `name:"cors-origins" group:"Server:" default:"*" help:"Web sites whose pages may call the API: * for all, none, or a list such as https://a.example,https://b.example."`
	TrustedProxies string `group:"Server:" default:"none" help:"Proxies whose forwarded client addresses are trusted: none, or a list of addresses and networks such as 10.0.0.0/8,::1."`
	RateLimit      string `group:"Server:" default:"login=600/m,register=600/m" help:"Limits on the requests of one user and of one address, and on the logins and the registrations of one address: off, 60/m for a user and an address, or user=60/m,address=300/m,login=600/m,register=off; per s, m or h."`
	MaxConnections string `group:"Server:" default:"auto" help:"Limit on connections; auto is half of the limit on open files, at most 16384."`
	PerAddress     string `name:"max-connections-per-address" group:"Server:" default:"auto" help:"Limit on connections of one address, except trusted proxies; auto is three quarters of --max-connections, off is no limit."`
	MetricsAddr    string `group:"Server:" default:"same" help:"Address to serve /metrics on, such as 127.0.0.1:9090; same for that of the API."`
	UserRequests   string `group:"Server:" default:"512" help:"Limit on requests of one user that are in progress at once, streams included."`
	PprofAddr      string `group:"Server:" default:"off" help:"Loopback address to serve Go profiles on, such as 127.0.0.1:6060; off for none."`

	Registration string `group:"Accounts:" default:"open" help:"Whether people can register themselves: open or closed."`
	TokenTTL     string `name:"token-ttl" group:"Accounts:" default:"720h" help:"Time that a login lasts, such as 12h or 30d."`
	Sharing      string `group:"Accounts:" default:"on" help:"Whether users can share sessions by link: on or off. With off, existing links lead nowhere."`
	AdminTOTP    string `name:"admin-totp" group:"Accounts:" default:"optional" help:"Whether administrators need a second factor to administer the server: optional or required."`
	Quota        string `group:"Accounts:" default:"none" help:"What each user may use in a day of UTC, unless parley user quota sets another limit: none, or tokens=1M/d,messages=200/d."`

	OIDCIssuer           string `name:"oidc-issuer" group:"Single sign-on:" placeholder:"URL" help:"Provider of OpenID Connect where users can sign in, such as https://accounts.google.com; needs --public-url."`
	OIDCClientID         string `name:"oidc-client-id" group:"Single sign-on:" placeholder:"ID" help:"The provider's name of this service."`
	OIDCClientSecret     string `name:"oidc-client-secret" group:"Single sign-on:" placeholder:"SECRET" help:"The secret that the provider knows this service by. Other users of this machine can see flags: better use the variable or the file."`
	OIDCClientSecretFile string `name:"oidc-client-secret-file" group:"Single sign-on:" placeholder:"FILE" help:"File that holds the secret."`
	OIDCName             string `name:"oidc-name" group:"Single sign-on:" placeholder:"NAME" help:"What users call the provider; default: the host of --oidc-issuer."`
	OIDCLink             string `name:"oidc-link" group:"Single sign-on:" default:"password" help:"How an existing account is linked to the provider: password (after its password), or email (if the provider has verified the same address; its password, logins and keys end)."`
	SMTPURL              string `name:"smtp-url" group:"Mail:" placeholder:"URL" help:"Mail server for links to set a new password: smtp://user:password@host:587 (with STARTTLS, unless it is this machine) or smtps://user:password@host:465. It needs --smtp-from and --public-url. Without it no mail is sent."`
	SMTPURLFile          string `name:"smtp-url-file" group:"Mail:" placeholder:"FILE" help:"File that holds the address of the mail server."`
	SMTPFrom             string `name:"smtp-from" group:"Mail:" placeholder:"ADDRESS" help:"Sender of the mails: parley@example.com, or Parley <parley@example.com>."`

	Data            string `group:"Storage:" default:"./data" help:"Folder for the database and the uploaded files."`
	DatabaseURL     string `name:"database-url" group:"Storage:" placeholder:"URL" help:"PostgreSQL to use instead of SQLite in the data folder: postgres://user:password@host/database."`
	DatabaseURLFile string `name:"database-url-file" group:"Storage:" placeholder:"FILE" help:"File that holds the database URL."`
	FilesURL        string `name:"files-url" group:"Storage:" placeholder:"URL" help:"S3 store to keep uploaded files in instead of the data folder: s3://bucket?endpoint=https://host&region=name."`
	FilesURLFile    string `name:"files-url-file" group:"Storage:" placeholder:"FILE" help:"File that holds the files URL."`
	MaxUpload       string `group:"Storage:" default:"20MiB" help:"Largest file that can be uploaded, such as 500MB."`
	MaxImport       string `group:"Storage:" default:"2GiB" help:"Largest export of conversations that can be imported, such as 500MB."`
	Retention       string `group:"Storage:" default:"off" help:"Time after its last message when a chat is deleted, such as 90d, unless it is pinned or has a favorite; off to keep chats."`
	AuditKeep       string `group:"Storage:" default:"400d" help:"Time for which the database keeps the entries of the audit log, such as 90d; 0 to keep them for ever."`
	UserStorage     string `group:"Storage:" default:"none" help:"Limit on the total size of one user's files with their text and index, such as 2GiB; none for no limit."`
	BackupBefore    string `name:"backup-before-migration" group:"Storage:" default:"on" help:"Whether a new release writes a backup into the data folder before it changes the schema of SQLite: on or off."`

	OCR      string `name:"ocr" group:"Recognition:" default:"auto" help:"What reads the text in scanned pages and pictures: auto (Tesseract if it is installed, else the first model that sees pictures), model (always that model), off, or the path of Tesseract."`
	OCRLangs string `name:"ocr-langs" group:"Recognition:" default:"auto" help:"Tesseract's names of the languages to recognize, such as chi_sim,eng; auto is up to three of the installed ones. Each one takes time."`
	OCRPages string `name:"ocr-pages" group:"Recognition:" default:"300" help:"Limit on the scanned pages of one file that are read; those beyond it are left out."`

	AIBaseURL       string `name:"ai-base-url" group:"Model:" placeholder:"URL" help:"OpenAI-compatible model server, with its /v1: https://api.openai.com/v1. Without it: a local Ollama if one responds, else the built-in model; builtin always uses the built-in model."`
	AIAPIKey        string `name:"ai-api-key" group:"Model:" placeholder:"KEY" help:"Key for the model server. Other users of this machine can see flags: better use the variable or the file."`
	AIAPIKeyFile    string `name:"ai-api-key-file" group:"Model:" placeholder:"FILE" help:"File that holds the key."`
	AIModel         string `name:"ai-model" group:"Model:" placeholder:"NAME" help:"The server's name of the model to use; needed with --ai-base-url."`
	AIModelBasic    string `name:"ai-model-basic" group:"Model:" placeholder:"NAME" help:"The one behind 基础模型 (basic); default: --ai-model."`
	AIModelEnhanced string `name:"ai-model-enhanced" group:"Model:" placeholder:"NAME" help:"The one behind 增强模型 (enhanced); default: --ai-model."`
	AIThinking      string `name:"ai-thinking" group:"Model:" default:"auto" help:"How to request deep thinking: auto (by the server's address), openai, deepseek, qwen, vllm, ollama, openrouter or none."`
	AIThinkingModel string `name:"ai-thinking-model" group:"Model:" placeholder:"NAME" help:"Model to use instead for deep thinking."`
	AIContextTokens string `name:"ai-context-tokens" group:"Model:" default:"auto" help:"Tokens of a prompt and its reply; older messages beyond it are left out. auto: what the server says, else 32000."`
	AIImages        string `name:"ai-images" group:"Model:" default:"false" help:"Whether the models of the server see pictures: true or false."`
	AIIdleTimeout   string `name:"ai-idle-timeout" group:"Model:" default:"60s" help:"Longest silence of the model within a reply."`
	AIMaxTime       string `name:"ai-max-time" group:"Model:" default:"10m" help:"Longest time for one reply."`
	AIMaxReply      string `name:"ai-max-reply" group:"Model:" default:"1MiB" help:"Largest reply."`
	DefaultModel    string `group:"Model:" default:"default" help:"What users call the default model, beside 基础模型 and 增强模型."`
	Titles          string `group:"Model:" default:"model" help:"Who names a chat after its first reply: model (if it is not the built-in one), or text to keep the title that is made from the first question."`
	SystemPrompt    string `group:"Model:" placeholder:"TEXT" help:"Instructions that the model gets with every question."`
	SystemPromptFor string `group:"Model:" default:"all" help:"What the instructions go with: all, or sessions to leave out calls of /v1 that are no turns of a session."`

	SearchProvider   string `group:"Web search:" placeholder:"NAME" help:"Service to search the web with: searxng, tavily, brave or bocha. Without it web search is off."`
	SearchURL        string `name:"search-url" group:"Web search:" placeholder:"URL" help:"Address of the service; needed for searxng, the others have their usual one."`
	SearchAPIKey     string `name:"search-api-key" group:"Web search:" placeholder:"KEY" help:"Key for the service; needed for all but searxng."`
	SearchAPIKeyFile string `name:"search-api-key-file" group:"Web search:" placeholder:"FILE" help:"File that holds the key."`
	SearchRead       string `group:"Web search:" default:"3" help:"How many of the best results are read, and not only their snippets, from 0 to 6; 0 calls no page."`
	SearchReadAllow  string `group:"Web search:" default:"none" help:"Networks whose pages are read though they are not public, on any port: none, or a list such as 10.1.0.0/16."`

	EmbedBaseURL    string `name:"embed-base-url" group:"Embeddings:" placeholder:"URL" help:"OpenAI-compatible server of embeddings, with its /v1, so that passages of documents are found by their meaning too. Without it they are found by words alone."`
	EmbedModel      string `name:"embed-model" group:"Embeddings:" placeholder:"NAME" help:"The server's name of the model; needed with --embed-base-url. With another model, the vectors of all files are made again."`
	EmbedAPIKey     string `name:"embed-api-key" group:"Embeddings:" placeholder:"KEY" help:"Key for the server."`
	EmbedAPIKeyFile string `name:"embed-api-key-file" group:"Embeddings:" placeholder:"FILE" help:"File that holds the key."`

	LogLevel  string `group:"Log:" default:"info" help:"Lowest level that is logged: debug, info, warn or error."`
	LogFormat string `group:"Log:" default:"text" help:"Format of the log: text or json."`
}
