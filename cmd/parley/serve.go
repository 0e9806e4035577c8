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
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/account"
	"parley/internal/admin"
	"parley/internal/api"
	"parley/internal/blob"
	"parley/internal/chat"
	"parley/internal/chat/export"
	"parley/internal/chat/importer"
	"parley/internal/chat/turn"
	"parley/internal/config"
	"parley/internal/embed"
	"parley/internal/extract/sandbox"
	"parley/internal/library"
	"parley/internal/limit"
	"parley/internal/mail"
	"parley/internal/metrics"
	"parley/internal/oidc"
	"parley/internal/openaiapi"
	"parley/internal/responses"
	"parley/internal/store"
	"parley/internal/tracing"
)

const (
	// traceTime is how long sending the last spans may take.
	traceTime = 5 * time.Second
	// closeTime is how long open streams have to end after the drain timeout.
	closeTime = 2 * time.Second
)

// serve runs the server until ctx ends, then shuts it down.
func serve(ctx context.Context, command config.Command) error {
	settings := command.Settings
	log := newLog(settings.Log)
	warnOfRoot(log, os.Geteuid(), inContainer(os.Getenv, exists))
	if err := hideMemory(); err != nil {
		log.Warn("other processes of this user can read the memory", "error", err)
	}
	for _, found := range config.FindMisspelled(os.Environ(), command.Variables) {
		log.Warn("there is no such setting", "variable", found.Variable, "nearest", found.Nearest)
	}
	database, err := openDatabase(ctx, settings, command.Options, log)
	if err != nil {
		return err
	}
	defer closing(log, database.Close)
	if command.Options.Migrate == config.MigrateOnly {
		log.Info("the database is up to date", "schema", store.Schema())
		return nil
	}
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
	live     *admin.Settings // those that can be changed
	log      *slog.Logger
	database *store.Store
	signOn   *oidc.Provider // nil if there is none
	accounts *account.Service
	mail     *mail.Queue // nil if no mail is sent
	models   modelSet
	readers  *sandbox.Pool
	scanner  *recognizer
	vectors  *embed.Client // nil without an embeddings server
	library  *library.Library
	exports  *export.Service
	imports  *importer.Service
	turns    *turn.Engine
	titler   *chat.Titler // nil if no model makes titles
	chat     *chat.Service
	sweeper  *chat.Sweeper
	stored   *responses.Service
	openAI   *openaiapi.API
	metrics  *metrics.Metrics
	limiter  *limit.Fair[int64]
	handler  *api.API
	tracer   *tracing.Tracer // nil traces nothing

	leaving  atomic.Bool // shutting down, so not ready
	stopping context.Context
	stop     context.CancelFunc
}

func newServer(
	ctx context.Context, settings *config.Settings, log *slog.Logger, database *store.Store, blobs blob.Store,
) (*server, error) {
	s := &server{settings: settings, live: newLive(settings.Live, database, log), log: log, database: database}
	s.stopping, s.stop = context.WithCancel(context.Background())
	if err := s.live.Load(ctx); err != nil {
		return nil, err
	}
	models, err := chooseModels(ctx, settings.AI, log)
	if err != nil {
		return nil, err
	}
	search, err := newSearch(settings)
	if err != nil {
		return nil, err
	}
	if s.mail, err = newMailQueue(settings.Mail, log); err != nil {
		return nil, err
	}
	if s.tracer, err = tracing.New(ctx, os.Getenv, version, log); err != nil {
		return nil, err
	}
	engine, err := database.Version(ctx)
	if err != nil {
		return nil, err
	}
	if s.readers, err = newReaders(settings, models.see()); err != nil {
		return nil, err
	}
	seeing, _ := models.offers.Seeing()
	if s.scanner, err = newRecognizer(ctx, settings.OCR, seeing.Name); err != nil {
		return nil, err
	}
	if s.vectors, err = newEmbeddings(settings); err != nil {
		return nil, err
	}
	log.Info("parley", "model", models.about, "database", engine, "files", blobs.String(), "search", searchName(settings),
		"recognition", s.scanner.about, "embeddings", embeddingsName(settings))
	s.models = models
	s.wire(blobs, models.offers, search)
	return s, nil
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
	if err := s.offerClaim(ctx); err != nil {
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
	var calls sync.WaitGroup
	calls.Go(func() { s.openAI.Drain(drain) })
	s.turns.Drain(drain)
	calls.Wait()
	s.stop()
	requests.Wait()
	s.openAI.Wait()
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

func closing(log *slog.Logger, what func() error) {
	if err := what(); err != nil {
		log.Error("close", "error", err)
	}
}
