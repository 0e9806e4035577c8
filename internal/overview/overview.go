// Package overview tells administrators the state of the server.
package overview

import (
	"context"
	"log/slog"
	"time"

	"parley"
	"parley/internal/store"
)

// Config holds what a Service tells, and where it finds the rest.
type Config struct {
	Store *store.Store
	Log   *slog.Logger
	// Version is that of the program.
	Version string
	// Owner is this process in the table of leases.
	Owner string
	// Registration and Sharing report whether they are allowed.
	Registration, Sharing func() bool
	PublicURL             string
	SMTP                  bool
	OIDC                  string
	// FilesKind is one of the kinds of parley.FilesState.
	FilesKind string
	// Free returns the free space of the data folder, in bytes.
	Free func() (int64, error)
	// Models are those on offer, the default first.
	Models []Model
	Search Search
	OCR    parley.OCRState
	// Errors returns the errors of the last hour.
	Errors func() []parley.ErrorCount
	Now    func() time.Time
}

// Service tells the state of one server.
type Service struct {
	config  Config
	started time.Time
	models  *cached[[]parley.ModelState]
	search  *cached[parley.SearchState]
}

// New returns a Service of a server that has just started.
func New(config Config) *Service {
	s := &Service{config: config, started: config.Now()}
	s.models = &cached[[]parley.ModelState]{
		now: config.Now, read: s.checkModels, keep: func([]parley.ModelState) time.Duration { return checkInterval },
	}
	s.search = &cached[parley.SearchState]{now: config.Now, read: s.checkSearch, keep: keepSearch}
	return s
}

// Get returns the state of the server.
func (s *Service) Get(ctx context.Context) (parley.Overview, error) {
	search := make(chan parley.SearchState, 1)
	go func() { search <- s.search.get(ctx) }()
	models := s.models.get(ctx)
	found := <-search
	o, err := s.config.Store.Overview(ctx, s.config.Owner)
	if err != nil {
		return parley.Overview{}, err
	}
	o.Version, o.StartedAt = s.config.Version, s.started.Unix()
	o.Registration, o.Sharing = s.config.Registration(), s.config.Sharing()
	o.PublicURL, o.SMTP, o.OIDC = s.config.PublicURL, s.config.SMTP, s.config.OIDC
	o.Files.Kind, o.Files.Free = s.config.FilesKind, s.free()
	o.Models, o.Search, o.OCR = models, found, s.config.OCR
	o.Errors = s.config.Errors()
	return o, nil
}

// free returns the free space of the data folder, or 0 if it is not known.
func (s *Service) free() int64 {
	free, err := s.config.Free()
	if err != nil {
		s.config.Log.Warn("look for free space", "error", err)
	}
	return free
}
