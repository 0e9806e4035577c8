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
	"time"

	"parley/internal/ai"
	"parley/internal/app"
	"parley/internal/blob"
	"parley/internal/config"
	"parley/internal/connect"
	"parley/internal/extract/sandbox"
	"parley/internal/limit"
	"parley/internal/oidc"
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

// server is a process that serves.
type server struct {
	settings *config.Settings
	log      *slog.Logger
	limits   app.Limits
	signOn   *oidc.Provider // nil if it is off
	readers  *sandbox.Pool
	tracer   *tracing.Tracer // nil traces nothing
	app      *app.App
}

func newServer(
	ctx context.Context, settings *config.Settings, log *slog.Logger, database *store.Store, blobs blob.Store,
) (*server, error) {
	s := &server{settings: settings, log: log, limits: app.NewLimits(), signOn: newSignOn(settings)}
	connections := connect.New(ctx, settings, database, log)
	if err := connections.Load(ctx); err != nil {
		return nil, err
	}
	mails, err := newMailQueue(settings.Mail, log)
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
	if s.readers, err = newReaders(settings, s.limits.Children(), connections.SeesPictures); err != nil {
		return nil, err
	}
	seeing, _ := connections.Models().Seeing()
	scanner, err := newRecognizer(ctx, settings.OCR, seeing.Name)
	if err != nil {
		return nil, err
	}
	model, search, embeddings := connections.About()
	log.Info("parley", "model", model, "database", engine, "files", blobs.String(),
		"search", search, "recognition", scanner.about, "embeddings", embeddings)
	var fenceKey ai.FenceKey
	_, _ = rand.Read(fenceKey[:]) // never fails
	if s.app, err = app.New(ctx, app.Config{
		Settings:      settings,
		Version:       version,
		Database:      database,
		Blobs:         blobs,
		Models:        connections.Models,
		Servers:       connections.States,
		CheckedModels: connections.CheckedModels,
		Search:        connections.Search,
		CheckedSearch: connections.CheckedSearch,
		Embeddings:    connections.Embeddings,
		Connections:   connections,
		Readers:       s.readers,
		Recognition:   scanner.recognition(),
		SignOn:        s.signOn,
		Mail:          mails,
		Tracer:        s.tracer,
		Log:           log,
		Audit:         newAuditLog(settings.Log),
		FenceKey:      fenceKey,
		Limits:        s.limits,
		Now:           time.Now,
	}); err != nil {
		return nil, err
	}
	return s, nil
}

// run serves until ctx ends. Then it reports not ready, keeps serving for the drain delay and shuts down.
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
	if err := s.app.Turns.AcquireLease(ctx); err != nil {
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
		s.app.Leave()
		err = s.linger(failed)
	}
	s.shutDown(web)
	rest()
	background.Wait()
	return err
}

// shutDown accepts no more connections and finishes requests and replies within the drain timeout. It leaves slower
// replies to another process.
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
	s.app.Drain(drain)
	requests.Wait()
	s.app.Wait()
}

// linger serves for the drain delay. Load balancers need the time to notice that the server is not ready.
func (s *server) linger(failed <-chan error) error {
	select {
	case err := <-failed:
		return err
	case <-time.After(s.settings.HTTP.DrainDelay):
		return nil
	}
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
