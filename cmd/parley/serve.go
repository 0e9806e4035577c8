package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/account"
	"parley/internal/ai"
	"parley/internal/api"
	"parley/internal/blob"
	"parley/internal/chat"
	"parley/internal/chat/importer"
	"parley/internal/chat/turn"
	"parley/internal/config"
	"parley/internal/extract/sandbox"
	"parley/internal/library"
	"parley/internal/limit"
	"parley/internal/metrics"
	"parley/internal/store"
	"parley/internal/tracing"
	"parley/internal/usage"
	"parley/internal/websearch"
)

const (
	// traceTime is how long sending the last spans may take.
	traceTime = 5 * time.Second
	// closeTime is how long open streams have to end after the drain timeout.
	closeTime = 2 * time.Second
)

// serve runs the server until ctx ends, then shuts it down.
func serve(ctx context.Context, settings *config.Settings) error {
	log := newLog(settings.Log)
	warnOfRoot(log, os.Geteuid(), inContainer(os.Getenv, exists))
	if err := hideMemory(); err != nil {
		log.Warn("other processes of this user can read the memory", "error", err)
	}
	for _, found := range config.FindMisspelled(os.Environ()) {
		log.Warn("there is no such setting", "variable", found.Variable, "nearest", found.Nearest)
	}
	database, err := store.Open(ctx, settings.Store.Data, settings.Store.DatabaseURL.Reveal())
	if err != nil {
		return err
	}
	defer closing(log, database.Close)
	blobs, err := blob.Open(ctx, filepath.Join(settings.Store.Data, "files"), settings.Files.URL.Reveal())
	if err != nil {
		return err
	}
	defer closing(log, blobs.Close)
	s, err := newServer(ctx, settings, log, database, blobs)
	if err != nil {
		return err
	}
	defer s.readers.Close()
	defer closing(log, s.closeTraces)
	if err := forgetSecrets(); err != nil {
		return err
	}
	return s.run(ctx)
}

// server holds the parts of the service.
type server struct {
	settings *config.Settings
	log      *slog.Logger
	database *store.Store
	accounts *account.Service
	readers  *sandbox.Pool
	library  *library.Library
	imports  *importer.Service
	turns    *turn.Engine
	titler   *chat.Titler // nil if no model makes titles
	chat     *chat.Service
	sweeper  *chat.Sweeper
	metrics  *metrics.Metrics
	handler  *api.API
	tracer   *tracing.Tracer // nil traces nothing

	leaving  atomic.Bool // shutting down, so not ready
	stopping context.Context
	stop     context.CancelFunc
}

func newServer(
	ctx context.Context, settings *config.Settings, log *slog.Logger, database *store.Store, blobs blob.Store,
) (*server, error) {
	s := &server{settings: settings, log: log, database: database}
	s.stopping, s.stop = context.WithCancel(context.Background())
	models, about, err := chooseModels(ctx, settings.AI)
	if err != nil {
		return nil, err
	}
	search, err := newSearch(settings)
	if err != nil {
		return nil, err
	}
	if s.tracer, err = tracing.New(ctx, os.Getenv, version, log); err != nil {
		return nil, err
	}
	engine, err := database.Version(ctx)
	if err != nil {
		return nil, err
	}
	if s.readers, err = newReaders(settings); err != nil {
		return nil, err
	}
	log.Info("parley", "model", about, "database", engine, "files", blobs.String(), "search", searchName(settings))
	s.wire(blobs, models, search)
	return s, nil
}

// wire creates the services and the handler that uses them.
func (s *server) wire(blobs blob.Store, models chat.Models, search websearch.Engine) {
	counters, limiter, settings := metrics.New(), newLimiter(), s.settings
	s.metrics = counters
	s.database.Measure(counters)
	s.accounts = account.New(account.Config{
		Store:    s.database,
		Log:      s.log,
		Audit:    newAuditLog(settings.Log),
		TokenTTL: settings.Accounts.TokenTTL,
		Closed:   !settings.Accounts.RegistrationOpen,
		Now:      time.Now,
	})
	s.library = library.New(library.Config{
		Store:       s.database,
		Blobs:       blobs,
		Log:         s.log,
		Reader:      s.readers,
		MaxUpload:   settings.Files.MaxUpload,
		UserStorage: settings.Files.UserStorage,
		Now:         time.Now,

		Readers:      maxReaders,
		SmallReaders: maxSmallReaders,
	})
	var fenceKey ai.FenceKey
	_, _ = rand.Read(fenceKey[:]) // never fails
	prompter := chat.NewPrompter(chat.PrompterConfig{
		Store:          s.database,
		Library:        s.library,
		Metrics:        counters,
		Models:         models,
		Search:         search,
		SystemPrompt:   settings.AI.SystemPrompt,
		FenceKey:       fenceKey,
		RequestTimeout: settings.HTTP.RequestTimeout,
		Now:            time.Now,
	})
	s.titler = s.newTitler(models)
	s.turns = turn.New(turn.Config{
		Store:    s.database,
		Log:      s.log,
		Prepare:  prompter.Prepare,
		Finished: s.titler.Finished,
		Limiter:  limiter,
		Metrics:  counters,
		Tracer:   s.tracer,
		Now:      time.Now,
	})
	s.chat = chat.New(chat.Config{
		Store:     s.database,
		Library:   s.library,
		Turns:     s.turns,
		Models:    models,
		WebSearch: search != nil,
		Quota:     settings.Accounts.Quota,
		NoSharing: !settings.Accounts.Sharing,
		TempDir:   settings.Store.Data,
		Now:       time.Now,
	})
	s.imports = importer.New(importer.Config{
		Store:   s.database,
		Blobs:   blobs,
		Library: s.library,
		Log:     s.log,
		Reader:  s.readers,
		Owner:   s.turns.Owner(),
		Models:  modelNames(models),
		MaxSize: settings.Files.MaxImport,
		Now:     time.Now,
	})
	s.sweeper = chat.NewSweeper(chat.SweeperConfig{
		Store:     s.database,
		Library:   s.library,
		Turns:     s.turns,
		Log:       s.log,
		Retention: settings.Store.Retention,
		Now:       time.Now,
	})
	s.handler = api.New(api.Config{
		Accounts:       s.accounts,
		Chat:           s.chat,
		Turns:          s.turns,
		Library:        s.library,
		Imports:        s.imports,
		Usage:          newUsage(s.database, models, settings),
		Metrics:        counters,
		Tracer:         s.tracer,
		Log:            s.log,
		RequestTimeout: settings.HTTP.RequestTimeout,
		MaxUpload:      settings.Files.MaxUpload,
		CORSOrigins:    settings.HTTP.CORSOrigins,
		HideMetrics:    settings.HTTP.MetricsAddr != "",
		TrustedProxies: settings.HTTP.TrustedProxies,
		UserRate:       api.Rate(settings.HTTP.RateLimit.User),
		AddressRate:    api.Rate(settings.HTTP.RateLimit.Address),
		LoginRate:      api.Rate(settings.HTTP.RateLimit.Login),
		RegisterRate:   api.Rate(settings.HTTP.RateLimit.Register),
		Now:            time.Now,
		Limiter:        limiter,
		Bodies:         limit.NewByteShares[int64](maxBodies, freeBody),
		UserRequests:   settings.HTTP.UserRequests,
		Responses:      limit.NewByteShares[int64](maxResponses, api.FreeResponse),
		Ready:          s.ready,
		MaxWrite:       maxWrite,
		Stopping:       s.stopping,
	})
}

// newUsage returns what counts calls of models.
func newUsage(database *store.Store, models chat.Models, settings *config.Settings) *usage.Service {
	var counted []usage.Model
	for _, m := range models {
		counted = append(counted, usage.Model{Name: m.Name, Price: m.Price, Tokens: m.ReplyLimit()})
	}
	return usage.New(usage.Config{
		Store: database, Models: counted, Quota: settings.Accounts.Quota, Now: time.Now,
	})
}

// newTitler returns what names sessions, or nil if no model does.
func (s *server) newTitler(models chat.Models) *chat.Titler {
	model, found := models.ForTitles()
	if !found || !s.settings.AI.ModelTitles {
		return nil
	}
	return chat.NewTitler(chat.TitlerConfig{
		Store: s.database, Log: s.log, Model: model, Metrics: s.metrics, Now: time.Now,
	})
}

// run serves until ctx ends. Then it reports not ready, serves for the drain delay and shuts down.
func (s *server) run(ctx context.Context) error {
	web, err := s.httpServer()
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.settings.HTTP.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", s.settings.HTTP.Addr, err)
	}
	if most := s.maxConnectionsPerAddress(); most > 0 {
		listener = limit.NewAddressListener(listener, most, s.settings.HTTP.TrustedProxies)
	}
	listener = limit.NewListener(listener, s.maxConnections())
	if err := s.turns.AcquireLease(ctx); err != nil {
		return errors.Join(err, listener.Close())
	}
	working, rest := context.WithCancel(context.Background())
	defer rest()
	background := s.background(working)
	failed := make(chan error, 1)
	go func() { failed <- listen(web, listener) }()
	s.log.Info("ready", "address", s.address(listener))

	select {
	case err = <-failed:
	case <-ctx.Done():
		s.log.Info("shutting down", "after", s.settings.HTTP.DrainDelay, "within", s.settings.HTTP.DrainTimeout)
		s.leaving.Store(true)
		err = s.linger(failed)
	}
	s.shutDown(web)
	rest()
	background.Wait()
	return err
}

func (s *server) httpServer() (*http.Server, error) {
	security, err := s.tlsConfig()
	if err != nil {
		return nil, err
	}
	return &http.Server{
		Handler:           s.closing(s.handler),
		TLSConfig:         security,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ConnContext:       limit.ConnContext,
		// In HTTP/2, the write deadline of a response ends only its stream. This timeout ends the connection.
		HTTP2: &http.HTTP2Config{WriteByteTimeout: maxWrite},
	}, nil
}

// shutDown accepts no more connections and finishes requests and replies within the drain timeout. Replies that
// take longer are left to another process.
func (s *server) shutDown(web *http.Server) {
	drain, cancel := context.WithTimeout(context.Background(), s.settings.HTTP.DrainTimeout)
	defer cancel()
	closed, cancel := context.WithTimeout(context.Background(), s.settings.HTTP.DrainTimeout+closeTime)
	defer cancel()
	var requests sync.WaitGroup
	requests.Go(func() {
		if err := web.Shutdown(closed); err != nil {
			_ = web.Close() // the time is up
		}
	})
	s.turns.Drain(drain)
	s.stop()
	requests.Wait()
}

// linger serves for the drain delay, so that load balancers notice that the server is not ready.
func (s *server) linger(failed <-chan error) error {
	select {
	case err := <-failed:
		return err
	case <-time.After(s.settings.HTTP.DrainDelay):
		return nil
	}
}

// closing makes each response during shutdown close its connection, so that no connection is closed while its client
// sends another request.
func (s *server) closing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.leaving.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

func listen(web *http.Server, listener net.Listener) error {
	var err error
	if web.TLSConfig != nil {
		err = web.ServeTLS(listener, "", "")
	} else {
		err = web.Serve(listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve: %w", err)
}

func (s *server) address(listener net.Listener) string {
	if s.settings.HTTP.TLSCert != "" {
		return "https://" + listener.Addr().String()
	}
	return "http://" + listener.Addr().String()
}

// background starts the loops that run until ctx ends.
func (s *server) background(ctx context.Context) *sync.WaitGroup {
	var all sync.WaitGroup
	all.Go(func() { s.turns.Run(ctx) })
	all.Go(func() { s.titler.Run(ctx) })
	all.Go(func() { s.sweeper.Run(ctx) })
	all.Go(func() { s.library.Run(ctx) })
	all.Go(func() { s.imports.Run(ctx) })
	all.Go(func() { checkWalls(ctx, s.readers, s.log) })
	all.Go(func() { (&readerWarmup{pool: s.readers, log: s.log}).Run(ctx) })
	all.Go(func() { s.accounts.Run(ctx) })
	all.Go(func() { s.chat.SweepShares(ctx, s.log) })
	all.Go(func() { s.database.Indexer(s.library.Documents(), s.log).Run(ctx) })
	all.Go(func() { s.database.RunShardCounts(ctx, s.log, time.Now) })
	if s.settings.HTTP.PprofAddr != "" {
		all.Go(func() { newProfileServer(s.settings.HTTP.PprofAddr, s.log).Run(ctx) })
	}
	if s.settings.HTTP.MetricsAddr != "" {
		all.Go(func() { newMetricsServer(s.settings.HTTP.MetricsAddr, s.metrics, s.log).Run(ctx) })
	}
	listener := s.database.Listener(s.log, func(signal store.Signal) {
		s.turns.HandleSignal(signal)
		s.accounts.HandleSignal(ctx, signal)
	})
	all.Go(func() { listener.Run(ctx) })
	return &all
}

func (s *server) ready(ctx context.Context) error {
	if s.leaving.Load() {
		return errors.New("shutting down")
	}
	return s.database.Ping(ctx)
}

// closeTraces sends the last spans.
func (s *server) closeTraces() error {
	ctx, cancel := context.WithTimeout(context.Background(), traceTime)
	defer cancel()
	return s.tracer.Close(ctx)
}

func newSearch(settings *config.Settings) (websearch.Engine, error) {
	if settings.Search.Provider == "" {
		return nil, nil
	}
	return websearch.New(websearch.Config{
		Provider: settings.Search.Provider,
		URL:      settings.Search.URL.Reveal(),
		APIKey:   settings.Search.APIKey.Reveal(),
		Timeout:  settings.HTTP.RequestTimeout / 3,
	})
}

func modelNames(models chat.Models) []string {
	names := make([]string, 0, len(models))
	for _, m := range models {
		names = append(names, m.Name)
	}
	return names
}

func searchName(settings *config.Settings) string {
	if settings.Search.Provider == "" {
		return "none"
	}
	return settings.Search.Provider
}

func newLog(settings config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: settings.Level}
	if settings.JSON {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}

// newAuditLog returns the audit log, which ignores the log level.
func newAuditLog(settings config.Log) *slog.Logger {
	settings.Level = slog.LevelInfo
	return newLog(settings)
}

func closing(log *slog.Logger, what func() error) {
	if err := what(); err != nil {
		log.Error("close", "error", err)
	}
}
