// Package chat manages conversations: sessions, their history, favorites, and the questions that are sent to them.
package chat

import (
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat/turn"
	"parley/internal/library"
	"parley/internal/store"
)

// Config configures a Service.
type Config struct {
	Store   *store.Store
	Library *library.Library
	Turns   *turn.Engine
	Models  Models
	// WebSearch reports whether a search service is configured.
	WebSearch bool
	// Settings returns the current settings. If it is nil, they are the defaults.
	Settings func() parley.Settings
	Now      func() time.Time
}

// Service manages the conversations of one server.
type Service struct {
	store     *store.Store
	library   *library.Library
	turns     *turn.Engine
	models    Models
	webSearch bool
	settings  func() parley.Settings
	now       func() time.Time
}

// New returns a Service.
func New(config Config) *Service {
	if config.Settings == nil {
		config.Settings = parley.DefaultSettings
	}
	return &Service{
		store:     config.Store,
		library:   config.Library,
		turns:     config.Turns,
		models:    config.Models,
		webSearch: config.WebSearch,
		settings:  config.Settings,
		now:       config.Now,
	}
}

// Model is a model on offer.
type Model struct {
	Name          string
	Description   string // may be empty
	Model         ai.Model
	ContextTokens int
	// MaxTokens limits a reply. 0 means the server's limit.
	MaxTokens    int
	DeepThinking bool
	Images       bool
	Builtin      bool
	// Price is the price of its tokens. The zero value means none.
	Price parley.Price
	// Available reports whether the model is expected to reply. If nil, it always is.
	Available func() bool
}

// ReplyLimit is how many tokens a prompt and its reply can take together.
func (m Model) ReplyLimit() int64 {
	if m.MaxTokens > 0 {
		return int64(min(m.ContextTokens, m.promptTokens()+m.MaxTokens))
	}
	return int64(m.ContextTokens)
}

// promptTokens is how much of the context a prompt may fill. The rest is for the reply.
func (m Model) promptTokens() int {
	return m.ContextTokens - min(m.ContextTokens/4, 4096)
}

// Models are the models on offer, the default first.
type Models []Model

// find returns the model with the given name. The empty name selects the default.
func (m Models) find(name string) (Model, error) {
	if name == "" {
		return m[0], nil
	}
	for _, model := range m {
		if model.Name == name {
			return model, nil
		}
	}
	return Model{}, parley.Invalid("model must be one of the names that GET /api/models lists")
}

// Find returns the model with the given name. The empty name selects the default.
func (m Models) Find(name string) (Model, error) { return m.find(name) }

// Models lists the models on offer.
func (s *Service) Models() []parley.Model {
	models := make([]parley.Model, 0, len(s.models))
	for i, m := range s.models {
		models = append(models, parley.Model{
			Name:          m.Name,
			Default:       i == 0,
			Description:   m.Description,
			DeepThinking:  m.DeepThinking,
			WebSearch:     s.webSearch,
			Images:        m.Images,
			ContextTokens: m.ContextTokens,
			Available:     m.Available == nil || m.Available(),
			Builtin:       m.Builtin,
		})
	}
	return models
}
