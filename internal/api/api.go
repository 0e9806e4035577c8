// Package api is the HTTP side of the service: routes, the envelope, and what stands
// between a request and its use case.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"parley"
	"parley/internal/account"
	"parley/internal/chat"
	"parley/internal/chat/turn"
	"parley/internal/library"
	"parley/internal/limit"
	"parley/internal/metrics"
	"parley/internal/tracing"
	"parley/web"
)

// maxBody is the largest JSON body taken.
const maxBody = 2 << 20

// bodyReadTimeout is how long a JSON body may take to arrive.
const bodyReadTimeout = 30 * time.Second

// Config is what the API serves, and how.
type Config struct {
	Accounts *account.Service
	Chat     *chat.Service
	Turns    *turn.Engine
	Library  *library.Library
	Metrics  *metrics.Metrics
	Tracer   *tracing.Tracer // nil traces nothing
	Log      *slog.Logger
	// RequestTimeout is how long a request may take, from its last byte on.
	RequestTimeout time.Duration
	// MaxUpload is the largest file taken, in bytes.
	MaxUpload int64
	// CORSOrigins are the origins whose pages may call the API; "*" is any.
	CORSOrigins []string
	// TrustedProxies are believed when they say whom a request comes from.
	TrustedProxies []netip.Prefix
	// UserRate and AddressRate bound how often the API may be called.
	UserRate, AddressRate Rate
	// Now is the clock that the rates go by; without rates none is needed.
	Now func() time.Time
	// Gate bounds how many requests are worked on at once; nil is no bound.
	Gate *limit.Gate
	// Usher lets requests go on as they have come; nil lets them go on at once.
	Usher *limit.Usher
	// Bodies bounds how much of JSON bodies is held at once; nil is no bound.
	Bodies *limit.Budget
	// Ready reports why the server can't serve, if it can't.
	Ready func(context.Context) error
	// Heartbeat is how often a stream says that it is alive, since proxies cut silent
	// ones; zero is 10 s.
	Heartbeat time.Duration
	// MaxWrite is how long a stream's reader may take to take 16 KiB before it is cut
	// off; zero is 30 s.
	MaxWrite time.Duration
	// Stopping ends when the server shuts down; open streams end with it.
	Stopping context.Context
}

// API serves the contract.
type API struct {
	Config
	router    *chi.Mux
	huma      huma.API
	detached  sync.WaitGroup // answers that have left their handlers
	users     *buckets[int64]
	addresses *buckets[netip.Addr]
}

// New returns the API. Its OpenAPI document is made from the routes.
func New(config Config) *API {
	speakPlainly()
	a := &API{
		Config: config, router: chi.NewRouter(),
		users: newBuckets[int64](config.UserRate, config.Now), addresses: newBuckets[netip.Addr](config.AddressRate, config.Now),
	}
	a.router.Use(a.hurry, a.shed, a.identifyRequest, a.logAccess, a.recoverPanic, secure, a.allowOrigins, a.limitAddresses, a.plainJSON)
	a.router.NotFound(func(w http.ResponseWriter, _ *http.Request) { writeError(w, parley.ErrNoSuchPath) })
	a.router.MethodNotAllowed(a.methodNotAllowed)
	a.huma = humachi.New(a.router, humaConfig())
	a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[answer[parley.Export]](), true, "")
	a.routes()
	a.operations()
	a.pages(web.Files())
	return a
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.router.ServeHTTP(w, r) }

// methodNotAllowed answers a request whose path exists, but not with its method.
func (a *API) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		if a.router.Match(chi.NewRouteContext(), method, r.URL.Path) {
			w.Header().Add("Allow", method)
		}
	}
	writeError(w, parley.ErrNoSuchMethod)
}
