// Package app builds the running parts of the service from its settings, for the server and for tests.
package app

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/account"
	"parley/internal/admin"
	"parley/internal/ai"
	"parley/internal/api"
	"parley/internal/blob"
	"parley/internal/chat"
	"parley/internal/chat/export"
	"parley/internal/chat/importer"
	"parley/internal/chat/turn"
	"parley/internal/config"
	"parley/internal/connect"
	"parley/internal/embed"
	"parley/internal/library"
	"parley/internal/mail"
	"parley/internal/metrics"
	"parley/internal/oidc"
	"parley/internal/openaiapi"
	"parley/internal/responses"
	"parley/internal/store"
	"parley/internal/tracing"
	"parley/internal/usage"
	"parley/internal/websearch"
)

// Config holds the settings and what the process has opened, found and chosen. What may be nil says so.
type Config struct {
	Settings *config.Settings
	// Version is that of the program.
	Version  string
	Database *store.Store
	Blobs    blob.Store
	// Models returns the models on offer now.
	Models func() ai.Offers
	// Servers returns the states of the servers of Models. It may be nil.
	Servers func() []metrics.ServerState
	// CheckedModels and CheckedSearch return Models and Search with their checks, for the overview. They may be nil.
	CheckedModels func() []admin.Model
	CheckedSearch func() admin.Search
	// Search returns the web-search engine, or nil if there is none now. It may be nil.
	Search      func() websearch.Engine
	Readers     Readers
	Recognition Recognition
	// Embeddings returns the client of the embeddings server, or nil if there is none now. It may be nil.
	Embeddings func() *embed.Client
	// Connections are what administrators can connect while the server runs. It is nil if they can't.
	Connections *connect.Connections
	SignOn      *oidc.Provider  // nil offers no single sign-on
	Mail        *mail.Queue     // nil sends none
	Tracer      *tracing.Tracer // nil traces nothing
	Log         *slog.Logger
	// Audit receives the audit log, at level INFO.
	Audit *slog.Logger
	// FenceKey must be random.
	FenceKey ai.FenceKey
	Limits   Limits
	Now      func() time.Time
	// Change changes what parts are made with.
	Change Change
}

// Readers reads documents, web pages and exports. Use a sandbox.Pool for those of untrusted users.
type Readers interface {
	library.Reader
	importer.Reader
}

// Recognition reads the text in scanned pages and pictures: by a program, by a model, or not at all.
type Recognition struct {
	// Program reads a picture of a user. It is nil if a model reads it, or nothing.
	Program func(ctx context.Context, userID int64, picture []byte) (string, error)
	// Model is set if the first model that sees pictures reads them.
	Model bool
	// Pixels limits the picture of a page. 0 is the most that Tesseract takes.
	Pixels int
	// State is what administrators see of it.
	State parley.OCRState
}

// Change changes the configurations of parts before they are made. A nil function leaves its part as it is.
type Change struct {
	Accounts  func(*account.Config)
	Turns     func(*turn.Config)
	Responses func(*responses.Config)
	OpenAI    func(*openaiapi.Config)
	Overview  func(*admin.OverviewConfig)
	API       func(*api.Config)
}

// App is the running service, without what listens for requests.
type App struct {
	config   Config
	Metrics  *metrics.Metrics
	Live     *admin.Settings // those that can be changed
	Accounts *account.Service
	Turns    *turn.Engine
	OpenAI   *openaiapi.API
	Sweeper  *chat.Sweeper // not run by Run
	// Handler serves all requests.
	Handler *api.API

	usage    *usage.Service
	library  *library.Library
	titler   *chat.Titler // nil if no model makes titles
	chat     *chat.Service
	exports  *export.Service
	imports  *importer.Service
	stored   *responses.Service
	overview *admin.Overview

	leaving  atomic.Bool // shutting down, so not ready
	stopping context.Context
	stop     context.CancelFunc
}

// New returns the parts of the service. It reads the stored settings, but starts nothing.
func New(ctx context.Context, c Config) (*App, error) {
	if c.Search == nil {
		c.Search = func() websearch.Engine { return nil }
	}
	a := &App{config: c, Metrics: metrics.New(), Live: NewLive(c.Settings.Live, c.Database, c.Log, c.Now)}
	if err := a.Live.Load(ctx); err != nil {
		return nil, err
	}
	a.stopping, a.stop = context.WithCancel(context.Background())
	c.Database.Measure(a.Metrics)
	if c.Servers != nil {
		a.Metrics.ModelServers(c.Servers)
	}
	a.wireAccounts()
	a.wireUsage()
	a.wireLibrary()
	a.wireTurns()
	a.wireChat()
	a.wireImports()
	a.wireOpenAI()
	a.wireOverview()
	a.wireHandler()
	return a, nil
}

// NewLive returns the settings that can be changed while the server runs.
func NewLive(given config.Live, database *store.Store, log *slog.Logger, now func() time.Time) *admin.Settings {
	return admin.NewSettings(admin.SettingsConfig{
		Store: database, Log: log, Given: given.Values, Fixed: given.Fixed, Now: now,
	})
}
