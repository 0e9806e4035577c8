// Package api serves the use cases over HTTP: routes, middleware, the envelope and streams.
package api

import (
	"cmp"
	"context"
	"hash/maphash"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"parley"
	"parley/internal/account"
	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/chat/export"
	"parley/internal/chat/importer"
	"parley/internal/chat/turn"
	"parley/internal/connect"
	"parley/internal/library"
	"parley/internal/limit"
	"parley/internal/metrics"
	"parley/internal/openaiapi"
	"parley/internal/tracing"
	"parley/internal/usage"
	"parley/web"
)

const (
	// maxBody is the largest accepted JSON body, maxOpenBody the largest one without a token.
	maxBody     = 2 << 20
	maxOpenBody = 16 << 10
	// bodyReadTimeout is how long a JSON body may take to arrive.
	bodyReadTimeout = 30 * time.Second

	defaultHeartbeat = 10 * time.Second
	defaultMaxWrite  = 30 * time.Second
)

// Config holds the services and the settings of an API.
type Config struct {
	Accounts *account.Service
	Chat     *chat.Service
	Turns    *turn.Engine
	Library  *library.Library
	Export   *export.Service
	Imports  *importer.Service
	OpenAI   *openaiapi.API // nil serves no /v1
	Usage    *usage.Service
	Overview *admin.Overview // nil serves none
	Settings *admin.Settings
	// Connections are those to other services. It is nil if administrators can't change them.
	Connections *connect.Connections
	Metrics     *metrics.Metrics
	Tracer      *tracing.Tracer // nil traces nothing
	Log         *slog.Logger
	// RequestTimeout is how long a request may take once it has arrived.
	RequestTimeout time.Duration
	// MaxUpload is the largest accepted file, in bytes.
	MaxUpload int64
	// CORSOrigins lists the origins that may call the API from their pages; "*" allows any.
	CORSOrigins []string
	// SignOnName is what users call the provider of single sign-on. It is empty if single sign-on is off.
	SignOnName string
	// PublicURL is the address that browsers use, without a path. Sign-on needs it. Links to shares use it.
	PublicURL string
	// HideMetrics is set if Metrics are served on another address.
	HideMetrics bool
	// TrustedProxies may set X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// UserRate and AddressRate limit how often the API may be called.
	UserRate, AddressRate Rate
	// LoginRate and RegisterRate limit the logins and the registrations of an address.
	LoginRate, RegisterRate Rate
	// ResetRate limits how often an address may request a new password.
	ResetRate Rate
	// AdminTOTP is set if administrators need a second factor.
	AdminTOTP bool
	// Now is the clock of the rate limits.
	Now func() time.Time
	// Limiter limits how many requests run at once, by user. nil means no limit.
	Limiter *limit.Fair[int64]
	// Bodies limits the memory for JSON bodies. nil means no limit.
	Bodies *limit.ByteShares[int64]
	// UserRequests limits how many requests of one user are in progress at once, streams included. 0 means no limit.
	UserRequests int
	// Responses limits the memory for responses. Each user has a share. nil means no limit.
	Responses *limit.ByteShares[int64]
	// Ready returns an error if the server is not ready for requests.
	Ready func(context.Context) error
	// Heartbeat is the interval of comments in a stream. They keep proxies from cutting a silent connection. The
	// default is 10 s.
	Heartbeat time.Duration
	// MaxWrite is how long a client may take to read 64 KiB of a response. The default is 30 s.
	MaxWrite time.Duration
	// Stopping ends when the server shuts down. Open streams then end too.
	Stopping context.Context
}

// API is the HTTP handler of the service.
type API struct {
	accounts *account.Service
	chat     *chat.Service
	export   *export.Service
	turns    *turn.Engine
	library  *library.Library
	imports  *importer.Service
	openAI   *openaiapi.API
	usage    *usage.Service
	overview *admin.Overview
	settings *admin.Settings
	connect  *connect.Connections // may be nil
	metrics  *metrics.Metrics
	log      *slog.Logger

	maxUpload   int64
	signOnName  string
	publicURL   string
	hideMetrics bool
	ready       func(context.Context) error
	heartbeat   time.Duration
	stopping    context.Context
	timeLimit   time.Duration // for a request; the rest of the timeout is left for writing the response

	journal     *journal
	gate        *gate
	responder   *responder
	entries     entries
	limiter     *limit.Fair[int64]
	replyReads  *limit.Limiter
	exports     *limit.Limiter
	userExports *limit.PerKey[int64]

	router    *chi.Mux
	huma      huma.API
	described int // operations in the document so far
}

// New returns the API.
func New(c Config) *API {
	configureHuma()
	timeLimit := c.RequestTimeout - min(c.RequestTimeout/20, 250*time.Millisecond)
	j := &journal{
		log:     c.Log,
		metrics: c.Metrics,
		tracer:  c.Tracer,
		proxies: &proxies{trusted: c.TrustedProxies, log: c.Log},
	}
	a := &API{
		accounts:    c.Accounts,
		chat:        c.Chat,
		export:      c.Export,
		turns:       c.Turns,
		library:     c.Library,
		imports:     c.Imports,
		openAI:      c.OpenAI,
		usage:       c.Usage,
		overview:    c.Overview,
		settings:    c.Settings,
		connect:     c.Connections,
		metrics:     c.Metrics,
		log:         c.Log,
		maxUpload:   c.MaxUpload,
		signOnName:  c.SignOnName,
		publicURL:   c.PublicURL,
		hideMetrics: c.HideMetrics,
		ready:       c.Ready,
		heartbeat:   cmp.Or(c.Heartbeat, defaultHeartbeat),
		stopping:    c.Stopping,
		timeLimit:   timeLimit,
		journal:     j,
		gate: &gate{
			accounts:   c.Accounts,
			addresses:  newBuckets[netip.Addr](c.AddressRate, c.Now),
			users:      newBuckets[int64](c.UserRate, c.Now),
			keyUsed:    c.Chat.KeyUsed,
			inProgress: limit.NewPerKey[int64](cmp.Or(c.UserRequests, math.MaxInt)),
			memory:     c.Responses,
			seed:       maphash.MakeSeed(),
			adminTOTP:  c.AdminTOTP,
			timeLimit:  timeLimit,
			journal:    j,
		},
		responder: newResponder(timeLimit, j),
		entries: entries{
			logins:        entry{newBuckets[netip.Addr](c.LoginRate, c.Now)},
			registrations: entry{newBuckets[netip.Addr](c.RegisterRate, c.Now)},
			resets:        entry{newBuckets[netip.Addr](c.ResetRate, c.Now)},
		},
		limiter:     c.Limiter,
		replyReads:  limit.NewLimiter(maxReplyReads, math.MaxInt, c.RequestTimeout),
		exports:     limit.NewLimiter(maxExports, 0, 0),
		userExports: limit.NewPerKey[int64](maxUserExports),
		router:      chi.NewRouter(),
	}
	a.use(c)
	a.router.NotFound(serveMissing())
	a.router.MethodNotAllowed(a.methodNotAllowed)
	a.huma = humachi.New(a.router, humaConfig())
	a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[envelope[parley.Export]](), true, "")
	a.routes()
	a.addExamples()
	a.openAIRoutes()
	a.signOn()
	a.operations()
	a.pages(web.Files())
	return a
}

// use sets the middleware. The first is the outermost.
func (a *API) use(c Config) {
	cors := origins(c.CORSOrigins)
	a.router.Use(
		readDeadline,
		writeDeadline(cmp.Or(c.MaxWrite, defaultMaxWrite)),
		shedder{limiter: c.Limiter, metrics: c.Metrics, origins: cors}.shed,
		a.journal.identify,
		a.journal.logAccess,
		a.journal.recoverPanic,
		secure,
		cors.allow,
		a.gate.limitAddresses,
		plainJSON(c.Bodies),
		middleware.GetHead,
	)
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.router.ServeHTTP(w, r) }

// methodNotAllowed handles a known path with a wrong method.
func (a *API) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, adminPath) {
		limited, cancel := context.WithTimeout(r.Context(), a.timeLimit)
		defer cancel()
		if _, err := a.gate.identifyAdmin(limited, r); err != nil {
			a.journal.fail(limited, err).write(w, r)
			return
		}
	}
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if !a.router.Match(chi.NewRouteContext(), method, cmp.Or(r.URL.RawPath, r.URL.Path)) {
			continue
		}
		allowed = append(allowed, method)
		if method == http.MethodGet {
			allowed = append(allowed, http.MethodHead) // middleware.GetHead adds it
		}
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	errNoSuchMethod.write(w, r)
}
