package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/account"
	"parley/internal/api"
	"parley/internal/blob"
	"parley/internal/chat"
	"parley/internal/config"
	"parley/internal/extract/sandbox"
	"parley/internal/library"
	"parley/internal/limit"
	"parley/internal/metrics"
	"parley/internal/store"
	"parley/internal/tracing"
	"parley/internal/websearch"
)

// traceTime is how long the last spans may take to be sent.
const traceTime = 5 * time.Second

// serve runs the server until ctx ends, then lets it finish what it is doing.
func serve(ctx context.Context, settings *config.Settings) error {
	log := newLog(settings.Log)
	for _, found := range config.FindMisspelt(os.Environ()) {
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
	defer closing(log, s.usher.Close)
	defer s.readers.Close()
	defer closing(log, s.closeTraces)
	return s.run(ctx)
}

// server is the parts of the service, wired.
type server struct {
	settings *config.Settings
	log      *slog.Logger
	database *store.Store
	accounts *account.Service
	readers  *sandbox.Pool
	library  *library.Library
	chat     *chat.Service
	handler  *api.API
	usher    *limit.Usher
	tracer   *tracing.Tracer // nil where nothing is traced

	leaving  atomic.Bool // no longer ready: shutting down
	stopping context.Context
	stop     context.CancelFunc
}

func newServer(ctx context.Context, settings *config.Settings, log *slog.Logger, database *store.Store, blobs blob.Store) (*server, error) {
	s := &server{settings: settings, log: log, database: database}
	gate := newGate()
	counters := metrics.New()
	database.Measure(counters)
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
	log.Info("parley", "model", about, "database", engine, "files", blobs.String(), "search", searchName(settings))

	if s.usher, err = limit.NewUsher(groupPerCore * runtime.GOMAXPROCS(0)); err != nil {
		return nil, err
	}
	s.accounts = account.New(account.Config{
		Store: database, Log: log, Audit: newAuditLog(settings.Log),
		TokenTTL: settings.Accounts.TokenTTL, Closed: !settings.Accounts.RegistrationOpen, Now: time.Now,
	})
	if s.readers, err = newReaders(settings); err != nil {
		return nil, err
	}
	s.library = library.New(library.Config{
		Store: database, Blobs: blobs, Log: log, Reader: s.readers,
		MaxUpload: settings.Files.MaxUpload, UserStorage: settings.Files.UserStorage, Now: time.Now,
	})
	s.chat = chat.New(chat.Config{
		Store: database, Library: s.library, Log: log, Gate: gate, Metrics: counters, Tracer: s.tracer, Models: models, Search: search, SystemPrompt: settings.AI.SystemPrompt,
		RequestTimeout: settings.HTTP.RequestTimeout, Now: time.Now,
	})
	s.handler = api.New(api.Config{
		Accounts: s.accounts, Chat: s.chat, Library: s.library, Metrics: counters, Tracer: s.tracer, Log: log,
		RequestTimeout: settings.HTTP.RequestTimeout, MaxUpload: settings.Files.MaxUpload,
		CORSOrigins: settings.HTTP.CORSOrigins, TrustedProxies: settings.HTTP.TrustedProxies,
		UserRate: api.Rate(settings.HTTP.RateLimit.User), AddressRate: api.Rate(settings.HTTP.RateLimit.Address), Now: time.Now, Gate: gate, Usher: s.usher, Bodies: limit.NewBudget(maxBodies, freeBody),
		Ready: s.ready, Stopping: s.stopping,
	})
	return s, nil
}

// run serves until ctx ends. Then it is no longer ready, goes on for the drain delay,
// takes no new connections, finishes requests and replies within the drain time-out,
// and leaves the rest to another process.
func (s *server) run(ctx context.Context) error {
	security, err := s.security()
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.settings.HTTP.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", s.settings.HTTP.Addr, err)
	}
	listener = limit.NewListener(listener, s.maxConnections(), stallTime, s.handler.Refusal(s.leaving.Load))
	if err := s.chat.Join(ctx); err != nil {
		return errors.Join(err, listener.Close())
	}
	working, rest := context.WithCancel(context.Background())
	defer rest()
	background := s.background(working)
	web := &http.Server{
		Handler: s.closing(s.handler), TLSConfig: security, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10, ConnContext: limit.Mark, ConnState: limit.Watch,
	}
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
	drain, cancel := context.WithTimeout(context.Background(), s.settings.HTTP.DrainTimeout)
	defer cancel()
	var requests sync.WaitGroup
	requests.Go(func() {
		if err := web.Shutdown(drain); err != nil {
			_ = web.Close() // the time is up
		}
	})
	s.chat.Drain(drain)
	s.stop()
	requests.Wait()
	s.handler.Wait()
	rest()
	background.Wait()
	return err
}

// linger goes on serving while load balancers find out that we are no longer ready.
func (s *server) linger(failed <-chan error) error {
	select {
	case err := <-failed:
		return err
	case <-time.After(s.settings.HTTP.DrainDelay):
		return nil
	}
}

// closing has each connection end with its next answer once we are leaving, so that
// none is cut while its client sends another request.
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

// background starts what has to be done all the time.
func (s *server) background(ctx context.Context) *sync.WaitGroup {
	var all sync.WaitGroup
	all.Go(func() { s.chat.Run(ctx) })
	all.Go(func() { s.library.Run(ctx) })
	all.Go(func() { prepareReaders(ctx, s.readers, s.log) })
	all.Go(func() { s.accounts.Tidy(ctx) })
	all.Go(func() { s.database.Index(ctx, s.log) })
	if s.settings.HTTP.PprofAddr != "" {
		all.Go(func() {
			if err := serveProfiles(ctx, s.settings.HTTP.PprofAddr); err != nil {
				s.log.Error("profiles", "error", err)
			}
		})
	}
	all.Go(func() {
		s.database.Listen(ctx, s.log, func(signal store.Signal) {
			s.chat.Heard(signal)
			s.accounts.Heard(ctx, signal)
		})
	})
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
		Provider: settings.Search.Provider, URL: settings.Search.URL.Reveal(), APIKey: settings.Search.APIKey.Reveal(),
		Timeout: settings.HTTP.RequestTimeout / 3,
	})
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

// newAuditLog is the log for lines that no setting drops: whoever wants to read less of
// what goes on still wants to know who did what.
func newAuditLog(settings config.Log) *slog.Logger {
	settings.Level = slog.LevelInfo
	return newLog(settings)
}

func closing(log *slog.Logger, what func() error) {
	if err := what(); err != nil {
		log.Error("close", "error", err)
	}
}
