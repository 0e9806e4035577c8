// Package chat is the conversation: sessions, their history, favorites, and the
// making of replies.
//
// A turn is a question and its reply. It belongs to the service, not to the request
// that asked: a caller who leaves does not end it. A session has one turn at a time.
package chat

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/id"
	"parley/internal/library"
	"parley/internal/limit"
	"parley/internal/metrics"
	"parley/internal/store"
	"parley/internal/tracing"
	"parley/internal/websearch"
)

// Config is what the conversation is made with.
type Config struct {
	Store   *store.Store
	Library *library.Library
	Log     *slog.Logger
	// Limiter limits how many questions are stored at once; nil does not.
	Limiter *limit.Limiter
	// Metrics counts the turns; nil counts them for nobody.
	Metrics *metrics.Metrics
	// Tracer traces the turns; nil traces none.
	Tracer *tracing.Tracer
	// Models are the models on offer, the default first.
	Models []Model
	// Search is the web-search engine, or nil.
	Search websearch.Engine
	// SystemPrompt stands before every conversation; it may be empty.
	SystemPrompt string
	// RequestTimeout is how long a request may take. Tries to reach a model begin
	// within half of it, and a web search takes at most a third.
	RequestTimeout time.Duration
	// Lease is how long a process that makes replies is taken for alive after it last
	// said so; zero is 10 s.
	Lease time.Duration
	// Now is the clock.
	Now func() time.Time
}

// Model is one of the models on offer.
type Model struct {
	Name          string
	Model         ai.Model
	ContextTokens int
	DeepThinking  bool
}

// Service is the conversations of one server.
type Service struct {
	Config
	owner string // names this process among all that make replies
	lines *lines
	news  *news
	look  chan struct{} // asks for the standing of the live turns
	more  chan struct{} // asks for more turns to take over

	lease  sync.Mutex      // held while the lease is renewed or given up
	gone   bool            // the lease was given up
	strays map[string]bool // replies that were open in our name, but not live, at the last look

	ctx     context.Context // ends when replies are to be given up
	giveUp  context.CancelCauseFunc
	running sync.WaitGroup

	mu       sync.Mutex
	live     map[string]*turn // by reply
	draining bool
}

// New returns the conversations kept in a store. Run must be running for replies of
// earlier processes to be finished.
func New(config Config) *Service {
	if config.Lease == 0 {
		config.Lease = 10 * time.Second
	}
	if config.Metrics == nil {
		config.Metrics = metrics.New()
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Service{
		Config: config, owner: id.New(), lines: newLines(), news: newNews(),
		look: make(chan struct{}, 1), more: make(chan struct{}, 1),
		ctx: ctx, giveUp: cancel, live: map[string]*turn{},
	}
}

// ModelsOnOffer lists the models that a send may name.
func (s *Service) ModelsOnOffer() []parley.Model {
	models := make([]parley.Model, 0, len(s.Models))
	for i, m := range s.Models {
		models = append(models, parley.Model{
			Name: m.Name, Default: i == 0, DeepThinking: m.DeepThinking, WebSearch: s.Search != nil,
		})
	}
	return models
}

// model finds a model by name; the empty name is the default.
func (s *Service) model(name string) (Model, error) {
	if name == "" {
		return s.Models[0], nil
	}
	for _, m := range s.Models {
		if m.Name == name {
			return m, nil
		}
	}
	return Model{}, parley.Invalid("model must be one of the names that GET /api/models lists")
}
