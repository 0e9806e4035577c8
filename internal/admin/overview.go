// Package admin does what only operators may see and do: the state of the server, and the settings that can be changed
// while it runs.
package admin

import (
	"context"
	"log/slog"
	"time"

	"parley"
	"parley/internal/store"
)

// OverviewConfig holds what an Overview tells, and where it finds the rest.
type OverviewConfig struct {
	Store *store.Store
	Log   *slog.Logger
	// Version is the program's version.
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
	// Models returns the models on offer, the default first. If it is nil, there are none.
	Models func() []Model
	// Search returns the web-search service. If it is nil, there is none.
	Search func() Search
	OCR    parley.OCRState
	// Errors returns the errors of the last hour.
	Errors func() []parley.ErrorCount
	Now    func() time.Time
}

// Overview tells administrators the state of one server.
type Overview struct {
	config  OverviewConfig
	started time.Time
	models  *cached[[]parley.ModelState]
	search  *cached[parley.SearchState]
}

// NewOverview returns the Overview of a server that has just started.
func NewOverview(config OverviewConfig) *Overview {
	if config.Models == nil {
		config.Models = func() []Model { return nil }
	}
	if config.Search == nil {
		config.Search = func() Search { return Search{} }
	}
	o := &Overview{config: config, started: config.Now()}
	o.models = &cached[[]parley.ModelState]{
		now: config.Now, read: o.checkModels, keep: func([]parley.ModelState) time.Duration { return checkInterval },
	}
	o.search = &cached[parley.SearchState]{now: config.Now, read: o.checkSearch, keep: keepSearch}
	return o
}

// Get returns the state of the server.
func (o *Overview) Get(ctx context.Context) (parley.Overview, error) {
	search := make(chan parley.SearchState, 1)
	go func() { search <- o.search.get(ctx) }()
	models := o.models.get(ctx)
	found := <-search
	state, err := o.config.Store.Overview(ctx, o.config.Owner)
	if err != nil {
		return parley.Overview{}, err
	}
	state.Version, state.StartedAt = o.config.Version, o.started.Unix()
	state.Registration, state.Sharing = o.config.Registration(), o.config.Sharing()
	state.PublicURL, state.SMTP, state.OIDC = o.config.PublicURL, o.config.SMTP, o.config.OIDC
	state.Files.Kind, state.Files.Free = o.config.FilesKind, o.free()
	state.Models, state.Search, state.OCR = models, found, o.config.OCR
	state.Errors = o.config.Errors()
	return state, nil
}

// free returns the free space of the data folder, or 0 if it is not known.
func (o *Overview) free() int64 {
	free, err := o.config.Free()
	if err != nil {
		o.config.Log.Warn("look for free space", "error", err)
	}
	return free
}
