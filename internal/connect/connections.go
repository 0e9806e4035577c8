package connect

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/admin"
	"parley/internal/ai"
	"parley/internal/ai/openai"
	"parley/internal/config"
	"parley/internal/embed"
	"parley/internal/metrics"
	"parley/internal/store"
	"parley/internal/websearch"
)

const (
	// pollInterval is how often the stored connections are read without a signal. With the time of a read, a change is in
	// force everywhere within 2 s.
	pollInterval = 1500 * time.Millisecond
	// readTimeout bounds one read, with the questions to new servers.
	readTimeout = 5 * time.Second
	// signalTimeout bounds how long a change waits until other replicas are notified.
	signalTimeout = 2 * time.Second
)

// Connections are the connections of one server to other services. What the settings name is fixed. The rest comes from
// the database, where administrators can change it while the server runs. They are safe for concurrent use.
type Connections struct {
	settings  *config.Settings
	store     *store.Store
	log       *slog.Logger
	keys      *keyring
	transport http.RoundTripper

	// reading is held while the stored connections are read. It guards what follows.
	reading sync.Mutex
	local   func() (model openai.OllamaModel, about string) // looks once for a local Ollama

	current atomic.Pointer[connections]
	changed chan struct{} // makes Run check the servers of the current models
}

// connections are those in force at one time.
type connections struct {
	stored     []store.Setting
	known      map[string]connected // the stored ones that are in force, by their names
	settings   config.Settings      // with the stored connections
	models     Models
	search     websearch.Engine
	embeddings *embed.Client
}

// New returns the connections of a server. Load has to be called before they are used.
func New(ctx context.Context, settings *config.Settings, database *store.Store, log *slog.Logger) *Connections {
	c := &Connections{
		settings: settings, store: database, log: log, transport: openai.NewTransport(),
		keys:    newKeyring(settings.Store.SecretKey.Reveal(), settings.Store.Data),
		changed: make(chan struct{}, 1),
	}
	var once sync.Once
	var model openai.OllamaModel
	var about string
	c.local = func() (openai.OllamaModel, string) {
		once.Do(func() { model, about = findLocal(ctx, settings.AI) })
		return model, about
	}
	return c
}

// Models returns the models on offer.
func (c *Connections) Models() ai.Offers { return c.current.Load().models.Offers }

// About describes the default model, the web search and the embeddings in a few words each.
func (c *Connections) About() (model, search, embeddings string) {
	now := c.current.Load()
	return now.models.About, SearchName(&now.settings), EmbeddingsName(&now.settings)
}

// SeesPictures reports whether a model sees pictures.
func (c *Connections) SeesPictures() bool { return c.current.Load().models.See() }

// States returns the states of the models' servers.
func (c *Connections) States() []metrics.ServerState { return c.current.Load().models.States() }

// CheckedModels returns the models with their checks.
func (c *Connections) CheckedModels() []admin.Model { return c.current.Load().models.Checked }

// Search returns the web-search engine, or nil if there is none.
func (c *Connections) Search() websearch.Engine { return c.current.Load().search }

// CheckedSearch returns the web-search service with its check.
func (c *Connections) CheckedSearch() admin.Search {
	now := c.current.Load()
	return CheckedSearch(now.settings.Search, now.search)
}

// Embeddings returns the client of the embeddings server, or nil if there is none.
func (c *Connections) Embeddings() *embed.Client { return c.current.Load().embeddings }

// Load reads the stored connections, and makes those that are new.
func (c *Connections) Load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	c.reading.Lock()
	defer c.reading.Unlock()
	stored, err := c.store.Connections(ctx)
	if err != nil {
		return err
	}
	before := c.current.Load()
	if before != nil && slices.Equal(before.stored, stored) {
		return nil
	}
	now, err := c.make(ctx, stored, before)
	if err != nil {
		return err
	}
	c.current.Store(now)
	select {
	case c.changed <- struct{}{}:
	default:
	}
	return nil
}

// make makes the connections of the settings and the stored ones.
func (c *Connections) make(ctx context.Context, stored []store.Setting, before *connections) (*connections, error) {
	now := &connections{stored: stored, known: map[string]connected{}, settings: *c.settings}
	for _, setting := range stored {
		if err := c.apply(now, setting); err != nil { // another release may know more
			c.log.Warn("a stored connection is ignored", "connection", setting.Name, "error", err)
		}
	}
	inherit(&now.settings.AI, c.settings.AI)
	about := ""
	var local openai.OllamaModel
	if now.settings.AI.Default.BaseURL == "" || c.settings.AI.Default.BaseURL != "" {
		local, about = c.local()
	} else {
		about = fmt.Sprintf("%s at %s", now.settings.AI.Default.Model, now.settings.AI.Default.BaseURL)
	}
	var err error
	if now.models, err = newModels(ctx, newMaker(now.settings.AI, c.log, c.transport), local, about); err != nil {
		return nil, err
	}
	if now.search, err = NewSearch(&now.settings); err != nil {
		return nil, err
	}
	if before != nil && reflect.DeepEqual(before.settings.Embed, now.settings.Embed) {
		now.embeddings = before.embeddings
		return now, nil
	}
	now.embeddings, err = NewEmbeddings(&now.settings)
	return now, err
}

// apply puts a stored connection into the settings, unless the configuration has its own.
func (c *Connections) apply(now *connections, setting store.Setting) error {
	if c.fixedBy(setting.Name) != "" {
		return nil
	}
	read, err := c.read(setting)
	if err != nil {
		return err
	}
	switch setting.Name {
	case searchName:
		var search config.Search
		if search, err = read.search(c.settings.Search); err == nil {
			now.settings.Search = search
		}
	case embeddingsName:
		now.settings.Embed, err = read.embed()
	default:
		err = applyModel(&now.settings.AI, setting.Name, read)
	}
	if err != nil && read.keyLost { // it may be incomplete without its key, and is shown for a new one
		err = nil
	}
	now.known[setting.Name] = read
	return err
}

// Run reads the stored connections at short intervals and checks the servers of the models, until ctx ends.
func (c *Connections) Run(ctx context.Context) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	var checks sync.WaitGroup
	defer checks.Wait()
	stop := func() {}
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			c.reload(ctx)
		case <-c.changed:
			stop()
			checking, cancel := context.WithCancel(ctx)
			stop = cancel
			models := c.current.Load().models
			checks.Go(func() { models.Run(checking) })
		}
	}
}

// HandleSignal reads the stored connections if they may have changed.
func (c *Connections) HandleSignal(ctx context.Context, signal store.Signal) {
	if signal.Kind == store.SettingsChanged || signal.Kind == store.Missed {
		c.reload(ctx)
	}
}

func (c *Connections) reload(ctx context.Context) {
	if err := c.Load(ctx); err != nil && ctx.Err() == nil {
		c.log.Error("reload the connections", "error", err)
	}
}
